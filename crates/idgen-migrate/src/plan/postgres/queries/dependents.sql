-- What depends on columns, except keys, indexes, defaults and NOT NULL, which the plan takes along.
SELECT DISTINCT d.refobjid::bigint AS table, d.refobjsubid AS number, COALESCE(x.relkind = 'S', false) AS is_sequence, CASE WHEN r.rulename IS DISTINCT FROM '_RETURN'
  THEN pg_describe_object(d.classid, d.objid, d.objsubid)
  ELSE pg_describe_object('pg_class'::regclass, r.ev_class, 0) END AS what
FROM pg_depend d
  LEFT JOIN pg_class x ON d.classid = 'pg_class'::regclass AND x.oid = d.objid
  LEFT JOIN pg_constraint o ON d.classid = 'pg_constraint'::regclass AND o.oid = d.objid
  LEFT JOIN pg_rewrite r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
  LEFT JOIN pg_attrdef f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
WHERE d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0 AND d.refobjid >= 16384
  AND d.deptype IN ('n', 'a') AND x.relkind IS DISTINCT FROM 'i'
  AND (o.contype IS NULL OR o.contype NOT IN ('p', 'u', 'f', 'n'))
  AND NOT (f.oid IS NOT NULL AND (f.adrelid, f.adnum) = (d.refobjid, d.refobjsubid))
UNION
-- What else uses the sequence of an identity column, which moves with the column.
SELECT i.refobjid::bigint, i.refobjsubid, false, pg_describe_object(d.classid, d.objid, d.objsubid) || ' (by its sequence)'
FROM pg_depend i JOIN pg_class s ON (i.classid, i.objid) = ('pg_class'::regclass, s.oid) AND s.relkind = 'S'
  JOIN pg_depend d ON (d.refclassid, d.refobjid) = ('pg_class'::regclass, s.oid) AND d.deptype IN ('n', 'a')
WHERE i.refclassid = 'pg_class'::regclass AND i.deptype = 'i'
UNION
-- Constraints, indexes and policies that read whole rows, and so each column: the catalog records no column for them.
SELECT w.id::bigint, a.attnum, false, w.what
FROM (
    SELECT o.conrelid, pg_describe_object('pg_constraint'::regclass, o.oid, 0) FROM pg_constraint o WHERE o.conbin::text LIKE '%:varattno 0 %'
    UNION ALL SELECT i.indrelid, pg_describe_object('pg_class'::regclass, i.indexrelid, 0) FROM pg_index i
      WHERE concat(i.indexprs::text, i.indpred::text) LIKE '%:varattno 0 %'
    UNION ALL SELECT y.polrelid, pg_describe_object('pg_policy'::regclass, y.oid, 0) FROM pg_policy y
      WHERE concat(y.polqual::text, y.polwithcheck::text) LIKE '%:varattno 0 %'
  ) AS w (id, what) JOIN pg_attribute a ON a.attrelid = w.id AND a.attnum > 0 AND NOT a.attisdropped
WHERE w.id >= 16384
ORDER BY 1, 2, 4
