CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE phase, own, attempt, found INT DEFAULT 0;
  DECLARE before_triggers, said LONGTEXT CHARACTER SET utf8mb4 DEFAULT NULL;
  -- MariaDB does not keep the metadata locks of a prepared XA transaction whose client is gone, so CREATE TRIGGER does not wait for it. What it wrote
  -- before the triggers is in no new table after its commit, and the copy may have passed the place of its rows. Those that are prepared later fired them.
  -- The server repeats the list of transactions that another session has just read. A list without this session's transaction, and then one
  -- with it, are not that old.
  waiting: LOOP
    DO SLEEP(IF(attempt = 0, 0.2, 1));
    SELECT SUM(trx_mysql_thread_id = CONNECTION_ID()), GROUP_CONCAT(IF(trx_mysql_thread_id = 0, trx_id, NULL)),
        SUM(trx_mysql_thread_id = 0 AND FIND_IN_SET(trx_id, before_triggers))
      INTO own, said, found FROM information_schema.INNODB_TRX;
    IF phase = 0 AND COALESCE(own, 0) = 0 THEN
      START TRANSACTION WITH CONSISTENT SNAPSHOT;
      SET phase = 1;
      ITERATE waiting;
    END IF;
    IF phase = 1 AND own > 0 THEN
      COMMIT;
      SET phase = 2, before_triggers = COALESCE(said, ''), attempt = 0;
      ITERATE waiting;
    END IF;
    IF phase = 2 AND COALESCE(found, 0) = 0 THEN
      LEAVE waiting;
    END IF;
    SET attempt = attempt + 1;
    IF phase = 2 AND attempt MOD 10 = 1 THEN
      SELECT 'a prepared XA transaction' AS waits_for, trx_id, trx_started AS began, 'XA RECOVER lists it' AS see FROM information_schema.INNODB_TRX
        WHERE trx_mysql_thread_id = 0 AND FIND_IN_SET(trx_id, before_triggers);
    END IF;
    IF attempt >= {{ attempts }} THEN
      ROLLBACK;
      IF phase < 2 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ unknown|message }};
      END IF;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ prepared|message }};
    END IF;
  END LOOP;
END
