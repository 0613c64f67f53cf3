-- The tables of the database, with what the plan must refuse. The view of the server finds the tables of all publications each time that it is read.
WITH published AS MATERIALIZED (
  SELECT c.oid, array_agg(p.pubname::text ORDER BY p.pubname::text) AS names, bool_or(u.pubupdate) AS with_updates
  FROM pg_publication_tables p JOIN pg_publication u ON u.pubname = p.pubname
    JOIN pg_namespace n ON n.nspname = p.schemaname JOIN pg_class c ON (c.relnamespace, c.relname) = (n.oid, p.tablename) GROUP BY c.oid
)
SELECT c.oid::bigint AS id, n.nspname AS schema, c.relname AS name, greatest(c.reltuples, 0)::bigint AS rows,
  pg_total_relation_size(c.oid) AS bytes, c.relkind::text AS kind,
  EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent)) AS inherits,
  c.relforcerowsecurity AS forces_policies, c.relpersistence = 't' AS temporary,
  c.reloftype <> 0 AS typed,
  EXISTS (SELECT FROM pg_depend d WHERE (d.classid, d.objid, d.deptype) = ('pg_class'::regclass, c.oid, 'e')) AS of_extension,
  -- The internal triggers of foreign keys, which a superuser can disable.
  EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgisinternal AND t.tgenabled <> 'O') AS unchecked_keys,
  ARRAY(SELECT r.rulename::text FROM pg_rewrite r WHERE r.ev_class = c.oid ORDER BY 1) AS rules,
  -- Stored rows of the table in columns elsewhere.
  ARRAY(SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend d
    LEFT JOIN pg_class u ON d.classid = 'pg_class'::regclass AND u.oid = d.objid
    LEFT JOIN pg_type y ON d.classid = 'pg_type'::regclass AND y.oid = d.objid
    WHERE d.refclassid = 'pg_type'::regclass AND d.refobjid IN (c.reltype, (SELECT typarray FROM pg_type WHERE oid = c.reltype))
      AND d.deptype = 'n' AND (u.relkind IN ('r', 'p', 'm', 'f', 'c') OR y.typtype IN ('d', 'r')) ORDER BY 1) AS stored_rows,
  -- BEFORE triggers for each row fire in the order of the bytes of their names.
  ARRAY(SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 3 = 3
    AND t.tgtype & 20 > 0 AND t.tgname::text COLLATE "C" > 'zzz_idgen' AND t.tgname NOT LIKE 'zzz\_idgen\_%' ORDER BY 1) AS late_triggers,
  has_table_privilege(c.oid, 'SELECT') AS readable, pg_has_role(c.relowner, 'USAGE') AS owned,
  ARRAY(SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 16 = 16
    ORDER BY 1) AS update_triggers,
  -- What has all columns of the table as a value: it sees the new columns as soon as they are there.
  ARRAY(SELECT pg_describe_object(d.classid, d.objid, 0) FROM pg_depend d LEFT JOIN pg_class u ON d.classid = 'pg_class'::regclass AND u.oid = d.objid
    WHERE d.refclassid = 'pg_type'::regclass AND d.refobjid IN (c.reltype, (SELECT typarray FROM pg_type WHERE oid = c.reltype))
      AND d.deptype = 'n' AND (d.classid = 'pg_proc'::regclass OR u.relkind = 'v')
    UNION SELECT pg_describe_object('pg_class'::regclass, r.ev_class, 0) FROM pg_depend d JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
    WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = c.oid AND r.ev_class <> c.oid AND pg_get_viewdef(r.ev_class) ~ '\.\*'
    UNION SELECT 'trigger ' || t.tgname FROM pg_trigger t WHERE t.tgrelid = c.oid AND (t.tgoldtable IS NOT NULL OR t.tgnewtable IS NOT NULL) ORDER BY 1) AS row_users,
  COALESCE(published.names, '{}') AS publications,
  -- The server refuses updates of such a table, because a subscriber could not find the rows.
  NOT (c.relreplident = 'f' OR EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid
      AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident ELSE false END))
    AND COALESCE(published.with_updates, false) AS has_no_identity
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN published ON published.oid = c.oid
WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  AND n.nspname NOT LIKE 'pg\_temp%'
ORDER BY 2, 3
