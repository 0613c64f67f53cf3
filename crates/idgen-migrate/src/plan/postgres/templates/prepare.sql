{% import "macros.sql" as m -%}
{% import "attached.sql" as a -%}
{% import "rights.sql" as r -%}
{% import "state.sql" as s -%}
{% import "sequences.sql" as q -%}
--! Fails if the tables are not as they were when the plan was made, or if another plan for them is at work.
DO $idgen$
BEGIN
  IF to_regprocedure({{ m.routine(schema, "begins", "text, text")|literal }}) IS NOT NULL THEN
    PERFORM {{ schema }}.begins('prepare', {{ fingerprint|literal }});
    RETURN;
  END IF;
{{ a.fails_if_changed(p) }}
END
$idgen$

--! Fails if the role lacks a right that a later step needs, before anything is copied.
{{ r.required(p) }}

--! The plan's own objects are in a schema, which the last step drops.
CREATE SCHEMA IF NOT EXISTS {{ schema }}

{{ s.tables(p) }}
--! How fast the copy is. It reads this again before each chunk, so an UPDATE has effect at once.
CREATE TABLE IF NOT EXISTS {{ schema }}.settings (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  chunk_blocks bigint NOT NULL DEFAULT 64 CHECK (chunk_blocks > 0),
  pause interval NOT NULL DEFAULT '0',
  paused boolean NOT NULL DEFAULT false,
  max_lag interval NOT NULL DEFAULT '10 seconds',
  max_active integer NOT NULL DEFAULT 32,
  abort_active integer
)

--! Fills in the settings.
INSERT INTO {{ schema }}.settings DEFAULT VALUES ON CONFLICT DO NOTHING

--! Waits while replicas lag, many sessions are active or somebody has set `paused`, and says so every ten seconds.
CREATE OR REPLACE PROCEDURE {{ schema }}.pause() LANGUAGE plpgsql AS $idgen$
DECLARE
  idgen_lag interval;
  idgen_active bigint;
  idgen_settings {{ schema }}.settings;
  idgen_said timestamptz;
BEGIN
  LOOP
    COMMIT;
    SELECT * INTO STRICT idgen_settings FROM {{ schema }}.settings;
    PERFORM pg_sleep(extract(epoch FROM idgen_settings.pause));
    SELECT max(replay_lag) INTO idgen_lag FROM pg_catalog.pg_stat_replication;
    SELECT count(*) INTO idgen_active FROM pg_catalog.pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend';
    EXIT WHEN COALESCE(idgen_lag <= idgen_settings.max_lag, true) AND idgen_active <= idgen_settings.max_active AND NOT idgen_settings.paused;
    IF idgen_active > idgen_settings.abort_active THEN
      RAISE EXCEPTION '% sessions are active, more than abort_active (%): execute the file again when fewer are', idgen_active, idgen_settings.abort_active;
    END IF;
    IF idgen_said IS NULL OR clock_timestamp() > idgen_said + interval '10 seconds' THEN
      idgen_said := clock_timestamp();
      RAISE NOTICE 'waits: % sessions are active, replicas lag by %, paused is %', idgen_active, COALESCE(idgen_lag, '0'), idgen_settings.paused;
    END IF;
    PERFORM pg_sleep(1);
  END LOOP;
END
$idgen$

--! Everything that is attached to the tables.
CREATE OR REPLACE FUNCTION {{ schema }}.attached_now() RETURNS TABLE (what text) LANGUAGE sql SET search_path = pg_catalog AS $idgen$
{{ a.attached(tables, id, texts, version) }}
$idgen$

{{ s.functions(p) }}
{% if integers %}
{{ q.functions(p) }}
{% endif %}
--! Adds the new columns, which are empty: this rewrites nothing.
{% call m.retried(tables) %}
{{ m.required(p, "prepare") }}
      DELETE FROM {{ schema }}.attached WHERE moment = 'plan';
      INSERT INTO {{ schema }}.attached SELECT 'plan', t.what FROM unnest({{ shape|literals }}) AS t (what);
      PERFORM {{ schema }}.unchanged('plan', true);
      INSERT INTO {{ schema }}.plan (fingerprint) VALUES ({{ fingerprint|literal }}) ON CONFLICT DO NOTHING;
{{ m.each_column(tables, "ADD COLUMN IF NOT EXISTS", "new", " " ~ column_type) }}
{% for t in tables %}
{% for c in t.columns %}
{% if c.statistics %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.new }} SET STATISTICS {{ c.statistics }};
{% endif %}
{% if c.options %}
      ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.new }} SET ({{ c.options|safe }});
{% endif %}
{% endfor %}
{% endfor %}
      IF {{ schema }}.lacks('prepare') IS NOT NULL THEN
        -- The columns are new, so all rows have to be copied.
        DELETE FROM {{ schema }}.progress;
        UPDATE {{ schema }}.tables SET generation = generation + 1;
        UPDATE {{ schema }}.plan SET verified = false;
        PERFORM {{ schema }}.remembers_columns();
      END IF;
{% endcall %}

--! Writes down that the step is done.
{{ m.ends(p, "prepare") }}

--< Writes down that the way back has begun, if there is something to undo.
--? SELECT to_regprocedure({{ m.routine(schema, "begins", "text, text")|literal }}) IS NOT NULL
{{ m.begins(p, "undo/prepare") }}

--< Drops the new columns and the schema.
{% call m.retried(tables) %}
      IF to_regprocedure({{ m.routine(schema, "requires", "text")|literal }}) IS NOT NULL THEN
{{ m.required(p, "undo/prepare") }}
      ELSIF {{ m.finished(p) }} THEN
{{ m.not_begun(p) }}
      END IF;
      SET LOCAL client_min_messages = warning;
{{ m.each_column(tables, "DROP COLUMN IF EXISTS", "new") }}
{{ m.each_column(tables, "DROP COLUMN IF EXISTS", "kept") }}
      DROP SCHEMA IF EXISTS {{ schema }} CASCADE;
{% endcall %}
