{%- from "asks.sql" import declare, run -%}
CREATE TRIGGER IF NOT EXISTS {{ side.delete|name }} AFTER DELETE ON {{ side.from|name }} FOR EACH ROW
BEGIN
{%- set asks = side.delete_asks %}
{{- declare(asks) }}
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
{%- if side.twice %}
    IF {{ side.twice }} THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'idgen plan: the time of the key is there twice in this time zone: SET time_zone = ''+00:00'' for this statement';
    END IF;
{%- endif %}
{{- run(asks, plan.any_age) }}
{%- for key in side.set_null %}
    -- The foreign key from this table to itself is added after the copy; until then this does its work.
    {{ plan.any_age }}UPDATE {{ side.to|name }} SET {{ key.column|name }} = NULL{%- for stamped in side.stamped %}, {{ stamped|name }} = {{ side.to|name }}.{{ stamped|name }}{% endfor %} WHERE {{ side.to|name }}.{{ key.column|name }} = {{ key.old }};
{%- endfor %}
    {{ plan.any_age }}DELETE FROM {{ side.to|name }} WHERE {{ side.where_old }};
  END IF;
{%- include "isolated.sql" %}
END
