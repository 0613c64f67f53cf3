-- The columns of tables.
SELECT a.attrelid::bigint AS table, a.attnum::int AS number, a.attname AS name, t.typname AS type,
  format_type(a.atttypid, a.atttypmod) AS type_text, a.attnotnull AS not_null,
  -- From version 18 on.
  (SELECT o.conname FROM pg_constraint o WHERE o.conrelid = a.attrelid AND o.contype = 'n' AND o.conkey = ARRAY[a.attnum]
    LIMIT 1) AS not_null_name,
  CASE WHEN a.attgenerated = '' THEN pg_get_expr(d.adbin, d.adrelid) END AS default,
  a.attgenerated <> '' AS generated, a.attacl IS NOT NULL AS granted,
  col_description(a.attrelid, a.attnum) AS comment
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
WHERE c.relkind IN ('r', 'p', 'f') AND a.attnum > 0 AND NOT a.attisdropped
  AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname NOT LIKE 'pg\_temp%'
ORDER BY 1, 2
