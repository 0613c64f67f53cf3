CREATE TRIGGER IF NOT EXISTS {{ side.delete|name }} AFTER DELETE ON {{ side.from|name }} FOR EACH ROW
BEGIN
{% include "phase.sql" %}
  IF phase = {{ side.phase }} THEN
{%- if side.children %}
    -- MySQL 9.6 and later do not cascade when REPLACE deletes a row: the rows that refer to it stay. After a DELETE there are none.
    SET @idgen_plan_replaced =
{%- for child in side.children %}
      EXISTS (SELECT 1 FROM {{ child.table|name }} WHERE {{ child.place }} LOCK IN SHARE MODE){% if not loop.last %} OR{% endif %}
{%- endfor %};
    IF @idgen_plan_replaced = 0 THEN
{%- endif %}
{%- for key in side.set_null %}
    -- The foreign key from this table to itself is added after the copy; until then this does its work.
    UPDATE {{ side.to|name }} SET {{ key.column|name }} = NULL WHERE {{ side.to|name }}.{{ key.column|name }} = {{ key.old }};
{%- endfor %}
    DELETE FROM {{ side.to|name }} WHERE {{ side.where_old }};
{%- if side.children %}
    END IF;
{%- endif %}
  END IF;
END
