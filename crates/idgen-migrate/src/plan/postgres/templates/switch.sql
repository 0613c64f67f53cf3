{% import "macros.sql" as m -%}
{% import "attached.sql" as a -%}
{#- Whether a constraint `o` is an old foreign key, which only the way back makes. -#}
{% macro old_keys() -%}
(o.conrelid, o.conname) IN ({% for k in keys %}({{ m.table(k.child)|literal }}::regclass, {{ k.kept|literal }}){% if not loop.last %}, {% endif %}{% endfor %})
{%- endmacro -%}
{#- Whether a row `c` refers to a row `p`. -#}
{% macro referred(k) -%}
{% for column in k.child.columns %}p.{{ k.parent.columns[loop.index0] }} {% if k.child.kept[loop.index0] == column %}{{ k.operators[loop.index0]|safe }}{% else %}={% endif %} c.{{ column }}{% if not loop.last %} AND {% endif %}{% endfor %}
{%- endmacro -%}
--! Says what is missing, if the switch cannot be made now.
{{ m.begins(p, "switch") }}

{% for t in tables %}
--! Keeps the old columns of {{ t.shown|safe }} current after the switch, for the way back.
CREATE OR REPLACE FUNCTION {{ schema }}.{{ t.tag ~ "_reverse" }}() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $idgen$
DECLARE
  idgen_context text;
BEGIN
  IF TG_OP = 'INSERT' AND current_setting('session_replication_role') <> 'replica'
    AND ({% for c in t.columns %}NEW.{{ c.kept }} IS NOT NULL{% if not loop.last %} OR {% endif %}{% endfor %}) THEN
    RAISE EXCEPTION 'a row has values for the old columns of %', {{ t.shown|literal }}
      USING HINT = 'An INSERT or COPY without a list of columns takes them in another order since the switch: name the columns.';
  END IF;
{{ m.skip_action(t, "kept") }}
{% for c in t.columns %}
  IF TG_OP = 'INSERT'{% if c.parent %}{% for name in c.parent.from %} OR NEW.{{ name }} IS DISTINCT FROM OLD.{{ name }}{% endfor %}{% endif %} OR NEW.{{ c.name }} IS DISTINCT FROM OLD.{{ c.name }} THEN
{% if c.parent %}
    -- The same spelling as in the row that it refers to.
    NEW.{{ c.kept }} := COALESCE((SELECT p.{{ c.parent.kept }} FROM {{ m.table(c.parent) }} AS p
      WHERE {% for name in c.parent.to %}p.{{ name }} = NEW.{{ c.parent.from[loop.index0] }}{% if not loop.last %} AND {% endif %}{% endfor %}), {{ m.old("NEW", c.name, c) }});
{% else %}
    NEW.{{ c.kept }} := {{ m.old("NEW", c.name, c) }};
{% endif %}
  ELSIF pg_trigger_depth() > 1 OR NEW.{{ c.kept }} IS NULL THEN
    -- A statement that writes all columns, and does not know this one. The way back writes it at the first depth.
    NEW.{{ c.kept }} := OLD.{{ c.kept }};
  END IF;
{% endfor %}
  RETURN NEW;
END
$idgen$

{% endfor %}
--! Waits until no snapshot is older than the end of the copy: it would read rows of before, whose new keys are null. Standbys with hot_standby_feedback report theirs, every ten seconds. For those of this server, CREATE INDEX CONCURRENTLY has waited, unless a copy has been repeated since the last index was made; then those are waited for that are there now, since later ones are newer.
DO $idgen$
DECLARE
  idgen_attempt integer := 0;
  idgen_who text;
  idgen_keys text[];
  idgen_first text[];
BEGIN
  LOOP
    EXIT WHEN {{ m.switched(schema) }};
    PERFORM pg_stat_clear_snapshot();
    SELECT string_agg(h.name, ', ' ORDER BY h.name), array_agg(h.key) INTO idgen_who, idgen_keys FROM (
      SELECT format('the standby %s (process %s)', r.application_name, r.pid), NULL, r.backend_xmin, false FROM pg_catalog.pg_stat_replication AS r
      UNION ALL SELECT format('the replication slot %s', s.slot_name), NULL, s.xmin, false FROM pg_catalog.pg_replication_slots AS s
      UNION ALL SELECT format('the session %s (%s)', a.pid, concat_ws(', ', NULLIF(a.application_name, ''), 'role ' || a.usename, a.state, 'since ' || date_trunc('second', a.xact_start))),
          -- The transaction, as roles that see no more of the session know it, too.
          concat_ws(' ', a.pid, (SELECT min(l.virtualtransaction) FROM pg_catalog.pg_locks AS l WHERE l.pid = a.pid)), a.backend_xmin, true
        FROM pg_catalog.pg_stat_activity AS a WHERE a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.usesysid IS NOT NULL
          AND (a.query ~* '^\s*vacuum\M' AND a.state = 'active') IS NOT TRUE) AS h (name, key, oldest, here)
      WHERE h.oldest IS NOT NULL AND (idgen_first IS NULL OR NOT h.here OR h.key = ANY (idgen_first))
        AND EXISTS (SELECT FROM {{ schema }}.progress AS g WHERE age(h.oldest) >= age(g.xmin)
          -- The first column of an index has the transaction that made it.
          AND NOT (h.here AND EXISTS (SELECT FROM {{ schema }}.tables AS t JOIN pg_catalog.pg_index AS i ON i.indrelid = t.id AND i.indisvalid
            JOIN pg_catalog.pg_class AS r ON r.oid = i.indexrelid AND {{ a.own("r.relname", id) }}
            JOIN pg_catalog.pg_attribute AS c ON c.attrelid = r.oid AND c.attnum = 1 WHERE age(c.xmin) < age(g.xmin))));
    EXIT WHEN idgen_who IS NULL;
    idgen_first := COALESCE(idgen_first, idgen_keys);
    idgen_attempt := idgen_attempt + 1;
    IF idgen_attempt >= 60 THEN
      RAISE EXCEPTION 'a snapshot is older than the end of the copy, and would read keys that are null after the switch: %', idgen_who
        USING HINT = 'End the transactions that began before (those of a standby are in pg_stat_activity there), then execute the file again. A slot that no standby uses any more keeps its snapshot: drop it.';
    END IF;
    IF idgen_attempt % 10 = 1 THEN
      RAISE NOTICE 'waits for a snapshot that is older than the end of the copy: %', idgen_who;
    END IF;
    COMMIT;
    PERFORM pg_sleep(1);
  END LOOP;
END
$idgen$

--! The switch, in one transaction.
{% call m.retried(tables) %}
{{ m.required(p, "switch") }}
      IF {{ m.switched(schema) }} THEN
        RAISE NOTICE 'the switch was made before';
        EXIT;
      END IF;
      PERFORM {{ schema }}.unchanged('plan', true);
      SET LOCAL client_min_messages = warning;
{% for t in tables %}
      DROP TRIGGER IF EXISTS {{ forward }} ON {{ m.table(t) }};
{% endfor %}
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT {{ k.name }};
      ALTER TABLE {{ m.table(k.child) }} RENAME CONSTRAINT {{ k.new }} TO {{ k.name }};
{{ m.about_key(k, k.name) }}
{% endfor %}
{% for t in tables %}
{% for c in t.columns %}
{% if c.not_null %}
{% if c.not_null_name %}
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ c.not_null_name }} TO {{ c.not_null_kept }};
      ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ c.not_null_name }} NOT NULL {{ c.new }}{{ c.not_null_ending|safe }};
{% if c.not_null_comment %}
      COMMENT ON CONSTRAINT {{ c.not_null_name }} ON {{ m.table(t) }} IS {{ c.not_null_comment|literal }};
{% endif %}
{% else %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.new }} SET NOT NULL;
{% endif %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ c.check }};
{% endif %}
{% if c.default %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.name }} DROP DEFAULT, ALTER COLUMN {{ c.new }} SET DEFAULT {{ c.new_default|safe }};
{% endif %}
{% if integers %}
      PERFORM {{ schema }}.moves_sequences({{ m.table(t)|literal }}::regclass, {{ c.name|literal }}, {{ c.new|literal }});
{% endif %}
{% endfor %}
{% for i in t.indexes %}
{% if i.primary %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ i.name }}, ADD CONSTRAINT {{ i.name }} PRIMARY KEY USING INDEX {{ i.new }};
{% elif i.constraint %}
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ i.name }} TO {{ i.kept }};
      ALTER TABLE {{ m.table(t) }} ADD CONSTRAINT {{ i.name }} UNIQUE USING INDEX {{ i.new }};
{% else %}
      ALTER INDEX {{ t.schema }}.{{ i.name }} RENAME TO {{ i.kept }};
      ALTER INDEX {{ t.schema }}.{{ i.new }} RENAME TO {{ i.name }};
{% endif %}
{{ m.about_index(t, i) }}
{% endfor %}
{% for c in t.columns %}
      ALTER TABLE {{ m.table(t) }} DROP COLUMN IF EXISTS {{ c.kept }};
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.name }} TO {{ c.kept }};
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.new }} TO {{ c.name }};
      -- For clients that have read the list of columns before, and insert into all of them. Nobody reads it.
      ALTER TABLE {{ m.table(t) }} ADD COLUMN {{ c.new }} {{ column_type|safe }};
{% if c.comment %}
      COMMENT ON COLUMN {{ m.table(t) }}.{{ c.name }} IS {{ c.comment|literal }};
{% endif %}
{% endfor %}
      CREATE TRIGGER {{ reverse }} BEFORE INSERT OR UPDATE ON {{ m.table(t) }}
        FOR EACH ROW EXECUTE FUNCTION {{ schema }}.{{ t.tag ~ "_reverse" }}();
      ALTER TABLE {{ m.table(t) }} ENABLE ALWAYS TRIGGER {{ reverse }};
{% endfor %}
      UPDATE {{ schema }}.plan SET switched = true;
      DELETE FROM {{ schema }}.attached WHERE moment = 'switched';
      INSERT INTO {{ schema }}.attached SELECT 'switched', n.what FROM {{ schema }}.attached_now() AS n;
{% endcall %}

