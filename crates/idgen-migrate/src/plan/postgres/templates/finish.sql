{% import "macros.sql" as m -%}
--! Drops the triggers, the old columns with their indexes, and the schema of the plan.
{% call m.retried(tables) %}
      IF to_regclass({{ m.table({"schema": schema, "name": "state"})|literal }}) IS NULL THEN
        RAISE NOTICE 'nothing is left to drop';
        EXIT;
      END IF;
      IF NOT {{ m.switched(schema) }} THEN
        RAISE EXCEPTION 'the switch has not been made' USING HINT = 'Execute the steps before this one.';
      END IF;
{% for t in tables %}
      DROP TRIGGER zzz_idgen_reverse ON {{ m.table(t) }};
{% endfor %}
{{ m.each_column(tables, "DROP COLUMN", "kept") }}
      DROP SCHEMA {{ schema }} CASCADE;
{% endcall %}

--< Says that there is no way back.
DO $idgen$
BEGIN
  RAISE EXCEPTION 'the old columns are dropped: there is no way back from this step';
END
$idgen$
