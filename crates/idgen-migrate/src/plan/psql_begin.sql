\set ON_ERROR_STOP on
\set AUTOCOMMIT on
\set SHOW_CONTEXT never

-- Finds out whether the server process behind this connection stays the same: a connection pooler would give it to others, with the
-- settings and locks of this file. A lock of this session that is still there after the session has ended belongs to a pooler.
SELECT pg_catalog.pg_backend_pid() AS idgen_process, ('x' || pg_catalog.substr(pg_catalog.md5(pg_catalog.random()::text || pg_catalog.clock_timestamp()), 1, 15))::pg_catalog.bit(60)::bigint AS idgen_key \gset
SELECT pg_catalog.pg_backend_pid() = :idgen_process AS idgen_same \gset
\if :idgen_same
SELECT pg_catalog.pg_try_advisory_lock(:idgen_key) AS idgen_locked \gset
SELECT pg_catalog.pg_backend_pid() = :idgen_process AS idgen_same \gset
\connect
SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_catalog.pg_backend_pid()) AND :'idgen_same'::boolean AS idgen_same,
  format('DO $idgen$ BEGIN FOR idgen_try IN 1 .. 500 LOOP EXIT WHEN pg_catalog.pg_try_advisory_xact_lock(%s); IF idgen_try = 500 THEN RAISE EXCEPTION ''this connection goes through a pooler (PgBouncer, ProxySQL, RDS Proxy …): connect to the server itself''; END IF; PERFORM pg_catalog.pg_sleep(0.02); END LOOP; END $idgen$', :idgen_key) AS idgen_others \gset
\endif
\if :idgen_same
:idgen_others;
\else
SELECT pg_catalog.pg_advisory_unlock(:idgen_key) AS idgen_unlocked \gset
DO $idgen$ BEGIN RAISE EXCEPTION 'this connection goes through a pooler (PgBouncer, ProxySQL, RDS Proxy …): connect to the server itself'; END $idgen$;
\endif
