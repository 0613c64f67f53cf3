{% import "macros.sql" as m -%}
{% import "attached.sql" as a -%}
{#- The ledger of a plan: what each file did, what it relies on, and what it says if that is missing. Files ask the catalog for what
    must hold; the ledger says for people how it came about. -#}

{%- macro tables(p) %}
--! Remembers the plan: which one it is, and how far it is.
CREATE TABLE IF NOT EXISTS {{ p.schema }}.plan (
  id boolean PRIMARY KEY DEFAULT true CHECK (id), fingerprint text NOT NULL, begun timestamptz NOT NULL DEFAULT now(),
  verified boolean NOT NULL DEFAULT false, switched boolean NOT NULL DEFAULT false
)

--! Remembers the last execution of each step.
CREATE TABLE IF NOT EXISTS {{ p.schema }}.steps (
  place integer PRIMARY KEY, step text NOT NULL UNIQUE, file text NOT NULL, kind text NOT NULL, state text NOT NULL DEFAULT 'new',
  begun timestamptz, ended timestamptz, session integer, account text, signature text, message text
)

--! Fills in the steps.
INSERT INTO {{ p.schema }}.steps (place, step, file, kind) VALUES (0, {{ p.target|literal }}, {{ p.shown|literal }}, 'plan'),
{%- for s in p.steps %} ({{ loop.index }}, {{ s.name|literal }}, {{ s.file|literal }}, {{ s.kind|literal }}){% if not loop.last %},{% endif %}{% endfor %} ON CONFLICT DO NOTHING

--! Remembers the triggers, and in which generation the rows are: it grows when columns or triggers are made anew.
CREATE TABLE IF NOT EXISTS {{ p.schema }}.tables (
  name text PRIMARY KEY, id oid NOT NULL, generation integer NOT NULL DEFAULT 0, trigger text, wrong bigint NOT NULL DEFAULT 0
)

--! Fills in the tables.
INSERT INTO {{ p.schema }}.tables (name, id) VALUES
{%- for t in p.tables %} ({{ t.shown|literal }}, {{ m.table(t)|literal }}::regclass){% if not loop.last %},{% endif %}{% endfor %} ON CONFLICT DO NOTHING

--! Remembers the new columns.
CREATE TABLE IF NOT EXISTS {{ p.schema }}.columns (id oid, name text, number smallint NOT NULL, PRIMARY KEY (id, name))

--! Remembers how far the copy is.
CREATE TABLE IF NOT EXISTS {{ p.schema }}.progress (
  name text PRIMARY KEY, file oid NOT NULL, next_block bigint NOT NULL DEFAULT 0, blocks bigint NOT NULL DEFAULT 0, rows bigint NOT NULL DEFAULT 0,
  done boolean NOT NULL DEFAULT false, changed_at timestamptz NOT NULL DEFAULT now()
)

--! Remembers what was attached to the tables when the plan was made, and when the switch was made.
CREATE TABLE IF NOT EXISTS {{ p.schema }}.attached (moment text, what text, PRIMARY KEY (moment, what))
{% endmacro %}

{%- macro functions(p) %}
--! Fails with what has changed on the keys since a moment. What does not concern them stays as it is, and is named.
CREATE OR REPLACE FUNCTION {{ p.schema }}.unchanged(idgen_moment text, idgen_names boolean) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
DECLARE
  idgen_keys text[];
  idgen_others text[];
  idgen_when text := CASE idgen_moment WHEN 'plan' THEN 'the plan' ELSE 'the switch' END;
BEGIN
  SELECT array_agg(d.what ORDER BY d.what) FILTER (WHERE d.mark <> '-'), array_agg(d.what ORDER BY d.what) FILTER (WHERE d.mark = '-')
    INTO idgen_keys, idgen_others FROM (
      SELECT left(COALESCE(n.what, t.what), 1) AS mark, {{ a.difference("n", "t") }} AS what
      FROM {{ p.schema }}.attached_now() AS n FULL JOIN (SELECT a.what FROM {{ p.schema }}.attached AS a WHERE a.moment = idgen_moment) AS t ON t.what = n.what
      WHERE t.what IS NULL OR n.what IS NULL) AS d;
  IF idgen_keys IS NOT NULL THEN
    RAISE EXCEPTION 'the tables were changed since % was made, and the change would be lost', idgen_when
      USING DETAIL = array_to_string(idgen_keys, E'\n'),
        HINT = CASE idgen_moment WHEN 'plan' THEN 'Undo what has changed; or undo the steps, and make another plan.'
          ELSE 'Undo what has changed; make it again after the way back.' END;
  END IF;
  IF idgen_names AND idgen_others IS NOT NULL THEN
    RAISE NOTICE E'changed since % was made, and kept:\n%', idgen_when, array_to_string(idgen_others, E'\n');
  END IF;
END
$idgen$

--! Remembers the new columns: a column that is dropped and made anew has another number.
CREATE OR REPLACE FUNCTION {{ p.schema }}.remembers_columns() RETURNS void LANGUAGE sql SET search_path = pg_catalog AS $idgen$
  DELETE FROM {{ p.schema }}.columns;
  INSERT INTO {{ p.schema }}.columns SELECT a.attrelid, a.attname, a.attnum FROM (VALUES
{%- for t in p.tables %}{% for c in t.columns %} (to_regclass({{ m.table(t)|literal }}), {{ c.new|literal }}){% if not loop.last %},{% endif %}{% endfor %}{% if not loop.last %},{% endif %}{% endfor %}
    ) AS k (id, name) JOIN pg_attribute AS a ON (a.attrelid, a.attname) = (k.id, k.name);
$idgen$

--! The state of a table's trigger. Its row in the catalog has another xmin after it was disabled and enabled.
CREATE OR REPLACE FUNCTION {{ p.schema }}.trigger_of(idgen_table text) RETURNS text LANGUAGE sql SET search_path = pg_catalog AS $idgen$
  SELECT concat_ws(' ', g.oid, g.xmin, g.tgenabled, md5(pg_get_functiondef(g.tgfoid))) FROM {{ p.schema }}.tables AS t
    JOIN pg_trigger AS g ON g.tgrelid = t.id AND g.tgname LIKE {{ ("zzz\\_idgen\\_" ~ p.id ~ "\\_%")|literal }} WHERE t.name = idgen_table
$idgen$

--! Says what of a step's work is not there; NULL if all of it is.
CREATE OR REPLACE FUNCTION {{ p.schema }}.lacks(idgen_step text) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
BEGIN
  CASE idgen_step
  WHEN 'prepare' THEN
    RETURN (SELECT min(CASE WHEN c.id IS NULL THEN format('the table %s is another one than when the step was executed', k.shown)
        ELSE format('the column %s is not there, or was made anew', k.column) END) FROM (VALUES
{%- for t in p.tables %}{% for c in t.columns %}
      (to_regclass({{ m.table(t)|literal }}), {{ t.shown|literal }}, {{ c.new|literal }}, {{ (t.shown ~ "." ~ c.new)|literal }}){% if not loop.last %},{% endif %}{% endfor %}{% if not loop.last %},{% endif %}{% endfor %}

      ) AS k (id, shown, name, "column") LEFT JOIN {{ p.schema }}.tables AS c ON (c.id, c.name) = (k.id, k.shown)
      WHERE c.id IS NULL OR NOT EXISTS (SELECT FROM {{ p.schema }}.columns AS r JOIN pg_attribute AS a ON (a.attrelid, a.attname, a.attnum) = (r.id, r.name, r.number)
        WHERE (r.id, r.name) = (k.id, k.name) AND NOT a.attisdropped AND a.atttypid = {{ ("int8" if p.integers else "uuid")|literal }}::regtype));
  WHEN 'triggers' THEN
    RETURN (SELECT min(CASE WHEN t.trigger IS NULL OR {{ p.schema }}.trigger_of(t.name) IS NULL THEN format('the trigger of %s is not there', t.name)
        ELSE format('the trigger of %s was changed or off since the step was executed', t.name) END)
      FROM {{ p.schema }}.tables AS t WHERE t.trigger IS NULL OR t.trigger IS DISTINCT FROM {{ p.schema }}.trigger_of(t.name));
  WHEN 'backfill' THEN
    RETURN (SELECT min(format('the copy of %s is not finished since its columns and triggers were made', t.name)) FROM {{ p.schema }}.tables AS t
      WHERE NOT EXISTS (SELECT FROM {{ p.schema }}.progress AS g WHERE g.name = t.name AND g.done));
  WHEN 'indexes' THEN
    RETURN (SELECT min(format('the index %s is not there or not valid', k.shown)) FROM (VALUES
{%- for t in p.tables %}{% for i in t.indexes %}
      (to_regclass({{ m.table(t)|literal }}), to_regclass({{ m.table({"schema": t.schema, "name": i.new})|literal }}), {{ i.new|literal }}),{% endfor %}{% endfor %}

      (NULL, NULL, NULL)) AS k (id, index, shown)
      WHERE k.id IS NOT NULL AND NOT EXISTS (SELECT FROM pg_index AS i WHERE (i.indexrelid, i.indrelid) = (k.index, k.id) AND i.indisvalid AND i.indisready));
  WHEN 'constraints', 'verify' THEN
    RETURN (SELECT min(format('the constraint %s of %s is not there%s', k.name, k.shown, CASE WHEN o.oid IS NULL THEN '' ELSE ' for all rows' END)) FROM (VALUES
{%- for t in p.tables %}{% for c in t.columns %}
      (to_regclass({{ m.table(t)|literal }}), {{ t.shown|literal }}, {{ c.same|literal }}, false),
{%- if c.not_null %}
      (to_regclass({{ m.table(t)|literal }}), {{ t.shown|literal }}, {{ c.check|literal }}, false),
{%- endif %}{% endfor %}{% endfor %}
{%- for k in p["keys"] %}
      (to_regclass({{ m.table(k.child)|literal }}), {{ k.child.name|literal }}, {{ k.new|literal }}, true),{% endfor %}

      (NULL, NULL, NULL, NULL)) AS k (id, shown, name, read) LEFT JOIN pg_constraint AS o ON (o.conrelid, o.conname) = (k.id, k.name)
      WHERE k.id IS NOT NULL AND (o.oid IS NULL OR NOT o.convalidated AND (k.read OR idgen_step = 'verify')));
  ELSE
    RETURN NULL;
  END CASE;
END
$idgen$

--! Says that there is a part of a step's work; NULL if there is none.
CREATE OR REPLACE FUNCTION {{ p.schema }}.left_of(idgen_step text) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
BEGIN
  CASE idgen_step
  WHEN 'triggers' THEN
    RETURN (SELECT min(format('the trigger of %s is there', t.name)) FROM {{ p.schema }}.tables AS t WHERE {{ p.schema }}.trigger_of(t.name) IS NOT NULL);
  WHEN 'indexes' THEN
    RETURN (SELECT min(format('the index %s is there', r.relname)) FROM pg_index AS i JOIN pg_class AS r ON r.oid = i.indexrelid AND {{ a.own("r.relname", p.id) }}
      JOIN {{ p.schema }}.tables AS t ON t.id = i.indrelid);
  WHEN 'constraints' THEN
    RETURN (SELECT min(format('the constraint %s is there', o.conname)) FROM pg_constraint AS o JOIN {{ p.schema }}.tables AS t ON t.id = o.conrelid
      WHERE {{ a.own("o.conname", p.id) }} AND o.contype IN ('c', 'f'));
  WHEN 'text' THEN
{% if p.version >= 180000 %}
    RETURN (SELECT min(format('the column %s is there', a.attname)) FROM pg_attribute AS a JOIN {{ p.schema }}.tables AS t ON t.id = a.attrelid
      WHERE a.attname = ANY ({{ p.texts|literals }}) AND NOT a.attisdropped);
{% else %}
    RETURN (SELECT min(format('the view %s is there', r.relname)) FROM pg_class AS r JOIN {{ p.schema }}.tables AS t ON r.relnamespace = (SELECT o.relnamespace FROM pg_class AS o WHERE o.oid = t.id)
      WHERE r.relname = ANY ({{ p.texts|literals }}) AND r.relkind = 'v');
{% endif %}
  ELSE
    RETURN NULL;
  END CASE;
END
$idgen$

--! The file that comes next.
CREATE OR REPLACE FUNCTION {{ p.schema }}.next_file() RETURNS text LANGUAGE sql SET search_path = pg_catalog AS $idgen$
  SELECT COALESCE(
    (SELECT {{ p.files.finish|literal }}::text FROM {{ p.schema }}.plan AS p WHERE p.switched),
    (SELECT s.file FROM {{ p.schema }}.steps AS s WHERE {{ p.schema }}.lacks(s.step) IS NOT NULL
      OR s.step = 'verify' AND NOT EXISTS (SELECT FROM {{ p.schema }}.plan AS p WHERE p.verified) ORDER BY s.place LIMIT 1),
    {{ p.files.switch|literal }})
$idgen$

--! Says which tables are not those of the plan any more; NULL if all are. Another table has the number of a table in a database that was restored from a dump.
CREATE OR REPLACE FUNCTION {{ p.schema }}.lost() RETURNS text LANGUAGE sql SET search_path = pg_catalog AS $idgen$
  WITH idgen_names (name, id) AS (VALUES
{%- for t in p.tables %} ({{ t.shown|literal }}, to_regclass({{ m.table(t)|literal }})){% if not loop.last %},{% endif %}{% endfor %})
  SELECT string_agg(CASE WHEN w.is_own THEN format('the table %s of this plan is now %s: give it its name and its schema back', w.name, w.id::regclass)
      WHEN w.named IS NULL THEN format('the table %s of this plan was dropped', w.name)
      ELSE format('the table %s is another table than the one of the plan (restored from a dump, or dropped and made again)', w.name) END, '; ' ORDER BY w.name)
    || CASE WHEN bool_and(w.is_own) THEN '' ELSE {{ (": the steps can neither go on nor back. " ~ p.abandon ~ " removes the plan from the tables that are there: they keep their rows and keys, and new rows can be inserted. Do not drop the schema by yourself, because constraints would stay that only its triggers satisfy")|literal }} END
  FROM (SELECT t.name, t.id, k.id AS named, t.id NOT IN (SELECT o.id FROM idgen_names AS o WHERE o.id IS NOT NULL)
      AND EXISTS (SELECT FROM {{ p.schema }}.columns AS c JOIN pg_attribute AS a ON (a.attrelid, a.attname) = (c.id, c.name) WHERE c.id = t.id AND NOT a.attisdropped) AS is_own
    FROM {{ p.schema }}.tables AS t LEFT JOIN idgen_names AS k ON k.name = t.name WHERE k.id IS DISTINCT FROM t.id::regclass) AS w
$idgen$

--! Fails with one sentence, if a file cannot be executed now.
CREATE OR REPLACE FUNCTION {{ p.schema }}.requires(idgen_file text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
DECLARE
  idgen_step text := replace(idgen_file, 'undo/', '');
  idgen_place integer := (SELECT s.place FROM {{ p.schema }}.steps AS s WHERE s.step = idgen_step);
  idgen_back boolean := idgen_file LIKE 'undo/%';
  idgen_why text;
  idgen_strangers text;
BEGIN
  IF NOT EXISTS (SELECT FROM {{ p.schema }}.plan) THEN
    IF idgen_step <> 'prepare' THEN
{{ m.not_begun(p) }}
    END IF;
    RETURN;
  END IF;
  idgen_why := {{ p.schema }}.lost();
  IF idgen_why IS NOT NULL THEN
    RAISE EXCEPTION '%', idgen_why;
  END IF;
  IF EXISTS (SELECT FROM {{ p.schema }}.plan AS p WHERE p.switched) THEN
    IF idgen_file = 'switch' THEN
      RETURN;
    END IF;
    IF idgen_step NOT IN ('switch', 'finish') THEN
      RAISE EXCEPTION '%', {{ ("the switch has been made: the next file is " ~ p.files.finish ~ ", and undo/" ~ p.files.switch ~ " goes back")|literal }};
    END IF;
    -- Enforced for each row, whether triggers fire or not: so the old and the new keys of all rows are the same.
    SELECT min(format('ALTER TABLE %s ADD CONSTRAINT %I CHECK (%s)', k.id, k.name, k.condition)) INTO idgen_why FROM (VALUES
{%- for t in p.tables %}{% for c in t.columns %}
      (to_regclass({{ m.table(t)|literal }}), {{ c.same|literal }}, {{ (m.same(c, "kept", "name"))|literal }}){% if not loop.last %},{% endif %}{% endfor %}{% if not loop.last %},{% endif %}{% endfor %}

      ) AS k (id, name, condition) WHERE NOT EXISTS (SELECT FROM pg_constraint AS o WHERE (o.conrelid, o.conname) = (k.id, k.name) AND o.convalidated);
    IF idgen_why IS NOT NULL THEN
      RAISE EXCEPTION 'the constraint is gone that proves that the old and the new keys of all rows are the same: make it again, and execute this file again: %', idgen_why;
    END IF;
    IF idgen_back THEN
      PERFORM {{ p.schema }}.unchanged('switched', false);
      RETURN;
    END IF;
  ELSIF idgen_step = 'finish' THEN
    RAISE EXCEPTION 'the switch has not been made: the next file is %', {{ p.schema }}.next_file();
  ELSIF NOT idgen_back THEN
    SELECT w.why INTO idgen_why FROM (SELECT s.place, {{ p.schema }}.lacks(s.step) AS why FROM {{ p.schema }}.steps AS s WHERE s.place < idgen_place) AS w
      WHERE w.why IS NOT NULL ORDER BY w.place LIMIT 1;
    IF idgen_why IS NULL AND idgen_file = 'switch' AND NOT EXISTS (SELECT FROM {{ p.schema }}.plan AS p WHERE p.verified) THEN
      idgen_why := 'the verification has not succeeded since columns, triggers or rows were made anew';
    END IF;
    IF idgen_why IS NOT NULL THEN
      RAISE EXCEPTION '%: the next file is %', idgen_why, {{ p.schema }}.next_file();
    END IF;
    RETURN;
  ELSE
    SELECT w.why || ': the next file is undo/' || w.file INTO idgen_why
      FROM (SELECT s.place, s.file, {{ p.schema }}.left_of(s.step) AS why FROM {{ p.schema }}.steps AS s WHERE s.place > idgen_place) AS w
      WHERE w.why IS NOT NULL ORDER BY w.place DESC LIMIT 1;
    IF idgen_why IS NOT NULL THEN
      RAISE EXCEPTION '%', idgen_why;
    END IF;
  END IF;
  -- What others attached to the columns that this file may drop.
  IF idgen_file IN ('finish', 'undo/prepare') THEN
    SELECT string_agg(substr(n.what, 2), E'\n' ORDER BY n.what) INTO idgen_strangers FROM {{ p.schema }}.attached_now() AS n WHERE n.what LIKE '*%';
    IF idgen_strangers IS NOT NULL THEN
      RAISE EXCEPTION 'something else hangs on the columns that this file drops: drop it first' USING DETAIL = idgen_strangers;
    END IF;
  END IF;
END
$idgen$

--! Each file calls this first.
CREATE OR REPLACE FUNCTION {{ p.schema }}.begins(idgen_file text, idgen_fingerprint text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
BEGIN
  IF EXISTS (SELECT FROM {{ p.schema }}.plan AS p WHERE p.fingerprint <> idgen_fingerprint) THEN
    RAISE EXCEPTION 'this file is not of the plan that is at work on these tables: use the folder of that one, or go back with it first';
  END IF;
  PERFORM {{ p.schema }}.requires(idgen_file);
  UPDATE {{ p.schema }}.steps AS s SET state = CASE WHEN idgen_file LIKE 'undo/%' THEN 'undoing' ELSE 'open' END, begun = clock_timestamp(), ended = NULL,
    session = pg_backend_pid(), account = session_user WHERE s.step = replace(idgen_file, 'undo/', '');
END
$idgen$

--! Each file calls this last.
CREATE OR REPLACE FUNCTION {{ p.schema }}.ends(idgen_file text) RETURNS void LANGUAGE sql SET search_path = pg_catalog AS $idgen$
  UPDATE {{ p.schema }}.steps AS s SET state = CASE WHEN idgen_file LIKE 'undo/%' THEN 'new' ELSE 'done' END, ended = clock_timestamp(),
    signature = (SELECT string_agg(format('%s %s', t.name, t.generation), ', ' ORDER BY t.name) FROM {{ p.schema }}.tables AS t)
    WHERE s.step = replace(idgen_file, 'undo/', '')
$idgen$
{% endmacro %}
