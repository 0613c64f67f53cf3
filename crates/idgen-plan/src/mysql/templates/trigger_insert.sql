CREATE TRIGGER IF NOT EXISTS {{ side.insert|name }} AFTER INSERT ON {{ side.from|name }} FOR EACH ROW
BEGIN
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
{%- if side.children %}
    -- REPLACE left the row in place, for the rows that refer to it.
    IF @idgen_plan_replaced = 1 THEN
      SET @idgen_plan_replaced = 0;
      INSERT INTO {{ side.to|name }} ({{ side.columns|names }})
      VALUES ({{ side.new|join(", ") }})
      ON DUPLICATE KEY UPDATE
{%- for column in side.columns %}
        {{ column|name }} = {{ side.new[loop.index0] }}{% if not loop.last %},{% endif %}
{%- endfor %};
    ELSE
{%- endif %}
    INSERT INTO {{ side.to|name }} ({{ side.columns|names }})
    VALUES ({{ side.new|join(", ") }});
{%- if side.children %}
    END IF;
{%- endif %}
  END IF;
END
