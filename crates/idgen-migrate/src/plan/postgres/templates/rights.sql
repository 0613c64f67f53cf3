{% import "macros.sql" as m -%}
{#- The rights that the steps need and the role does not have, each with the statement that grants it. An owner can lack them, too. -#}
{%- macro lacking(p) -%}
SELECT format('%s: GRANT %s TO %I', w.why, w.right, current_user) FROM (
    SELECT 'a schema for the objects of the plan', format('CREATE ON DATABASE %I', current_database()), has_database_privilege(current_database(), 'CREATE')
  UNION ALL SELECT DISTINCT format('what the steps make in the schema %I', k.name), format('%s ON SCHEMA %I', r.name, k.name), has_schema_privilege(k.name, r.name)
    FROM unnest({{ p.tables|map(attribute="schema")|list|literals }}) AS k (name), (VALUES ('CREATE'), ('USAGE')) AS r (name)
  UNION ALL SELECT format('reading and writing the table %s', k.name), format('%s ON %s', r.name, k.name), has_table_privilege(to_regclass(k.name), r.name)
    FROM (VALUES {% for t in p.tables %}({{ m.table(t)|literal }}){% if not loop.last %}, {% endif %}{% endfor %}) AS k (name), (VALUES ('SELECT'), ('UPDATE'), ('REFERENCES'), ('TRIGGER')) AS r (name)
  UNION ALL SELECT DISTINCT 'indexes in the same tablespace as those that are there', format('CREATE ON TABLESPACE %I', s.spcname), has_tablespace_privilege(s.oid, 'CREATE')
    FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid JOIN pg_catalog.pg_tablespace AS s ON s.oid = x.reltablespace
    WHERE i.indrelid IN ({% for t in p.tables %}to_regclass({{ m.table(t)|literal }}){% if not loop.last %}, {% endif %}{% endfor %})
  UNION ALL SELECT 'indexes in the default tablespace of this session', format('CREATE ON TABLESPACE %I', s.spcname), has_tablespace_privilege(s.oid, 'CREATE')
    FROM pg_catalog.pg_tablespace AS s WHERE s.spcname = current_setting('default_tablespace')
      AND s.oid <> (SELECT d.dattablespace FROM pg_catalog.pg_database AS d WHERE d.datname = current_database())
  UNION ALL SELECT 'the functions of the triggers', 'USAGE ON LANGUAGE plpgsql', has_language_privilege('plpgsql', 'USAGE')
  ) AS w (why, "right", is_there) WHERE NOT w.is_there ORDER BY 1
{%- endmacro -%}

{#- Fails with all of them. -#}
{%- macro required(p) %}
DO $idgen$
DECLARE
  idgen_lacking text[] := ARRAY({{ lacking(p) }});
BEGIN
  IF cardinality(idgen_lacking) > 0 THEN
    RAISE EXCEPTION 'the role % lacks rights that this plan needs', current_user
      USING DETAIL = array_to_string(idgen_lacking, E'\n'), HINT = 'Let the owner of each, or a superuser, execute these statements, and execute this file again.';
  END IF;
END
$idgen$
{%- endmacro %}