--! Writes down that the step is done.
{{ m.ends(p, "switch") }}

--< Says what stands in the way, if the switch cannot be undone now: what was attached to the keys since the switch would be lost.
{{ m.begins(p, "undo/switch") }}

{% for t in tables %}
{% for i in t.indexes if i.primary %}
--< Removes what a killed run left of it.
--? SELECT {{ m.invalid(t.schema, i.kept) }}
DROP INDEX CONCURRENTLY IF EXISTS {{ t.schema }}.{{ i.kept }}

--< Builds the index of the old primary key of {{ t.shown|safe }}, which went with the switch.
--? SELECT {{ m.switched(schema) }} AND to_regclass({{ m.table({"schema": t.schema, "name": i.kept})|literal }}) IS NULL
CREATE UNIQUE INDEX CONCURRENTLY {{ i.kept }} ON {{ m.table(t) }} {{ i.kept_columns|safe }}{{ i.ending|safe }}

{% endfor %}
{% endfor %}
{% if keys and not integers %}
--< Drops the old foreign keys, if a run has ended before all of them were valid.
--? SELECT {{ m.switched(schema) }} AND EXISTS (SELECT FROM pg_constraint AS o WHERE {{ old_keys() }} AND NOT o.convalidated)
{% call m.retried(tables) %}
{{ m.required(p, "undo/switch") }}
      SET LOCAL client_min_messages = warning;
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.kept }};
{% endfor %}
{% endcall %}

