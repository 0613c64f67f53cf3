{%- from "asks.sql" import declare, run -%}
CREATE TRIGGER IF NOT EXISTS {{ side.insert|name }} AFTER INSERT ON {{ side.from|name }} FOR EACH ROW
BEGIN
{%- set asks = side.insert_asks %}
{{- declare(asks) }}
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
{{- run(asks) }}
    INSERT INTO {{ side.to|name }} ({{ side.columns|names }})
    VALUES ({{ side.new|join(", ") }});
  END IF;
END
