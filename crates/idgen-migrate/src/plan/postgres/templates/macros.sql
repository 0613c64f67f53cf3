{#- Strings are quoted as names, unless they pass through `literal` or `safe`, or come from a macro. -#}

{%- macro table(t) %}{{ t.schema }}.{{ t.name }}{% endmacro %}

{#- A function of the plan, as the catalog looks it up. -#}
{%- macro routine(schema, name, arguments) %}{{ schema }}.{{ name }}({{ arguments|safe }}){% endmacro %}

{%- macro at(table) %}{% if table %}{{ table|safe }}.{% endif %}{% endmacro %}

{#- A value of the old column in the new type. Triggers of the plan evaluate it in sessions of the application, which may have a type, a
    function or a temporary table with each of these names. -#}
{%- macro converted(of, name, c) -%}
{% if c.spelling == "integer" %}CAST({{ at(of) }}{{ name }} AS pg_catalog.int8)
{%- elif c.spelling == "bytes" %}CAST(pg_catalog.encode({{ at(of) }}{{ name }}, 'hex') AS pg_catalog.uuid)
{%- else %}CAST(CAST({{ at(of) }}{{ name }} AS pg_catalog.text) AS pg_catalog.uuid){% endif %}
{%- endmacro %}

{#- Whether a value of the old column is an id. The server's own check takes a tenth of the time of the regular expression. -#}
{%- macro is_id(of, name, c, version) -%}
{% if c.spelling == "bytes" %}pg_catalog.octet_length({{ at(of) }}{{ name }}) = 16
{%- elif version >= 160000 %}pg_catalog.pg_input_is_valid(CAST({{ at(of) }}{{ name }} AS pg_catalog.text), 'uuid')
{%- else %}CAST({{ at(of) }}{{ name }} AS pg_catalog.text) COLLATE "C" OPERATOR(pg_catalog.~*) '^(([0-9a-f]{4}-?){7}[0-9a-f]{4}|\{([0-9a-f]{4}-?){7}[0-9a-f]{4}\})$'{% endif %}
{%- endmacro %}

{#- A value of the new column as the old one writes it. -#}
{%- macro old(of, name, c) -%}
{% set value %}{{ at(of) }}{{ name }}{% endset -%}
{{ value|written(c.spelling) }}
{%- endmacro %}

{#- The old and the new key of a row are the same. -#}
{%- macro same(c, new, old) -%}
{{ c[new] }} IS NOT DISTINCT FROM {{ converted("", c[old], c) }}
{%- endmacro %}

{#- A row has two foreign keys for one: of the columns that count, and of those that follow. If the action of the second comes first, it
    must not change the row, because the action of the first would not find it any more. A statement of a trigger of the application is no
    action, and its changes of other columns stay. The two differ in the statement: an action executes UPDATE ONLY, with quoted names. The first
    line of the context is this function, and the second one begins with a few words before the statement, in the server's language. -#}
{%- macro skip_action(t, follows) %}
{% set action %}UPDATE ONLY {{ table(t) }} SET {% endset %}
  IF TG_OP OPERATOR(pg_catalog.=) 'UPDATE' AND pg_catalog.pg_trigger_depth() OPERATOR(pg_catalog.>) 1
    AND ({% for c in t.columns %}{{ differs(c[follows]) }}{% if not loop.last %} OR {% endif %}{% endfor %}) THEN
    GET DIAGNOSTICS idgen_context = PG_CONTEXT;
    idgen_context := pg_catalog.substr(idgen_context, pg_catalog.strpos(idgen_context, E'\n') OPERATOR(pg_catalog.+) 1);
    idgen_context := pg_catalog.split_part(idgen_context, ' WHERE ', 1);
    IF pg_catalog.strpos(pg_catalog.left(idgen_context, {{ action|length + 40 }}), {{ action|literal }}) OPERATOR(pg_catalog.>) 0
      AND ({% for c in t.columns %}{% set column %}{{ c[follows] }} = {% endset %}pg_catalog.strpos(idgen_context, {{ column|literal }}) OPERATOR(pg_catalog.>) 0{% if not loop.last %} OR {% endif %}{% endfor %}) THEN
      RETURN NULL;
    END IF;
  END IF;
{%- endmacro %}

{#- Whether an UPDATE changes a column. IS DISTINCT FROM would take an operator of the session's path. -#}
{%- macro differs(name) -%}
NOT COALESCE(NEW.{{ name }} OPERATOR(pg_catalog.=) OLD.{{ name }}, NEW.{{ name }} IS NULL AND OLD.{{ name }} IS NULL)
{%- endmacro %}

{#- The sessions and prepared transactions that hold locks on the tables, as a person knows them. Other roles' sessions show less. -#}
{%- macro holders(tables) -%}
SELECT string_agg(DISTINCT CASE
    WHEN l.pid IS NULL THEN COALESCE((SELECT format('the prepared transaction %L of %s (COMMIT PREPARED or ROLLBACK PREPARED ends it)', p.gid, p.owner)
      FROM pg_catalog.pg_prepared_xacts AS p WHERE p.transaction IN (
        SELECT x.transactionid FROM pg_catalog.pg_locks AS x WHERE x.pid IS NULL AND x.virtualtransaction = l.virtualtransaction)), 'a prepared transaction')
    WHEN a.query LIKE 'autovacuum:%to prevent wraparound%' THEN format('%s (autovacuum to prevent wraparound, which does not give way: wait for its end, see pg_stat_progress_vacuum)', l.pid)
    WHEN a.query ~* '^\s*vacuum\M' AND a.state = 'active' THEN format('%s (VACUUM of the role %s, which does not give way: wait for its end, see pg_stat_progress_vacuum, or pg_cancel_backend ends it)', l.pid, a.usename)
    WHEN a.backend_type = 'autovacuum worker' THEN format('%s (autovacuum)', l.pid)
    WHEN a.datname IS NULL OR a.backend_type IS NULL AND a.usename IS NULL THEN format('%s (a process of the server, such as autovacuum)', l.pid)
    ELSE format('%s (%s)', l.pid, concat_ws(', ', NULLIF(a.application_name, ''), 'role ' || a.usename, a.state, 'since ' || date_trunc('second', a.xact_start))) END, ', ')
  FROM pg_catalog.pg_locks AS l LEFT JOIN pg_catalog.pg_stat_activity AS a ON a.pid = l.pid
  WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid() AND l.locktype IN ('relation', 'tuple')
    AND l.database = (SELECT d.oid FROM pg_catalog.pg_database AS d WHERE d.datname = current_database()) AND l.relation IN (
    {%- for t in tables %}to_regclass({{ table(t)|literal }}){% if not loop.last %}, {% endif %}{% endfor %})
{%- endmacro %}

{#- The tables with these names, as far as there are any. -#}
{%- macro existing(tables) -%}
ARRAY(SELECT r.oid FROM pg_catalog.pg_class AS r WHERE r.relkind = 'r' AND r.oid IN (
    {%- for t in tables %}to_regclass({{ table(t)|literal }}){% if not loop.last %}, {% endif %}{% endfor %}) ORDER BY r.oid)
{%- endmacro %}

{#- Short locks in one transaction. Sessions that come later wait behind a lock that waits: so all locks together wait briefly, and try
    again later. First comes a lock for which nobody who reads or writes has to wait: autovacuum gives way to it after deadlock_timeout,
    as to any ALTER TABLE, and other work on the structure of the tables is waited for here. If some tables may be missing, those that are
    there are locked, and `idgen_there` has them. -#}
{%- macro retried(tables, variables="", missing=false) %}
DO $idgen$
DECLARE
  idgen_attempt integer := 0;
  idgen_end timestamptz;
  idgen_users text;
{% if variables %}
  {{ variables|safe }}
{% endif %}
BEGIN
  LOOP
    idgen_attempt := idgen_attempt + 1;
    BEGIN
      PERFORM set_config('lock_timeout', round(extract(epoch FROM current_setting('deadlock_timeout')::interval) * 1000 + 1000) || 'ms', true);
{% if missing %}
      idgen_there := {{ existing(tables) }};
      FOR idgen_at IN 1 .. cardinality(idgen_there) LOOP
        EXECUTE format('LOCK TABLE %s IN SHARE UPDATE EXCLUSIVE MODE', idgen_there[idgen_at]::regclass);
      END LOOP;
{% else %}
      LOCK TABLE {% for t in tables %}{{ table(t) }}{% if not loop.last %}, {% endif %}{% endfor %} IN SHARE UPDATE EXCLUSIVE MODE;
{% endif %}
      idgen_end := clock_timestamp() + interval '300 ms';
{% if missing %}
      FOR idgen_at IN 1 .. cardinality(idgen_there) LOOP
        PERFORM set_config('lock_timeout', greatest(1, round(extract(epoch FROM idgen_end - clock_timestamp()) * 1000)) || 'ms', true);
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', idgen_there[idgen_at]::regclass);
      END LOOP;
      -- Under the locks, names no longer change hands.
      IF idgen_there <> {{ existing(tables) }} THEN
        RAISE lock_not_available;
      END IF;
{% else %}
{% for t in tables %}
      PERFORM set_config('lock_timeout', greatest(1, round(extract(epoch FROM idgen_end - clock_timestamp()) * 1000)) || 'ms', true);
      LOCK TABLE {{ table(t) }} IN ACCESS EXCLUSIVE MODE;
{% endfor %}
{% endif %}
      SET LOCAL lock_timeout = '300ms';
{{ caller() }}
      EXIT;
    EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
      idgen_users := (
{{ holders(tables) }}
      );
      IF idgen_attempt >= 20 THEN
        RAISE EXCEPTION 'the tables were in use in % attempts, and nothing was changed', idgen_attempt
          USING DETAIL = 'Locks are held by ' || COALESCE(idgen_users, 'nobody any more'),
            HINT = 'End transactions that stay open, then execute the file again.';
      END IF;
      RAISE NOTICE 'attempt %: the tables are in use by %', idgen_attempt, COALESCE(idgen_users, 'nobody any more');
    END;
    COMMIT;
    PERFORM pg_sleep(least(0.5 * 2 ^ (idgen_attempt - 1), 30));
  END LOOP;
END
$idgen$
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

{#- Fails unless the file can be executed now, and writes down that it has begun. -#}
{%- macro begins(p, file) %}
DO $idgen$
BEGIN
  IF to_regprocedure({{ routine(p.schema, "begins", "text, text")|literal }}) IS NULL THEN
{{ not_begun(p) }}
  END IF;
  PERFORM {{ p.schema }}.begins({{ file|literal }}, {{ p.fingerprint|literal }});
END
$idgen$
{%- endmacro %}

{#- Whether the key has the type that the plan gives it, while the schema of the plan is not there. -#}
{%- macro finished(p) -%}
EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = to_regclass({{ table(p.sign)|literal }})
        AND a.attname = {{ p.sign.column|literal }} AND a.atttypid = CAST({{ ("pg_catalog.int8" if p.integers else "pg_catalog.uuid")|literal }} AS regtype))
{%- endmacro %}

{#- The schema of the plan is not there. -#}
{%- macro not_begun(p) %}
    RAISE EXCEPTION '%', CASE WHEN {{ finished(p) }}
      THEN 'this plan is finished: its last step was executed'
      ELSE {{ ("this plan has not begun, or was undone: the next file is " ~ p.files.prepare)|literal }} END;
{%- endmacro %}

{#- Writes down that the file has done its work. -#}
{%- macro ends(p, file) %}
DO $idgen$
BEGIN
  PERFORM {{ p.schema }}.ends({{ file|literal }});
END
$idgen$
{%- endmacro %}

{#- The same conditions once more, under the lock under which the file acts. -#}
{%- macro required(p, file) %}
      PERFORM {{ p.schema }}.requires({{ file|literal }});
{%- endmacro %}

{#- The constraints of the new columns. -#}
{%- macro drop_constraints(tables, keys) %}
{% for k in keys %}
      ALTER TABLE {{ table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.new }};
{% endfor %}
{% for t in tables %}
{% for c in t.columns %}
      ALTER TABLE {{ table(t) }} DROP CONSTRAINT IF EXISTS {{ c.same }};
{% if c.not_null %}
      ALTER TABLE {{ table(t) }} DROP CONSTRAINT IF EXISTS {{ c.check }};
{% endif %}
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
(SELECT p.switched FROM {{ s }}.plan AS p)
{%- endmacro %}

{#- What an index has beside its definition, after another index has taken its name. -#}
{%- macro about_index(t, i) %}
{% if i.comment %}
      COMMENT ON INDEX {{ t.schema }}.{{ i.name }} IS {{ i.comment|literal }};
{% endif %}
{% for extension in i.extensions %}
      ALTER INDEX {{ t.schema }}.{{ i.name }} DEPENDS ON EXTENSION {{ extension }};
{% endfor %}
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
