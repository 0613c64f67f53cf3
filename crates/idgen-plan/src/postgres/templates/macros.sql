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
{%- else %}CAST({{ at(of) }}{{ name }} AS text) ~* '^(([0-9a-f]{4}-?){7}[0-9a-f]{4}|\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\})$'{% endif %}
{%- endmacro %}

{#- A uuid as the old column writes it. -#}
{%- macro old(of, name, c) -%}
{% set value %}{{ at(of) }}{{ name }}{% endset -%}
{{ value|written(c.spelling) }}
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
