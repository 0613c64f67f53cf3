{% import "macros.sql" as m -%}
{% for t in tables %}
--! Writes the new columns of {{ t.shown|safe }} with each change of a row.
CREATE OR REPLACE FUNCTION {{ schema }}.{{ t.tag ~ "_forward" }}() RETURNS trigger LANGUAGE plpgsql AS $idgen$
BEGIN
{{ m.skip_action(t.columns, "name", "new") }}
{% for c in t.columns %}
  NEW.{{ c.new }} := {{ m.uuid("NEW", c.name, c) }};
{% endfor %}
  RETURN NEW;
END
$idgen$

{% endfor %}
--! Creates the triggers. They fire after others of the same kind, whose names come before, and on replicas too.
{% call m.retried(tables) %}
{{ m.not_switched(schema) }}
{% for t in tables %}
      CREATE OR REPLACE TRIGGER zzz_idgen_forward BEFORE INSERT OR UPDATE ON {{ m.table(t) }}
        FOR EACH ROW EXECUTE FUNCTION {{ schema }}.{{ t.tag ~ "_forward" }}();
      ALTER TABLE {{ m.table(t) }} ENABLE ALWAYS TRIGGER zzz_idgen_forward;
{% endfor %}
{% endcall %}

--< Drops the triggers. Rows that change from now on must be copied again, so the progress is forgotten.
{% call m.retried(tables) %}
{{ m.not_switched(schema) }}
      -- Rows that change without the triggers would collide with them.
{% for t in tables %}
{% for i in t.indexes %}
      IF to_regclass({{ m.table({"schema": t.schema, "name": i.new})|literal }}) IS NOT NULL THEN
        RAISE EXCEPTION 'the index % is there', {{ i.new|literal }} USING HINT = 'Execute the files of undo/ with higher numbers before this one.';
      END IF;
{% endfor %}
{% endfor %}
{{ m.drop_constraints(tables, keys) }}
{% for t in tables %}
      DROP TRIGGER IF EXISTS zzz_idgen_forward ON {{ m.table(t) }};
{% endfor %}
      DELETE FROM {{ schema }}.progress;
      DELETE FROM {{ schema }}.state;
{% endcall %}
{% for t in tables %}

--< Drops the function of {{ t.shown|safe }}.
DROP FUNCTION IF EXISTS {{ schema }}.{{ t.tag ~ "_forward" }}()
{% endfor %}
