{% import "macros.sql" as m -%}
--! The plan's own objects are in a schema, which the last step drops.
CREATE SCHEMA IF NOT EXISTS {{ schema }}

--! Remembers how far the copy is.
CREATE TABLE IF NOT EXISTS {{ schema }}.progress (
  task text, name text, file oid NOT NULL, next_block bigint NOT NULL DEFAULT 0, rows bigint NOT NULL DEFAULT 0,
  wrong bigint NOT NULL DEFAULT 0, done boolean NOT NULL DEFAULT false, changed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (task, name)
)

--! Remembers which steps are complete.
CREATE TABLE IF NOT EXISTS {{ schema }}.state (step text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now())

--! How fast the copy is. It reads this again before each chunk, so an UPDATE has effect at once.
CREATE TABLE IF NOT EXISTS {{ schema }}.settings (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  chunk_blocks bigint NOT NULL DEFAULT 64 CHECK (chunk_blocks > 0),
  pause interval NOT NULL DEFAULT '0',
  max_lag interval NOT NULL DEFAULT '10 seconds',
  max_active integer NOT NULL DEFAULT 32
)

--! Fills in the settings.
INSERT INTO {{ schema }}.settings DEFAULT VALUES ON CONFLICT DO NOTHING

--! Waits while replicas lag or many sessions are active.
CREATE OR REPLACE PROCEDURE {{ schema }}.pause() LANGUAGE plpgsql AS $idgen$
DECLARE
  idgen_lag interval;
  idgen_active bigint;
  idgen_settings {{ schema }}.settings;
BEGIN
  LOOP
    COMMIT;
    SELECT * INTO STRICT idgen_settings FROM {{ schema }}.settings;
    PERFORM pg_sleep(extract(epoch FROM idgen_settings.pause));
    SELECT max(replay_lag) INTO idgen_lag FROM pg_stat_replication;
    SELECT count(*) INTO idgen_active FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend';
    EXIT WHEN COALESCE(idgen_lag <= idgen_settings.max_lag, true) AND idgen_active <= idgen_settings.max_active;
    RAISE NOTICE 'waits: % sessions are active, replicas lag by %', idgen_active, COALESCE(idgen_lag, '0');
    PERFORM pg_sleep(1);
  END LOOP;
END
$idgen$

--! Says what has changed since the plan was made: that would be lost with the old columns.
CREATE OR REPLACE FUNCTION {{ schema }}.changed() RETURNS text[] LANGUAGE sql SET search_path = pg_catalog AS $idgen$
{{ m.changed(tables, shape) }}
$idgen$

--! Adds the new columns, which are empty: this rewrites nothing.
{% call m.retried(tables) %}
{{ m.not_switched(schema) }}
{{ m.each_column(tables, "ADD COLUMN IF NOT EXISTS", "new", " uuid") }}
{% endcall %}

--< Drops the new columns and the schema.
{% call m.retried(tables) %}
{{ m.not_switched(schema) }}
{{ m.each_column(tables, "DROP COLUMN IF EXISTS", "new") }}
      DROP SCHEMA IF EXISTS {{ schema }} CASCADE;
{% endcall %}
