{% import "macros.sql" as m -%}
{% import "attached.sql" as a -%}
{#- The number of a column of a table; NULL if there is none. -#}
{% macro number(t, name) -%}
(SELECT a.attnum FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = to_regclass({{ m.table(t)|literal }}) AND a.attname = {{ name|literal }} AND NOT a.attisdropped)
{%- endmacro -%}
{#- Whether the old column has the name that the switch gives it. It was there before the new one, also in a database that was restored from a
    dump. The empty column of this name that a way back leaves came later. -#}
{% macro switched(t, c) -%}
COALESCE({{ number(t, c.kept) }} < {{ number(t, c.name) }}, false)
{%- endmacro -%}
{#- Whether a table is there, and locked. -#}
{% macro there(t) -%}
to_regclass({{ m.table(t)|literal }}) = ANY (idgen_there)
{%- endmacro -%}
--! Removes all parts of the plan, in one transaction.
{% call m.retried(tables, "idgen_there oid[]; idgen_other text; idgen_path text; idgen_switched text[]; idgen_waiting text[];", true) %}
      IF to_regclass({{ m.table({"schema": schema, "name": "plan"})|literal }}) IS NOT NULL THEN
        EXECUTE {{ ('SELECT min(p.fingerprint) FROM "' ~ schema ~ '".plan AS p')|literal }} INTO idgen_other;
        IF idgen_other <> {{ fingerprint|literal }} THEN
          RAISE EXCEPTION 'this file is not of the plan that is at work on these tables: use the folder of that one';
        END IF;
      END IF;
      -- Parts of the plan on tables with other names: the triggers would go with the schema, and the constraints would stay.
      SELECT min(x.what) INTO idgen_other FROM (
        SELECT format('the table %s has a trigger of this plan, and is none of its tables by name: give it its name and its schema back, or drop it', g.tgrelid::regclass)
          FROM pg_catalog.pg_trigger AS g WHERE g.tgname IN ({{ forward|literal }}, {{ reverse|literal }}) AND g.tgrelid <> ALL (idgen_there)
        UNION ALL SELECT format('the constraint %1$I of %2$s belongs to this plan, and the table is none of its tables by name: give it its name and its schema back, or execute ALTER TABLE %2$s DROP CONSTRAINT %1$I',
            o.conname, o.conrelid::regclass)
          FROM pg_catalog.pg_constraint AS o WHERE o.contype IN ('c', 'f') AND o.conrelid <> 0 AND o.conrelid <> ALL (idgen_there) AND {{ a.own("o.conname", id) }}) AS x (what);
      IF idgen_other IS NOT NULL THEN
        RAISE EXCEPTION '%', idgen_other;
      END IF;
      -- The names of the columns, and for those before the switch that the old ones are in their place.
      SELECT array_agg(k.shown ORDER BY k.shown) FILTER (WHERE k.switched), array_agg(k.shown ORDER BY k.shown) FILTER (WHERE NOT k.switched),
          min(CASE WHEN k.number IS NULL THEN format('the column %s is not there, and %s may have the only copy of its values: rename that one to it, or drop it, and execute this file again', k.shown, k.new)
            WHEN k.switched AND NOT k.is_new THEN format('the column %s has neither the old nor the new type of this plan: give it the type %s, or rename the columns of the plan', k.shown, {{ new_type|literal }}) END)
        INTO idgen_switched, idgen_waiting, idgen_other FROM (VALUES
{%- for t in tables %}{% for c in t.columns %}
          ({{ there(t) }} AND ({{ number(t, c.new) }} IS NOT NULL OR {{ number(t, c.kept) }} IS NOT NULL), {{ (t.shown ~ "." ~ c.name)|literal }}, {{ c.new|literal }}, {{ number(t, c.name) }}, {{ switched(t, c) }},
            (SELECT a.atttypid FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = to_regclass({{ m.table(t)|literal }}) AND a.attname = {{ c.name|literal }} AND NOT a.attisdropped)
              = CAST({{ ("pg_catalog.int8" if integers else "pg_catalog.uuid")|literal }} AS regtype)){% if not loop.last %},{% endif %}{% endfor %}{% if not loop.last %},{% endif %}{% endfor %}

        ) AS k (there, shown, new, number, switched, is_new) WHERE k.there;
      IF idgen_other IS NOT NULL THEN
        RAISE EXCEPTION '%', idgen_other;
      END IF;
      IF idgen_waiting IS NOT NULL THEN
        idgen_path := current_setting('search_path');
        PERFORM set_config('search_path', 'pg_catalog', true);
        SELECT string_agg(substr(n.what, 2), E'\n' ORDER BY n.what) INTO idgen_other FROM (
{{ a.attached(tables, id, texts, version) }}
        ) AS n WHERE n.what LIKE '*%';
        PERFORM set_config('search_path', idgen_path, true);
        IF idgen_other IS NOT NULL THEN
          RAISE EXCEPTION 'something else hangs on the columns that this file drops: drop it first' USING DETAIL = idgen_other;
        END IF;
      END IF;
      SET LOCAL client_min_messages = warning;
      -- First what refuses rows.
{% for k in keys %}
      IF {{ there(k.child) }} THEN
        ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.new }};
        ALTER TABLE {{ m.table(k.child) }} DROP CONSTRAINT IF EXISTS {{ k.kept }};
      END IF;
{% endfor %}
{% for t in tables %}
      IF {{ there(t) }} THEN
{% for c in t.columns %}
        ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT IF EXISTS {{ c.same }};
        ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT IF EXISTS {{ c.check }};
        IF {{ switched(t, c) }} THEN
          ALTER TABLE {{ m.table(t) }} ALTER COLUMN {{ c.kept }} DROP NOT NULL;
        END IF;
{% endfor %}
{% for i in t.indexes if i.nulls_not_distinct and i.unique %}
        -- New rows have no old key, and this index would take the second of them for a duplicate.
        ALTER TABLE {{ m.table(t) }} DROP CONSTRAINT IF EXISTS {{ i.kept }};
        DROP INDEX IF EXISTS {{ t.schema }}.{{ i.kept }};
{% endfor %}
      END IF;
{% endfor %}
      -- Then what writes the columns.
{% for t in tables %}
      IF {{ there(t) }} THEN
        DROP TRIGGER IF EXISTS {{ forward }} ON {{ m.table(t) }};
        DROP TRIGGER IF EXISTS {{ reverse }} ON {{ m.table(t) }};
      END IF;
{% endfor %}
      -- Then the columns that nobody needs.
{% for t in tables %}
{% for c in t.columns %}
      IF {{ there(t) }} AND {{ switched(t, c) }} THEN
        ALTER TABLE {{ m.table(t) }} DROP COLUMN IF EXISTS {{ c.new }};
      ELSIF {{ there(t) }} AND {{ number(t, c.new) }} IS NOT NULL THEN
{% if keep_text and version >= 180000 %}
        IF EXISTS (SELECT FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = to_regclass({{ m.table(t)|literal }}) AND a.attname = {{ c.text|literal }} AND a.attgenerated <> '') THEN
          ALTER TABLE {{ m.table(t) }} DROP COLUMN {{ c.text }};
        END IF;
{% elif keep_text %}
        IF (SELECT r.relkind FROM pg_catalog.pg_class AS r WHERE r.oid = to_regclass({{ m.table({"schema": t.schema, "name": t.view})|literal }})) = 'v' THEN
          DROP VIEW {{ t.schema }}.{{ t.view }};
        END IF;
{% endif %}
        ALTER TABLE {{ m.table(t) }} DROP COLUMN {{ c.new }};
        ALTER TABLE {{ m.table(t) }} DROP COLUMN IF EXISTS {{ c.kept }};
      END IF;
{% endfor %}
{% endfor %}
{% if integers %}
      IF idgen_switched IS NOT NULL AND to_regprocedure({{ m.routine(schema, "widens_sequences", "")|literal }}) IS NOT NULL THEN
        PERFORM {{ schema }}.widens_sequences();
      ELSIF idgen_switched IS NOT NULL THEN
        RAISE WARNING 'the schema of the plan is not there, so the sequences of % may still end with the smaller type: execute ALTER SEQUENCE … AS bigint for each', array_to_string(idgen_switched, ', ');
      END IF;
{% endif %}
      DROP SCHEMA IF EXISTS {{ schema }} CASCADE;
      SET LOCAL client_min_messages = notice;
      IF idgen_switched IS NOT NULL THEN
        RAISE NOTICE 'the switch had been made: these columns have the new keys: %. The old columns, whose names end in {{ ("_" ~ id ~ "_old")|safe }}, stay with their values, and new rows have none there. Drop them when nobody needs them',
          array_to_string(idgen_switched, ', ');
      END IF;
      IF idgen_waiting IS NOT NULL THEN
        RAISE NOTICE 'these columns have the old keys, and the new columns are dropped: %', array_to_string(idgen_waiting, ', ');
      END IF;
      IF idgen_switched IS NULL AND idgen_waiting IS NULL THEN
        RAISE NOTICE 'no table of the plan has columns of it';
      END IF;
{% endcall %}