--< Writes one old text for each id that has several. A row that was deleted after the switch and inserted again may have another one than the rows that refer to it.
--? SELECT {{ m.switched(schema) }} AND NOT EXISTS (SELECT FROM pg_constraint AS o WHERE {{ old_keys() }})
DO $idgen$
DECLARE
  idgen_ids pg_catalog.uuid[] := (SELECT array_agg(DISTINCT d.id) FROM (
{% for k in keys %}
{% for name in k.child.columns %}
{% if k.child.kept[loop.index0] != name %}
    SELECT c.{{ name }} FROM {{ m.table(k.child) }} AS c JOIN {{ m.table(k.parent) }} AS p ON {{ referred(k) }}
      WHERE c.{{ k.child.kept[loop.index0] }} IS DISTINCT FROM p.{{ k.parent.kept[loop.index0] }} UNION ALL
{% endif %}
{% endfor %}
{% endfor %}
    SELECT CAST(NULL AS pg_catalog.uuid) WHERE false) AS d (id));
BEGIN
  IF idgen_ids IS NOT NULL THEN
{% for t in tables %}
{% for c in t.columns %}
    UPDATE {{ m.table(t) }} AS t SET {{ c.kept }} = {{ m.old("t", c.name, c) }}
      WHERE t.{{ c.name }} = ANY (idgen_ids) AND t.{{ c.kept }} IS DISTINCT FROM {{ m.old("t", c.name, c) }};
{% endfor %}
{% endfor %}
  END IF;
END
$idgen$

