-- The indexes of tables, with the constraints that they belong to.
SELECT i.indrelid::bigint AS table, x.relname AS name, m.amname AS method, i.indisunique AS unique,
  i.indisprimary AS primary, i.indisvalid AS valid, i.indisexclusion AS exclusion, i.indisreplident AS identity,
  i.indkey::int2[]::int[] AS columns, i.indnkeyatts::int AS key_columns, i.indoption::int2[]::int[] AS options,
  pg_get_expr(i.indexprs, i.indrelid) AS expressions, pg_get_expr(i.indpred, i.indrelid) AS predicate,
  COALESCE(to_jsonb(i) ->> 'indnullsnotdistinct', 'false') = 'true' AS nulls_not_distinct,
  COALESCE(x.reloptions, '{}') AS settings, s.spcname AS tablespace,
  ARRAY(SELECT p.opcdefault FROM unnest(i.indclass::oid[]) WITH ORDINALITY AS c(id, place)
    JOIN pg_opclass p ON p.oid = c.id ORDER BY c.place) AS default_class,
  -- Collations that are not the ones of the columns.
  ARRAY(SELECT CASE WHEN l.oid <> a.attcollation THEN quote_ident(n.nspname) || '.' || quote_ident(l.collname) END
    FROM unnest(i.indcollation::oid[]) WITH ORDINALITY AS c(id, place) JOIN unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)
      USING (place) LEFT JOIN pg_attribute a ON (a.attrelid, a.attnum) = (i.indrelid, k.number) LEFT JOIN pg_collation l ON l.oid = c.id
      LEFT JOIN pg_namespace n ON n.oid = l.collnamespace ORDER BY place) AS collations,
  i.indisclustered AS clustered, obj_description(x.oid, 'pg_class') AS comment,
  ARRAY(SELECT e.extname::text FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
    WHERE (d.classid, d.objid, d.refclassid, d.deptype) = ('pg_class'::regclass, x.oid, 'pg_extension'::regclass, 'x') ORDER BY 1) AS extensions,
  obj_description(o.oid, 'pg_constraint') AS constraint_comment,
  o.conname AS constraint, COALESCE(o.condeferrable, false) AS deferrable
FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam
  LEFT JOIN pg_tablespace s ON s.oid = x.reltablespace
  LEFT JOIN pg_constraint o ON o.conindid = i.indexrelid AND o.contype IN ('p', 'u', 'x')
WHERE i.indrelid >= 16384
ORDER BY 1, i.indisprimary DESC, 2
