{%- from "asks.sql" import declare, run -%}
CREATE TRIGGER IF NOT EXISTS {{ side.update|name }} AFTER UPDATE ON {{ side.from|name }} FOR EACH ROW
BEGIN
{%- set asks = side.update_asks %}
{{- declare(asks) }}
  DECLARE changed BIGINT DEFAULT 0;
{%- if side.ignored %}
  DECLARE ignored BIGINT DEFAULT 0;
{%- endif %}
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
{%- if side.twice %}
    IF {{ side.twice }} THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'idgen plan: the time of the key is there twice in this time zone: SET time_zone = ''+00:00'' for this statement';
    END IF;
{%- endif %}
{%- if side.ignored %}
    -- MariaDB fires this trigger also for a row whose update UPDATE IGNORE has ignored. NEW has the values that were not stored.
    {{ plan.any_age }}SELECT COUNT(*) INTO ignored FROM {{ side.now|name }} AS s WHERE {{ side.ignored }} LOCK IN SHARE MODE;
  END IF;
  IF phase = {{ side.phase }} AND ignored = 0 THEN
{%- endif %}
{%- for key in side.misspelled %}
    IF {{ key.changed }} AND {{ key.wrong }} THEN
      SIGNAL SQLSTATE '{{ key.state }}' SET MESSAGE_TEXT = {{ key.message|message }}{{ key.number }};
    END IF;
{%- endfor %}
{{- run(asks, plan.any_age) }}
    {{ plan.any_age }}UPDATE {{ side.to|name }} SET
{%- for column in side.columns %}
      {{ column|name }} = {{ side.set[loop.index0] }}{% if not loop.last %},{% endif %}
{%- endfor %}
    WHERE {{ side.where_old }};
    SET changed = ROW_COUNT();
    -- A row that the copy has not reached is copied later as it is then. If its key changed, the copy may have passed
    -- the place of the new key, so the row is inserted here.
    IF changed = 0 AND {{ side.key_changed }} THEN
      {{ plan.any_age }}INSERT INTO {{ side.to|name }} ({{ side.columns|names }})
      VALUES ({{ side.updated|join(", ") }});
    END IF;
{%- for key in side.cascade %}
    {{ plan.any_age }}UPDATE {{ side.to|name }} SET {{ key.column|name }} = {{ key.new }}{%- for stamped in side.stamped %}, {{ stamped|name }} = {{ side.to|name }}.{{ stamped|name }}{% endfor %}
    WHERE {{ side.to|name }}.{{ key.column|name }} = {{ key.old }} AND NOT ({{ key.new }} <=> {{ key.old }});
{%- endfor %}
  END IF;
{%- include "isolated.sql" %}
END
