{%- from "asks.sql" import declare, run -%}
CREATE TRIGGER IF NOT EXISTS {{ side.insert|name }} AFTER INSERT ON {{ side.from|name }} FOR EACH ROW
BEGIN
{%- set asks = side.insert_asks %}
{{- declare(asks) }}
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
{%- for key in side.misspelled %}
    IF {{ key.wrong }} THEN
      SIGNAL SQLSTATE '{{ key.state }}' SET MESSAGE_TEXT = {{ key.message|message }}{{ key.number }};
    END IF;
{%- endfor %}
{{- run(asks, plan.any_age) }}
    {{ plan.any_age }}INSERT INTO {{ side.to|name }} ({{ side.columns|names }})
    VALUES ({{ side.new|join(", ") }});
  END IF;
{%- include "isolated.sql" %}
END