{% endif %}
--< Adds the old foreign keys for new rows.
{% call m.retried(tables) %}
{{ m.required(p, "undo/switch") }}
      IF NOT {{ m.switched(schema) }} THEN
        EXIT;
      END IF;
{% for k in keys %}
      IF NOT {{ m.has(k.child, k.kept) }} THEN
        ALTER TABLE {{ m.table(k.child) }} ADD CONSTRAINT {{ k.kept }} FOREIGN KEY ({{ k.child.kept|names }})
          REFERENCES {{ m.table(k.parent) }} ({{ k.parent.kept|names }}){{ k.kept_ending|safe }} NOT VALID;
      END IF;
{% endfor %}
{% endcall %}
{% for k in keys %}

--< Reads the rows of {{ k.child.name|safe }} and what they refer to, while clients read and write.
--? SELECT {{ m.has(k.child, k.kept) }}
DO $idgen$
BEGIN
  ALTER TABLE {{ m.table(k.child) }} VALIDATE CONSTRAINT {{ k.kept }};
EXCEPTION WHEN foreign_key_violation THEN
  RAISE EXCEPTION '%', {{ ("clients wrote rows of " ~ k.child.name ~ " or " ~ k.parent.name ~ " whose old texts differ, while this file was executed: execute it again")|literal }};
END
$idgen$
{% endfor %}

--< Switches back, in one transaction. To switch again, build the indexes and constraints again, and verify.
{% call m.retried(tables) %}
{{ m.required(p, "undo/switch") }}
      IF NOT {{ m.switched(schema) }} THEN
        RAISE NOTICE 'the switch is not made, or was undone before';
        EXIT;
      END IF;
      PERFORM {{ schema }}.unchanged('switched', true);
      SET LOCAL client_min_messages = warning;
{% for t in tables %}
      DROP TRIGGER IF EXISTS {{ reverse }} ON {{ m.table(t) }};
{% endfor %}
{% for k in keys %}
      ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT {{ k.name }};
      ALTER TABLE {{ m.table(k.child) }} RENAME CONSTRAINT {{ k.kept }} TO {{ k.name }};
{{ m.about_key(k, k.name) }}
{% endfor %}
{% for t in tables %}
{% for i in t.indexes %}
{% if i.primary %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ i.name }}, ADD CONSTRAINT {{ i.name }} PRIMARY KEY USING INDEX {{ i.kept }};
{{ m.about_index(t, i) }}
{% elif i.constraint %}
      ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT {{ i.name }};
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ i.kept }} TO {{ i.name }};
{% else %}
      DROP INDEX {{ t.schema }}.{{ i.name }};
      ALTER INDEX {{ t.schema }}.{{ i.kept }} RENAME TO {{ i.name }};
{% endif %}
{% if i.clustered and not i.primary %}
      ALTER TABLE {{ m.table(t) }} CLUSTER ON {{ i.name }};
{% endif %}
{% endfor %}
{% for c in t.columns %}
{% if integers %}
      PERFORM {{ schema }}.moves_sequences({{ m.table(t)|literal }}::regclass, {{ c.name|literal }}, {{ c.kept|literal }});
{% endif %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.name }} DROP NOT NULL, ALTER COLUMN {{ c.name }} DROP DEFAULT;
{% if c.not_null and c.not_null_name %}
      ALTER TABLE {{ m.table(t) }} RENAME CONSTRAINT {{ c.not_null_kept }} TO {{ c.not_null_name }};
{% endif %}
{% if c.default %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.kept }} SET DEFAULT {{ c.default|safe }};
{% endif %}
      ALTER TABLE {{ m.table(t) }} DROP COLUMN IF EXISTS {{ c.new }};
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.name }} TO {{ c.new }};
      ALTER TABLE {{ m.table(t) }} RENAME COLUMN {{ c.kept }} TO {{ c.name }};
      ALTER TABLE {{ m.table(t) }} ADD COLUMN {{ c.kept }} {{ c.old_type|safe if integers else "pg_catalog.text"|safe }};
{% endfor %}
      CREATE TRIGGER {{ forward }} BEFORE INSERT OR UPDATE ON {{ m.table(t) }}
        FOR EACH ROW EXECUTE FUNCTION {{ schema }}.{{ t.tag ~ "_forward" }}();
      ALTER TABLE {{ m.table(t) }} ENABLE ALWAYS TRIGGER {{ forward }};
{% endfor %}
      UPDATE {{ schema }}.tables AS t SET trigger = {{ schema }}.trigger_of(t.name);
      UPDATE {{ schema }}.plan SET verified = false, switched = false;
      UPDATE {{ schema }}.steps SET state = 'new' WHERE step IN ('indexes', 'constraints', 'verify');
{% endcall %}

--< Writes down that the step is undone.
{{ m.ends(p, "undo/switch") }}
