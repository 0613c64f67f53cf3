{%- from "fresh.sql" import wait_for_new_list -%}
CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE phase, own, attempt, found INT DEFAULT 0;
  DECLARE before_triggers LONGTEXT CHARACTER SET utf8mb4 DEFAULT NULL;
  -- MariaDB does not keep the metadata locks of a prepared XA transaction whose client is gone, so CREATE TRIGGER does not wait for it. What it wrote
  -- before the triggers is in no new table after its commit, and the copy may have passed the place of its rows. Those that are prepared later fired them.
{{- wait_for_new_list(attempts, old_list) }}
  SELECT COALESCE(GROUP_CONCAT(trx_id), '') INTO before_triggers FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = 0;
  SET attempt = 0;
  ending: LOOP
    DO SLEEP(IF(attempt = 0, 0.2, 1));
    SELECT COUNT(*) INTO found FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = 0 AND FIND_IN_SET(trx_id, before_triggers);
    IF found = 0 THEN
      LEAVE ending;
    END IF;
    SET attempt = attempt + 1;
    IF attempt MOD 10 = 1 THEN
      SELECT 'a prepared XA transaction' AS waits_for, trx_id, trx_started AS began, 'XA RECOVER lists it' AS see FROM information_schema.INNODB_TRX
        WHERE trx_mysql_thread_id = 0 AND FIND_IN_SET(trx_id, before_triggers);
    END IF;
    IF attempt >= {{ attempts }} THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ prepared|message }};
    END IF;
  END LOOP;
END
