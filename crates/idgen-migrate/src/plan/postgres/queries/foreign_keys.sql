-- The foreign keys. A column that only later versions have is read through to_jsonb.
SELECT o.conname AS name, o.conrelid::bigint AS child, o.confrelid::bigint AS parent, o.conkey::int[] AS columns,
  o.confkey::int[] AS refers_to, o.confupdtype::text AS on_update, o.confdeltype::text AS on_delete,
  o.condeferrable AS deferrable, o.condeferred AS deferred,
  COALESCE(to_jsonb(o) ->> 'conenforced', 'true') = 'true' AS enforced, o.convalidated AS valid,
  o.confmatchtype = 'f' AS match_full, COALESCE(NULLIF(to_jsonb(o) -> 'confdelsetcols', 'null'), '[]') AS set_columns,
  ARRAY(SELECT format('OPERATOR(%I.%s)', n.nspname, p.oprname) FROM unnest(o.conpfeqop) WITH ORDINALITY AS e(id, place)
    JOIN pg_operator p ON p.oid = e.id JOIN pg_namespace n ON n.oid = p.oprnamespace ORDER BY place) AS operators,
  obj_description(o.oid, 'pg_constraint') AS comment
FROM pg_constraint o WHERE o.contype = 'f' AND o.conparentid = 0
ORDER BY 2, 1
