{%- from "chunk.sql" import chunk, in_chunk, place -%}
CREATE PROCEDURE {{ plan.copy|name }}()
BEGIN
  DECLARE done_to, chunk_last {{ table.first.place_type }} DEFAULT NULL;
  DECLARE wanted, busy, done, stopped, behind INT DEFAULT 0;
  DECLARE threads, most_threads, abort_threads, most_microseconds, taken BIGINT DEFAULT 0;
  DECLARE waits, refusals INT DEFAULT 0;
  DECLARE said TEXT CHARACTER SET utf8mb4;
  DECLARE inserted, unreadable BIGINT DEFAULT 0;
  DECLARE begun DATETIME(6);
{%- if table.is_moved %}
  DECLARE first_missing {{ table.first.place_type }} DEFAULT NULL;
{%- endif %}
{%- if table.sources %}
  DECLARE begins_after {{ table.first.place_type }} DEFAULT NULL;
  DECLARE missing, first_integer BIGINT UNSIGNED DEFAULT NULL;
{%- endif %}
  -- A row is locked by a client: lock wait timeout, deadlock, NOWAIT.
  DECLARE CONTINUE HANDLER FOR 1205, 1213, 3572 SET busy = 1;
{% include "failed.sql" %}
  SET wanted = 100;
{%- if not plan.is_mysql %}
  -- The copy never waits for a locked row. MariaDB has no NOWAIT in procedures.
  SET SESSION innodb_lock_wait_timeout = 0;
{%- endif %}
  chunks: LOOP
    -- Waits while the server is busy, while somebody has set `paused`, and while the replicas that are watched are behind, or
    -- nobody has seen them for ten seconds. The session's time is UTC. It says so every ten seconds.
    SET waits = 0;
    wait_for_server: LOOP
      SELECT paused, max_threads_running, abort_threads_running, 1000 * chunk_milliseconds,
          watched IS NOT NULL
            AND (replica_lag IS NULL OR replica_lag > max_replica_lag OR watched < SYSDATE(6) - INTERVAL 10 SECOND)
        INTO stopped, most_threads, abort_threads, most_microseconds, behind FROM {{ plan.control|name }};
      SELECT VARIABLE_VALUE INTO threads FROM {{ plan.status }} WHERE VARIABLE_NAME = 'Threads_running';
      IF stopped = 0 AND behind = 0 AND threads <= most_threads THEN
        LEAVE wait_for_server;
      END IF;
      IF threads > abort_threads THEN
        SET said = CONCAT(threads, ' threads run, more than abort_threads_running (', abort_threads, '): execute the file again when fewer do');
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
      END IF;
      IF waits MOD 20 = 1 THEN
        SELECT 'the copy' AS waits, threads AS threads_running, most_threads AS max_threads_running, stopped AS paused, behind AS replica_is_behind;
      END IF;
      SET waits = waits + 1;
      DO SLEEP(0.5);
    END LOOP;
    SET busy = 0, begun = SYSDATE(6), chunk_last = NULL;
    START TRANSACTION;
    SELECT copied_to, finished INTO done_to, done FROM {{ table.at|name }} FOR UPDATE;
    IF done = 1 THEN
      COMMIT;
      LEAVE chunks;
    END IF;
    {{ chunk("chunk_last", "done_to", table.now, "wanted", table.first.name, table.first.as, "") }}
    IF chunk_last IS NULL AND busy = 0 THEN
{%- if table.is_moved %}
      -- A cascade of a parent's key moves rows without triggers, also from before the copy's position to behind it. One statement sees both tables
      -- at one moment. If a row is missing, the copy goes on before it; rows that are copied already stay.
      SELECT MIN({{ place("t", table.first.name, table.first.as) }}) INTO first_missing FROM {{ table.now|name }} AS t
        LEFT JOIN {{ table.new|name }} AS s ON {{ table.join_new }} WHERE s.{{ table.first.new_name|name }} IS NULL;
      IF first_missing IS NOT NULL THEN
        SELECT MAX({{ place("t", table.first.name, table.first.as) }}) INTO done_to FROM {{ table.now|name }} AS t
          WHERE {{ place("t", table.first.name, table.first.as) }} < first_missing;
        UPDATE {{ table.at|name }} SET copied_to = done_to;
        COMMIT;
        ITERATE chunks;
      END IF;
{%- endif %}
      -- What is inserted from now on is inserted by the triggers.
      UPDATE {{ table.at|name }} SET finished = TRUE;
      COMMIT;
      LEAVE chunks;
    END IF;
{%- if table.sources %}
    COMMIT;
{%- if not plan.is_mysql %}
    -- Nothing of the tables is locked here, so this may wait for the pairs of clients.
    SET SESSION innodb_lock_wait_timeout = 1;
{%- endif %}
{%- for source in table.sources %}
{% include "fill.sql" %}
{%- endfor %}
{%- if not plan.is_mysql %}
    SET SESSION innodb_lock_wait_timeout = 0;
{%- endif %}
    IF busy = 1 THEN
      -- The pair of an id is locked; each such wait took up to a second.
      SET wanted = GREATEST(1, wanted DIV 2), refusals = refusals + 25;
      IF refusals >= 100 THEN
        CALL {{ plan.busy|name }}(5);
        SET refusals = 0;
      END IF;
      DO SLEEP(0.02);
      ITERATE chunks;
    END IF;
    START TRANSACTION;
    SELECT copied_to INTO begins_after FROM {{ table.at|name }} FOR UPDATE;
    IF busy = 0 AND NOT (begins_after <=> done_to) THEN
      -- Another session copied this chunk.
      COMMIT;
      ITERATE chunks;
    END IF;
{%- endif %}
{%- if table.lax %}
{%- if table.unreadable %}
    SELECT COUNT(*) INTO unreadable FROM {{ table.now|name }} AS t
      WHERE {{ in_chunk("t", table.first.name, table.first.as, "done_to", "chunk_last") }} AND ({{ table.unreadable|join(" OR ") }});
    IF unreadable > 0 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (table.now ~ ": a value is no id, or is spelled otherwise than most: execute the first file, which shows it")|message }};
    END IF;
{%- endif %}
    -- A session without a strict mode may have stored values whose expressions a strict mode refuses. They are copied as they are.
    {{ table.lax }};
{%- endif %}
    -- The shared locks are held until the commit, so no row of the chunk is changed or deleted between its reading and the
    -- commit of its copy: a deleted row cannot come back. A row that a trigger wrote is as new as the row that is read
    -- here, so it stays as it is. The copy never waits for a row that a client has locked, since the client may
    -- wait for a row of this chunk; it makes the chunk smaller and starts again.
    INSERT INTO {{ table.new|name }} ({{ table.columns|names }})
      SELECT {{ table.read|join(", ") }} FROM {{ table.now|name }} AS t
      WHERE {{ in_chunk("t", table.first.name, table.first.as, "done_to", "chunk_last") }} {{ plan.share }}
      ON DUPLICATE KEY UPDATE {{ table.first.new_name|name }} = {{ table.new|name }}.{{ table.first.new_name|name }};
    SET inserted = ROW_COUNT();
{%- if table.lax %}
    {{ plan.strict }};
{%- endif %}
    IF busy = 1 THEN
      ROLLBACK;
      SET wanted = GREATEST(1, wanted DIV 2), refusals = refusals + 1;
      IF refusals >= 100 THEN
        -- Says who may have locked the rows.
        CALL {{ plan.busy|name }}(5);
        SET refusals = 0;
      END IF;
      DO SLEEP(0.02);
    ELSE
      SET refusals = 0;
      UPDATE {{ table.at|name }} SET copied_to = chunk_last, rows_copied = rows_copied + GREATEST(inserted, 0);
      COMMIT;
      SET taken = TIMESTAMPDIFF(MICROSECOND, begun, SYSDATE(6));
      SET wanted = IF(taken > most_microseconds, GREATEST(10, wanted DIV 2), LEAST(10000, wanted + wanted DIV 4 + 1));
    END IF;
  END LOOP;
END
