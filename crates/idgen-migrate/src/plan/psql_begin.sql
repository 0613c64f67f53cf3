\set ON_ERROR_STOP on
\set AUTOCOMMIT on
\set SHOW_CONTEXT never

-- Finds out whether the server process behind this connection stays the same, for reads and for writes: a connection pooler would give it
-- to others, with the settings and locks of this file, and a load balancer would read from a replica. A lock of this session that is still
-- there after the session has ended belongs to a pooler.
SELECT ('x' || pg_catalog.substr(pg_catalog.md5(pg_catalog.random()::text || pg_catalog.clock_timestamp()), 1, 15))::pg_catalog.bit(60)::bigint AS idgen_key \gset
SELECT pg_catalog.pg_backend_pid() || ' ' || pg_catalog.pg_postmaster_start_time() AS idgen_process \gset
SELECT pg_catalog.pg_backend_pid() || ' ' || pg_catalog.pg_postmaster_start_time() = :'idgen_process' AS idgen_same,
  format('DO $idgen$ BEGIN PERFORM pg_catalog.pg_advisory_lock(%s); END $idgen$', :idgen_key) AS idgen_lock,
  format('DO $idgen$ BEGIN PERFORM pg_catalog.pg_advisory_unlock(%s); END $idgen$', :idgen_key) AS idgen_unlock \gset
\if :idgen_same
:idgen_lock;
SELECT count(*) = 1 AS idgen_same FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_catalog.pg_backend_pid()
  AND ((l.classid::bigint << 32) | l.objid::bigint) = :idgen_key
  AND pg_catalog.pg_backend_pid() || ' ' || pg_catalog.pg_postmaster_start_time() = :'idgen_process' \gset
\connect
SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND l.pid = pg_catalog.pg_backend_pid()) AND :'idgen_same'::boolean AS idgen_same,
  format('DO $idgen$ BEGIN FOR idgen_try IN 1 .. 500 LOOP EXIT WHEN pg_catalog.pg_try_advisory_xact_lock(%s); IF idgen_try = 500 THEN RAISE EXCEPTION ''this connection goes through a pooler or to several servers (PgBouncer, pgpool-II, ProxySQL, RDS Proxy …): connect to the server itself''; END IF; PERFORM pg_catalog.pg_sleep(0.02); END LOOP; END $idgen$', :idgen_key) AS idgen_others \gset
\endif
\if :idgen_same
:idgen_others;
\else
:idgen_unlock;
DO $idgen$ BEGIN RAISE EXCEPTION 'this connection goes through a pooler or to several servers (PgBouncer, pgpool-II, ProxySQL, RDS Proxy …): connect to the server itself'; END $idgen$;
\endif
