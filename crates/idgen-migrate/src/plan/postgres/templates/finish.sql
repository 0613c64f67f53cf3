{% import "macros.sql" as m -%}
--! Says what is missing, if the old columns cannot be dropped now.
--? SELECT to_regprocedure({{ m.routine(schema, "begins", "text, text")|literal }}) IS NOT NULL
{{ m.begins(p, "finish") }}

--! Drops the triggers, the old columns with their indexes, and the schema of the plan.
{% call m.retried(tables) %}
      IF to_regprocedure({{ m.routine(schema, "requires", "text")|literal }}) IS NULL THEN
        IF {{ m.finished(p) }} THEN
          RAISE NOTICE 'nothing is left to drop';
          EXIT;
        END IF;
{{ m.not_begun(p) }}
      END IF;
{{ m.required(p, "finish") }}
      SET LOCAL client_min_messages = warning;
{% if integers %}
      PERFORM {{ schema }}.widens_sequences();
{% endif %}
{% for t in tables %}
      DROP TRIGGER IF EXISTS {{ reverse }} ON {{ m.table(t) }};
{% endfor %}
{% for k in keys %}
      -- A way back that ended half-way may have made it.
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.kept }};
{% endfor %}
{{ m.each_column(tables, "DROP COLUMN", "kept") }}
{{ m.each_column(tables, "DROP COLUMN IF EXISTS", "new") }}
      DROP SCHEMA {{ schema }} CASCADE;
{% endcall %}

--< Says that there is no way back.
DO $idgen$
BEGIN
  RAISE EXCEPTION 'the old columns are dropped: there is no way back from this step';
END
$idgen$
