-- Functions of users whose text could name tables and columns, which the server does not track.
SELECT p.oid::regprocedure::text AS name, p.prosrc AS text
FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND l.lanname NOT IN ('internal', 'c')
  AND n.nspname !~ '^idgen_[a-z][a-z0-9]{7}$'
ORDER BY 1
