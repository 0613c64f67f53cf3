{#- Strings are quoted as names, unless they pass through `literal` or `safe`, or come from a macro. -#}

{%- macro table(t) %}{{ t.schema }}.{{ t.name }}{% endmacro %}

{%- macro at(table) %}{% if table %}{{ table|safe }}.{% endif %}{% endmacro %}

{#- A value of the old column as uuid. -#}
{%- macro uuid(of, name, c) -%}
{% if c.spelling == "bytes" %}CAST(encode({{ at(of) }}{{ name }}, 'hex') AS uuid)
{%- else %}CAST(CAST({{ at(of) }}{{ name }} AS text) AS uuid){% endif %}
{%- endmacro %}

{#- Whether a value of the old column is an id. -#}
{%- macro is_id(of, name, c) -%}
{% if c.spelling == "bytes" %}octet_length({{ at(of) }}{{ name }}) = 16
{%- else %}CAST({{ at(of) }}{{ name }} AS text) COLLATE "C" ~* '^(([0-9a-f]{4}-?){7}[0-9a-f]{4}|\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\})$'{% endif %}
{%- endmacro %}

{#- A uuid as the old column writes it. -#}
{%- macro old(of, name, c) -%}
{% set value %}{{ at(of) }}{{ name }}{% endset -%}
{{ value|written(c.spelling) }}
{%- endmacro %}

{#- A row has two foreign keys for one: of the columns that count, and of those that follow. If the action of the second comes first, it
    must not change the row, because the action of the first would not find it any more. -#}
{%- macro skip_action(columns, counts, follows) %}
  IF TG_OP = 'UPDATE' AND pg_trigger_depth() > 1
    AND {% for c in columns %}NEW.{{ c[counts] }} IS NOT DISTINCT FROM OLD.{{ c[counts] }} AND {% endfor %}
    ({% for c in columns %}NEW.{{ c[follows] }} IS DISTINCT FROM OLD.{{ c[follows] }}{% if not loop.last %} OR {% endif %}{% endfor %}) THEN
    RETURN NULL;
  END IF;
{%- endmacro %}

{#- Short locks in one transaction. While it waits, others wait behind it: so it waits briefly, and tries again later. -#}
{%- macro retried(tables) %}
DO $idgen$
DECLARE
  idgen_attempt integer := 0;
  idgen_users text;
BEGIN
  LOOP
    idgen_attempt := idgen_attempt + 1;
    BEGIN
      SET LOCAL lock_timeout = '300ms';
      LOCK TABLE {% for t in tables %}{{ table(t) }}{% if not loop.last %}, {% endif %}{% endfor %} IN ACCESS EXCLUSIVE MODE;
{{ caller() }}
      EXIT;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      SELECT string_agg(DISTINCT format('%s (%s, %s)', a.pid, a.application_name, a.state), ', ') INTO idgen_users
        FROM pg_locks AS l JOIN pg_stat_activity AS a ON a.pid = l.pid
        WHERE l.granted AND l.pid <> pg_backend_pid() AND l.relation IN (
          {%- for t in tables %}{{ table(t)|literal }}::regclass{% if not loop.last %}, {% endif %}{% endfor %});
      IF idgen_attempt >= 20 THEN
        RAISE EXCEPTION 'the tables were in use in % attempts, and nothing was changed', idgen_attempt
          USING DETAIL = 'Processes that hold locks: ' || COALESCE(idgen_users, 'none any more'),
            HINT = 'End transactions that stay open, then execute the file again.';
      END IF;
      RAISE NOTICE 'attempt %: the tables are in use by %', idgen_attempt, COALESCE(idgen_users, 'none any more');
    END;
    COMMIT;
    PERFORM pg_sleep(least(0.5 * 2 ^ (idgen_attempt - 1), 30));
  END LOOP;
END
$idgen$
{%- endmacro %}

{#- Goes through a table in chunks of blocks, each in a transaction of its own. Rows that move do so by an update, which
    the triggers see. A file that was rewritten begins again. -#}
{%- macro walk(s, t, task) %}
CREATE OR REPLACE PROCEDURE {{ s }}.{{ t.tag ~ "_" ~ task }}() LANGUAGE plpgsql AS $idgen$
DECLARE
  idgen_file oid := pg_relation_filenode({{ table(t)|literal }}::regclass);
  idgen_at bigint;
  idgen_begin bigint;
  idgen_end bigint;
  idgen_step bigint;
  idgen_rows bigint;
  idgen_wrong bigint;
  idgen_from timestamptz := clock_timestamp();
  idgen_said timestamptz := clock_timestamp();
BEGIN
  INSERT INTO {{ s }}.progress AS p (task, name, file) VALUES ({{ task|literal }}, {{ t.shown|literal }}, idgen_file)
    ON CONFLICT (task, name) DO UPDATE SET file = excluded.file, next_block = 0, done = false
    WHERE p.file <> excluded.file;
  SELECT p.next_block INTO STRICT idgen_at FROM {{ s }}.progress AS p
    WHERE p.task = {{ task|literal }} AND p.name = {{ t.shown|literal }};
  idgen_begin := idgen_at;
  idgen_end := pg_relation_size({{ table(t)|literal }}::regclass) / current_setting('block_size')::bigint;
  COMMIT;
  WHILE idgen_at < idgen_end LOOP
    CALL {{ s }}.pause();
    SELECT s.chunk_blocks INTO STRICT idgen_step FROM {{ s }}.settings AS s;
    BEGIN
      -- Shorter than deadlock_timeout, so that never another session is ended for this one.
      SET LOCAL lock_timeout = '500ms';
{{ caller() }}
      idgen_at := idgen_at + idgen_step;
      UPDATE {{ s }}.progress AS p SET next_block = idgen_at, rows = p.rows + idgen_rows, wrong = p.wrong + idgen_wrong,
        changed_at = clock_timestamp() WHERE p.task = {{ task|literal }} AND p.name = {{ t.shown|literal }};
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      RAISE NOTICE '%: rows of the blocks from % on are locked, and are tried again', {{ t.shown|literal }}, idgen_at;
    END;
    COMMIT;
    IF clock_timestamp() > idgen_said + interval '10 seconds' THEN
      idgen_said := clock_timestamp();
      RAISE NOTICE '%: % of % blocks, about % more seconds', {{ t.shown|literal }}, idgen_at, idgen_end,
        CASE WHEN idgen_at > idgen_begin THEN round(extract(epoch FROM idgen_said - idgen_from)
          * greatest(idgen_end - idgen_at, 0) / (idgen_at - idgen_begin)) END;
    END IF;
  END LOOP;
  UPDATE {{ s }}.progress AS p SET done = true WHERE p.task = {{ task|literal }} AND p.name = {{ t.shown|literal }}
    RETURNING p.rows INTO idgen_rows;
  RAISE NOTICE '%: % rows', {{ t.shown|literal }}, idgen_rows;
END
$idgen$
{%- endmacro %}

{#- Everything that depends on the columns that change, and everything of their tables that the plan relies on, one text each.
    The plan is made for it. The search path must be `pg_catalog`, so that all names are complete. -#}
{%- macro shape(tables) -%}
SELECT k.shown || ': ' || s.what AS what FROM (VALUES
{%- for t in tables %}{% for c in t.columns %}
 (to_regclass({{ table(t)|literal }}), {{ c.name|literal }}, {{ (t.shown ~ "." ~ c.name)|literal }}){% if not loop.last %},{% endif %}{% endfor %}{% if not loop.last %},{% endif %}{% endfor %}
) AS k (id, name, shown)
JOIN pg_attribute AS a ON a.attrelid = k.id AND a.attname = k.name AND NOT a.attisdropped
CROSS JOIN LATERAL (
  SELECT 'type ' || format_type(a.atttypid, a.atttypmod)
  UNION ALL SELECT 'default ' || pg_get_expr(d.adbin, d.adrelid) FROM pg_attrdef AS d WHERE (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
  UNION ALL SELECT 'NOT NULL' WHERE a.attnotnull
  UNION ALL SELECT 'privileges ' || a.attacl::text WHERE a.attacl IS NOT NULL
  UNION ALL SELECT DISTINCT concat_ws(' ', i.type, i.identity,
      CASE d.classid WHEN 'pg_class'::regclass THEN pg_get_indexdef(d.objid)
        WHEN 'pg_constraint'::regclass THEN pg_get_constraintdef(d.objid) END)
    FROM pg_depend AS d CROSS JOIN pg_identify_object(d.classid, d.objid, d.objsubid) AS i
    WHERE d.refclassid = 'pg_class'::regclass AND (d.refobjid, d.refobjsubid) = (a.attrelid, a.attnum) AND d.deptype IN ('n', 'a')
) AS s (what)
UNION SELECT k.shown || ': ' || s.what FROM (VALUES
{%- for t in tables %}
 (to_regclass({{ table(t)|literal }}), {{ t.shown|literal }}){% if not loop.last %},{% endif %}{% endfor %}
) AS k (id, shown)
CROSS JOIN LATERAL (
  SELECT 'trigger ' || t.tgname || ' ' || t.tgenabled::text FROM pg_trigger AS t
    WHERE t.tgrelid = k.id AND NOT t.tgisinternal AND t.tgname NOT LIKE 'zzz\_idgen\_%'
  UNION ALL SELECT 'rule ' || r.rulename FROM pg_rewrite AS r WHERE r.ev_class = k.id
  UNION ALL SELECT 'inherits' FROM pg_inherits AS i WHERE k.id IN (i.inhrelid, i.inhparent)
  UNION ALL SELECT 'FORCE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = k.id AND c.relforcerowsecurity
) AS s (what)
{%- endmacro %}

{#- The differences between that and what it was when the plan was made; NULL if there is none. -#}
{%- macro changed(tables, shape_then) -%}
SELECT array_agg(COALESCE('new since the plan was made: ' || (CASE WHEN t.what IS NULL THEN n.what END),
  'gone since the plan was made: ' || t.what) ORDER BY COALESCE(n.what, t.what))
FROM (
{{ shape(tables) }}
) AS n FULL JOIN unnest({{ shape_then|literals }}) AS t (what) ON t.what = n.what
WHERE t.what IS NULL OR n.what IS NULL
{%- endmacro %}

{#- Changes each column of the tables in the same way. -#}
{%- macro each_column(tables, action, name, ending="") -%}
{% for t in tables %}
      ALTER TABLE {{ table(t) }}
{% for c in t.columns %}
        {{ action|safe }} {{ c[name] }}{{ ending|safe }}{% if not loop.last %},{% else %};{% endif +%}
{% endfor %}
{% endfor %}
{%- endmacro %}

{#- Before the switch, steps and ways back work on the new columns. After it, they would break the writes of clients. -#}
{%- macro not_switched(s) %}
      IF to_regclass({{ table({"schema": s, "name": "state"})|literal }}) IS NOT NULL THEN
        IF {{ switched(s) }} THEN
          RAISE EXCEPTION 'the switch has been made' USING HINT = 'Execute undo/ of the switch before this file.';
        END IF;
      END IF;
{%- endmacro %}

{#- The constraints of the new columns. -#}
{%- macro drop_constraints(tables, keys) %}
{% for k in keys %}
      ALTER TABLE {{ table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.new }};
{% endfor %}
{% for t in tables %}
{% for c in t.columns if c.not_null %}
      ALTER TABLE {{ table(t) }} DROP CONSTRAINT IF EXISTS {{ c.check }};
{% endfor %}
{% endfor %}
{%- endmacro %}

{#- Whether a table has a constraint. -#}
{%- macro has(t, constraint) -%}
EXISTS (SELECT FROM pg_constraint WHERE conrelid = {{ table(t)|literal }}::regclass AND conname = {{ constraint|literal }})
{%- endmacro %}

{#- Whether an index is there, and a killed run did not leave it incomplete. -#}
{%- macro valid(schema, index) -%}
EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass({{ table({"schema": schema, "name": index})|literal }}) AND indisvalid)
{%- endmacro %}

{#- An index that a killed run left is not valid. -#}
{%- macro invalid(schema, index) -%}
EXISTS (SELECT FROM pg_index WHERE indexrelid = to_regclass({{ table({"schema": schema, "name": index})|literal }}) AND NOT indisvalid)
{%- endmacro %}

{#- Whether the switch has been made, and not undone. -#}
{%- macro switched(s) -%}
EXISTS (SELECT FROM {{ s }}.state WHERE step = 'switched')
{%- endmacro %}

{#- What an index has beside its definition, after another index has taken its name. -#}
{%- macro about_index(t, i) %}
{% if i.comment %}
      COMMENT ON INDEX {{ t.schema }}.{{ i.name }} IS {{ i.comment|literal }};
{% endif %}
{% if i.constraint_comment %}
      COMMENT ON CONSTRAINT {{ i.name }} ON {{ table(t) }} IS {{ i.constraint_comment|literal }};
{% endif %}
{% if i.clustered %}
      ALTER TABLE {{ table(t) }} CLUSTER ON {{ i.name }};
{% endif %}
{%- endmacro %}

{#- The same for a foreign key. -#}
{%- macro about_key(k, name) %}
{% if k.comment %}
      COMMENT ON CONSTRAINT {{ name }} ON {{ table(k.child) }} IS {{ k.comment|literal }};
{% endif %}
{%- endmacro %}
