
-- The session has its own settings again, and no lock.
RESET ALL;
DO $idgen$ BEGIN PERFORM pg_catalog.pg_advisory_unlock_all(); END $idgen$;
