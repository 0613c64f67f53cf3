-- The columns of tables.
-- A type of another schema may have the name of one of PostgreSQL's, and casts that call functions. Only superusers make base types.
SELECT a.attrelid::bigint AS table, a.attnum::int AS number, a.attname AS name, CASE WHEN t.typtype = 'd' THEN 'domain'
    WHEN t.typnamespace = 'pg_catalog'::regnamespace OR (t.typname, t.typtype) = ('citext', 'b') THEN t.typname
    ELSE format_type(t.oid, NULL) END AS type,
  format_type(a.atttypid, a.atttypmod) AS type_text, a.attnotnull AS not_null,
  -- From version 18 on.
  o.conname AS not_null_name, COALESCE(o.convalidated, true) AS not_null_valid,
  COALESCE(o.connoinherit, false) AS not_null_own, obj_description(o.oid, 'pg_constraint') AS not_null_comment,
  NULLIF(a.attstattarget, -1)::int AS statistics, COALESCE(a.attoptions, '{}') AS options,
  EXISTS (SELECT FROM pg_seclabel l
    WHERE (l.classoid, l.objoid, l.objsubid) = ('pg_class'::regclass, a.attrelid, a.attnum)) AS labelled,
  CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS default,
  -- Sequences that the default uses: those of identity columns, and those of other roles that end before bigint does.
  ARRAY(SELECT s.oid::regclass::text FROM pg_depend u JOIN pg_class s ON s.oid = u.refobjid AND s.relkind = 'S'
    WHERE (u.classid, u.objid, u.refclassid) = ('pg_attrdef'::regclass, d.oid, 'pg_class'::regclass)
      AND EXISTS (SELECT FROM pg_depend i WHERE (i.classid, i.objid, i.deptype) = ('pg_class'::regclass, s.oid, 'i')) ORDER BY 1) AS lent_sequences,
  ARRAY(SELECT s.oid::regclass::text FROM pg_depend u JOIN pg_class s ON s.oid = u.refobjid AND s.relkind = 'S' JOIN pg_sequence q ON q.seqrelid = s.oid
    WHERE (u.classid, u.objid, u.refclassid) = ('pg_attrdef'::regclass, d.oid, 'pg_class'::regclass)
      AND q.seqtypid <> 'int8'::regtype AND NOT pg_has_role(s.relowner, 'USAGE') ORDER BY 1) AS foreign_sequences,
  a.attgenerated <> '' AS generated, a.attacl IS NOT NULL AS granted,
  col_description(a.attrelid, a.attnum) AS comment
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
  LEFT JOIN pg_constraint o ON o.conrelid = a.attrelid AND o.contype = 'n' AND o.conkey = ARRAY[a.attnum]
WHERE c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname NOT LIKE 'pg\_temp%'
ORDER BY 1, 2
