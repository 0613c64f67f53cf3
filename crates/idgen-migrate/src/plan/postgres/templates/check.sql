{% import "macros.sql" as m -%}
{% import "attached.sql" as a -%}
{% import "rights.sql" as r -%}
{% macro as_id(t, name) %}
{%- set found = t.columns|selectattr("name", "eq", name)|list -%}
{%- if found %}CASE WHEN {{ m.is_id("", name, found[0], version) }} THEN {{ m.converted("", name, found[0]) }} END{% else %}{{ name }}{% endif %}
{%- endmacro -%}
--! Fails if the tables are not as they were when the plan was made.
DO $idgen$
BEGIN
  IF to_regprocedure({{ m.routine(schema, "begins", "text, text")|literal }}) IS NOT NULL THEN
    PERFORM {{ schema }}.begins('check', {{ fingerprint|literal }});
    RETURN;
  END IF;
{{ a.fails_if_changed(p) }}
END
$idgen$

--! Fails if the role lacks a right that a later step needs.
{{ r.required(p) }}

--! Counts the rows that cannot be changed, and fails with all of them.
DO $idgen$
DECLARE
  idgen_problems text[] := '{}';
  idgen_rows bigint;
  idgen_lengths text;
  idgen_found record;
BEGIN
{# The copy updates each row, so constraints that were never checked for existing rows are checked then. #}
  FOR idgen_found IN SELECT o.conrelid::regclass::text AS name, o.conname AS constraint_name, CASE o.contype WHEN 'c' THEN format('NOT (%s)', pg_get_expr(o.conbin, o.conrelid))
      ELSE (SELECT format('%I IS NULL', a.attname) FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = o.conrelid AND a.attnum = o.conkey[1]) END AS broken
    FROM pg_catalog.pg_constraint AS o WHERE o.contype IN ('c', 'n') AND NOT o.convalidated AND COALESCE(to_jsonb(o) ->> 'conenforced', 'true') = 'true'
      AND o.conname NOT LIKE {{ ("%\\_" ~ id ~ "\\_%")|literal }}
      AND o.conrelid IN ({% for t in tables %}{{ m.table(t)|literal }}::regclass{% if not loop.last %}, {% endif %}{% endfor %}) ORDER BY 1, 2
  LOOP
    EXECUTE format('SELECT count(*) FROM %s WHERE %s', idgen_found.name, idgen_found.broken) INTO idgen_rows;
    IF idgen_rows > 0 THEN
      idgen_problems := idgen_problems || format('%s rows of %s break its constraint %I, which is not valid, so the copy cannot update them: correct them, or drop the constraint for the change: SELECT * FROM %s WHERE %s;',
        idgen_rows, idgen_found.name, idgen_found.constraint_name, idgen_found.name, idgen_found.broken);
    END IF;
  END LOOP;
  FOR idgen_found IN SELECT r.oid::regclass::text AS name, string_agg(p.pubname, ', ' ORDER BY p.pubname) AS publications
    FROM pg_catalog.pg_class AS r JOIN pg_catalog.pg_namespace AS n ON n.oid = r.relnamespace
      JOIN pg_catalog.pg_publication_tables AS e ON (e.schemaname, e.tablename) = (n.nspname, r.relname)
      JOIN pg_catalog.pg_publication AS p ON p.pubname = e.pubname AND p.pubupdate
    WHERE r.oid IN ({% for t in tables %}{{ m.table(t)|literal }}::regclass{% if not loop.last %}, {% endif %}{% endfor %})
      AND NOT (r.relreplident = 'f' OR EXISTS (SELECT FROM pg_catalog.pg_index AS i WHERE i.indrelid = r.oid AND CASE r.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END))
    GROUP BY r.oid ORDER BY 1
  LOOP
    idgen_problems := idgen_problems || format('%s is published (%s) and has no replica identity, so its rows cannot be updated: ALTER TABLE %s REPLICA IDENTITY FULL, and plan again',
      idgen_found.name, idgen_found.publications, idgen_found.name);
  END LOOP;
{# Each integer is a bigint, and has one spelling. #}
{% for t in tables if not integers %}
{% for c in t.columns %}
{% set where %}{{ c.name }} IS NOT NULL AND NOT ({{ m.is_id("", c.name, c, version) }}){% endset %}
{% set show %}SELECT * FROM {{ m.table(t) }} WHERE {{ where|safe }};{% endset %}
  SELECT count(*), format('%s to %s', min(length({{ c.name }})), max(length({{ c.name }}))) INTO idgen_rows, idgen_lengths
    FROM {{ m.table(t) }} WHERE {{ where|safe }};
  IF idgen_rows > 0 THEN
    idgen_problems := idgen_problems || (idgen_rows || {{ (" values of " ~ t.shown ~ "." ~ c.name ~ " are no UUIDs (lengths ")|literal }}
      || idgen_lengths || {{ "): "|literal }} || {{ show|literal }});
  END IF;
{% endfor %}
{% for i in t.indexes if i.unique %}
{% set groups %}{% for name in i.columns %}{{ as_id(t, name) }}{% if not loop.last %}, {% endif %}{% endfor %}{% endset %}
{% set where %}{{ ("(" ~ i.condition ~ ")")|safe if i.condition else "true"|safe }}{% if not i.nulls_not_distinct %}{% for name in i.columns %} AND {{ as_id(t, name) }} IS NOT NULL{% endfor %}{% endif %}{% endset %}
{% set show %}SELECT {{ groups|safe }}, count(*){% for name in i.columns %}, array_agg({{ name }}){% endfor %} FROM {{ m.table(t) }} WHERE {{ where|safe }} GROUP BY {{ groups|safe }} HAVING count(*) > 1;{% endset %}
  SELECT count(*) INTO idgen_rows FROM (SELECT FROM {{ m.table(t) }} WHERE {{ where|safe }}
    GROUP BY {{ groups|safe }} HAVING count(*) > 1) AS g;
  IF idgen_rows > 0 THEN
    idgen_problems := idgen_problems || (idgen_rows || {{ (" ids of " ~ t.shown ~ " are there in two spellings, which would be duplicates in " ~ i.name ~ ": ")|literal }} || {{ show|literal }});
  END IF;
{% endfor %}
{% endfor %}
{% for k in keys %}
{% set where %}{% for name in k.child.columns %}c.{{ name }} IS NOT NULL AND {% endfor %}NOT EXISTS (SELECT FROM {{ m.table(k.parent) }} AS p WHERE {% for name in k.child.columns %}p.{{ k.parent.columns[loop.index0] }} {{ k.operators[loop.index0]|safe }} c.{{ name }}{% if not loop.last %} AND {% endif %}{% endfor %}){% endset %}
{% set show %}SELECT * FROM {{ m.table(k.child) }} AS c WHERE {{ where|safe }};{% endset %}
  SELECT count(*) INTO idgen_rows FROM {{ m.table(k.child) }} AS c WHERE {{ where|safe }};
  IF idgen_rows > 0 THEN
    idgen_problems := idgen_problems || (idgen_rows || {{ (" rows refer by " ~ k.name ~ " to a row that does not exist: ")|literal }} || {{ show|literal }});
  END IF;
{% endfor %}
  IF cardinality(idgen_problems) > 0 THEN
    RAISE EXCEPTION 'rows must be corrected before the change' USING DETAIL = array_to_string(idgen_problems, E'\n');
  END IF;
END
$idgen$

--! Writes down that the step is done, if the plan has begun.
--? SELECT to_regprocedure({{ m.routine(schema, "ends", "text")|literal }}) IS NOT NULL
{{ m.ends(p, "check") }}
