-- The tables of the database, with what the plan must refuse.
SELECT c.oid::bigint AS id, n.nspname AS schema, c.relname AS name, greatest(c.reltuples, 0)::bigint AS rows,
  pg_total_relation_size(c.oid) AS bytes, c.relkind::text AS kind,
  EXISTS (SELECT FROM pg_inherits WHERE c.oid IN (inhrelid, inhparent)) AS inherits,
  c.relforcerowsecurity AS forces_policies, c.relpersistence = 't' AS temporary,
  has_table_privilege(c.oid, 'SELECT') AS readable, pg_has_role(c.relowner, 'USAGE') AS owned,
  ARRAY(SELECT t.tgname::text FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal AND t.tgtype & 17 = 17
    ORDER BY 1) AS update_triggers,
  ARRAY(SELECT p.pubname::text FROM pg_publication_tables p WHERE p.schemaname = n.nspname AND p.tablename = c.relname
    ORDER BY 1) AS publications
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
  AND n.nspname NOT LIKE 'pg\_temp%'
ORDER BY 2, 3
