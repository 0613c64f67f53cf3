{% import "macros.sql" as m -%}
--! Says what is missing, if the triggers cannot be made now.
{{ m.begins(p, "triggers") }}

{% for t in tables %}
--! Writes the new columns of {{ t.shown|safe }} with each change of a row.
CREATE OR REPLACE FUNCTION {{ schema }}.{{ t.tag ~ "_forward" }}() RETURNS trigger LANGUAGE plpgsql AS $idgen$
DECLARE
  idgen_context pg_catalog.text;
BEGIN
{{ m.skip_action(t, "new") }}
{% for c in t.columns %}
  NEW.{{ c.new }} := {{ m.converted("NEW", c.name, c) }};
{% endfor %}
  RETURN NEW;
END
$idgen$

{% endfor %}
--! Creates the triggers. They fire after others of the same kind, whose names come before, and on replicas too.
{% call m.retried(tables) %}
{{ m.required(p, "triggers") }}
{% for t in tables %}
      IF (SELECT t.trigger IS DISTINCT FROM {{ schema }}.trigger_of(t.name) OR t.trigger IS NULL FROM {{ schema }}.tables AS t WHERE t.name = {{ t.shown|literal }}) THEN
        SET LOCAL client_min_messages = warning;
        DROP TRIGGER IF EXISTS {{ forward }} ON {{ m.table(t) }};
        CREATE TRIGGER {{ forward }} BEFORE INSERT OR UPDATE ON {{ m.table(t) }}
          FOR EACH ROW EXECUTE FUNCTION {{ schema }}.{{ t.tag ~ "_forward" }}();
        ALTER TABLE {{ m.table(t) }} ENABLE ALWAYS TRIGGER {{ forward }};
        -- Rows that were changed without it have to be copied again.
        UPDATE {{ schema }}.tables AS t SET trigger = {{ schema }}.trigger_of(t.name), generation = t.generation + 1 WHERE t.name = {{ t.shown|literal }};
        DELETE FROM {{ schema }}.progress WHERE name = {{ t.shown|literal }};
        UPDATE {{ schema }}.plan SET verified = false;
        UPDATE {{ schema }}.steps SET state = 'new' WHERE step IN ('backfill', 'verify');
      END IF;
{% endfor %}
{% endcall %}

--! Writes down that the step is done.
{{ m.ends(p, "triggers") }}

--< Says what stands in the way, if the triggers cannot be dropped now: rows that change without them would collide with what later steps made.
{{ m.begins(p, "undo/triggers") }}

--< Drops the triggers. Rows that change from now on must be copied again, so the progress is forgotten.
{% call m.retried(tables) %}
{{ m.required(p, "undo/triggers") }}
{% for t in tables %}
      DROP TRIGGER IF EXISTS {{ forward }} ON {{ m.table(t) }};
{% endfor %}
      DELETE FROM {{ schema }}.progress;
      UPDATE {{ schema }}.tables SET trigger = NULL;
      UPDATE {{ schema }}.plan SET verified = false;
      UPDATE {{ schema }}.steps SET state = 'new' WHERE step IN ('backfill', 'verify');
{% endcall %}
{% for t in tables %}

--< Drops the function of {{ t.shown|safe }}.
DROP FUNCTION IF EXISTS {{ schema }}.{{ t.tag ~ "_forward" }}()
{% endfor %}

--< Writes down that the step is undone.
{{ m.ends(p, "undo/triggers") }}
