{% import "macros.sql" as m -%}
{#- The sequences that number rows, where the keys are integers. -#}

{%- macro functions(p) %}
--! Gives the sequence of one column to another. That of an identity column belongs to it, so it is made again with its next number, options, rights and comment.
CREATE OR REPLACE FUNCTION {{ p.schema }}.moves_sequences(idgen_table regclass, idgen_from text, idgen_to text) RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
DECLARE
  idgen_s record;
  idgen_r record;
  idgen_name text;
  idgen_last bigint;
  idgen_called boolean;
BEGIN
  FOR idgen_s IN SELECT format('%I.%I', n.nspname, c.relname) AS name, d.deptype, a.attidentity, q.*, c.relowner, c.relpersistence,
      COALESCE(c.relacl, acldefault('s', c.relowner)) AS acl, obj_description(c.oid, 'pg_class') AS comment
    FROM pg_attribute AS a JOIN pg_depend AS d ON (d.classid, d.refclassid, d.refobjid, d.refobjsubid) = ('pg_class'::regclass, 'pg_class'::regclass, a.attrelid, a.attnum)
      AND d.deptype IN ('a', 'i') JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'S' JOIN pg_namespace AS n ON n.oid = c.relnamespace
      JOIN pg_sequence AS q ON q.seqrelid = c.oid WHERE (a.attrelid, a.attname) = (idgen_table, idgen_from)
  LOOP
    idgen_name := idgen_s.name;
    IF idgen_s.deptype = 'a' THEN
      EXECUTE format('ALTER SEQUENCE %s OWNED BY %s.%I', idgen_name, idgen_table, idgen_to);
      CONTINUE;
    END IF;
    -- It changes nothing, but until the transaction ends nobody else takes a number.
    EXECUTE format('ALTER SEQUENCE %s INCREMENT BY %s', idgen_name, idgen_s.seqincrement);
    EXECUTE format('SELECT last_value, is_called FROM %s', idgen_name) INTO idgen_last, idgen_called;
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I DROP IDENTITY', idgen_table, idgen_from);
    EXECUTE format('ALTER TABLE %s ALTER COLUMN %I ADD GENERATED %s AS IDENTITY (SEQUENCE NAME %s INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s %s CYCLE)',
      idgen_table, idgen_to, CASE idgen_s.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END, idgen_name, idgen_s.seqincrement,
      idgen_s.seqmin, idgen_s.seqmax, idgen_s.seqstart, idgen_s.seqcache, CASE WHEN idgen_s.seqcycle THEN '' ELSE 'NO' END);
    PERFORM setval(idgen_name::regclass, idgen_last, idgen_called);
    IF (SELECT c.relpersistence FROM pg_class AS c WHERE c.oid = idgen_name::regclass) <> idgen_s.relpersistence THEN
      EXECUTE format('ALTER SEQUENCE %s SET %s', idgen_name, CASE idgen_s.relpersistence WHEN 'u' THEN 'UNLOGGED' ELSE 'LOGGED' END);
    END IF;
    -- The rights of the sequence, in place of the default privileges.
    FOR idgen_r IN SELECT DISTINCT x.grantee FROM pg_class AS c CROSS JOIN aclexplode(c.relacl) AS x WHERE c.oid = idgen_name::regclass AND x.grantee <> c.relowner LOOP
      EXECUTE format('REVOKE ALL ON SEQUENCE %s FROM %s', idgen_name, CASE WHEN idgen_r.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(idgen_r.grantee)) END);
    END LOOP;
    FOR idgen_r IN SELECT x.grantee, x.privilege_type, x.is_grantable FROM aclexplode(idgen_s.acl) AS x WHERE x.grantee <> idgen_s.relowner LOOP
      EXECUTE format('GRANT %s ON SEQUENCE %s TO %s%s', idgen_r.privilege_type, idgen_name,
        CASE WHEN idgen_r.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(idgen_r.grantee)) END, CASE WHEN idgen_r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
    END LOOP;
    IF idgen_s.comment IS NOT NULL THEN
      EXECUTE format('COMMENT ON SEQUENCE %s IS %L', idgen_name, idgen_s.comment);
    END IF;
  END LOOP;
END
$idgen$

--! Lets sequences count as far as the new type goes, unless somebody gave them another end.
CREATE OR REPLACE FUNCTION {{ p.schema }}.widens_sequences() RETURNS void LANGUAGE plpgsql SET search_path = pg_catalog AS $idgen$
DECLARE
  idgen_s record;
BEGIN
  FOR idgen_s IN SELECT format('%I.%I', n.nspname, c.relname) AS name, k.id::regclass AS of, k.name AS column, k.most, d.deptype, q.seqtypid, q.seqmin, q.seqmax, c.relowner FROM (VALUES
{%- for t in p.tables %}{% for c in t.columns %}
      (to_regclass({{ m.table(t)|literal }}), {{ c.name|literal }}, {% if c.old_type == "smallint" %}32767{% elif c.old_type == "integer" %}2147483647{% else %}9223372036854775807{% endif %}){% if not loop.last %},{% endif %}{% endfor %}{% if not loop.last %},{% endif %}{% endfor %}

      ) AS k (id, name, most) JOIN pg_attribute AS a ON (a.attrelid, a.attname) = (k.id, k.name)
      CROSS JOIN LATERAL (
        SELECT d.objid, d.deptype FROM pg_depend AS d
          WHERE (d.classid, d.refclassid, d.refobjid, d.refobjsubid) = ('pg_class'::regclass, 'pg_class'::regclass, a.attrelid, a.attnum) AND d.deptype IN ('a', 'i')
        -- A sequence that the default uses, and another column or none owns.
        UNION SELECT d.refobjid, 'a' FROM pg_attrdef AS f
          JOIN pg_depend AS d ON (d.classid, d.objid, d.refclassid) = ('pg_attrdef'::regclass, f.oid, 'pg_class'::regclass)
          WHERE (f.adrelid, f.adnum) = (a.attrelid, a.attnum)
      ) AS d (id, deptype) JOIN pg_class AS c ON c.oid = d.id AND c.relkind = 'S' JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_sequence AS q ON q.seqrelid = c.oid
  LOOP
    IF idgen_s.deptype = 'a' THEN
      CONTINUE WHEN idgen_s.seqtypid = 'int8'::regtype;
      IF NOT pg_has_role(idgen_s.relowner, 'USAGE') THEN
        RAISE EXCEPTION 'the sequence % counts the ids of %.%, ends with its smaller type, and belongs to the role %: let that role execute ALTER SEQUENCE % AS bigint, then execute this file again',
          idgen_s.name, idgen_s.of, idgen_s.column, idgen_s.relowner::regrole, idgen_s.name;
      END IF;
      EXECUTE format('ALTER SEQUENCE %s AS bigint', idgen_s.name);
    ELSE
      IF idgen_s.seqmax = idgen_s.most THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET MAXVALUE 9223372036854775807', idgen_s.of, idgen_s.column);
      END IF;
      IF idgen_s.seqmin = -idgen_s.most - 1 THEN
        EXECUTE format('ALTER TABLE %s ALTER COLUMN %I SET MINVALUE -9223372036854775808', idgen_s.of, idgen_s.column);
      END IF;
    END IF;
  END LOOP;
END
$idgen$
{% endmacro %}
