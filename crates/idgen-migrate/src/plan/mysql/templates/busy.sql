CREATE PROCEDURE {{ plan.busy|name }}(IN attempt INT)
BEGIN
  DECLARE who TEXT CHARACTER SET utf8mb4 DEFAULT NULL;
  DECLARE said TEXT CHARACTER SET utf8mb4;
  DECLARE prepared INT DEFAULT 0;
  -- Called when a lock was not free for a second: all locks are released by now. Shows who may hold it, and waits before the next attempt.
  BEGIN
    -- Without the privilege to see other sessions, nobody is named.
    DECLARE CONTINUE HANDLER FOR SQLEXCEPTION BEGIN END;
{%- if plan.is_mysql %}
    -- The thread that owns the locks of a prepared XA transaction has no session, or is not there any more.
    SELECT GROUP_CONCAT(DISTINCT CONCAT(t.PROCESSLIST_ID, ' (', t.PROCESSLIST_USER, '@', t.PROCESSLIST_HOST, ')') SEPARATOR ', '),
        SUM(t.PROCESSLIST_ID IS NULL)
      INTO who, prepared
      FROM performance_schema.metadata_locks AS m LEFT JOIN performance_schema.threads AS t ON t.THREAD_ID = m.OWNER_THREAD_ID
      WHERE m.OBJECT_TYPE = 'TABLE' AND m.LOCK_STATUS = 'GRANTED' AND NOT (t.PROCESSLIST_ID <=> CONNECTION_ID())
        AND (m.OBJECT_SCHEMA = DATABASE() AND m.OBJECT_NAME IN ({{ tables|texts }}) OR EXISTS (SELECT 1 FROM performance_schema.metadata_locks AS w
          WHERE w.LOCK_STATUS = 'PENDING' AND w.OBJECT_TYPE = m.OBJECT_TYPE AND w.OBJECT_SCHEMA = m.OBJECT_SCHEMA AND w.OBJECT_NAME = m.OBJECT_NAME));
{%- else %}
    -- Transactions of the server itself have no session either, but no lock that a plan needs.
    SELECT GROUP_CONCAT(CONCAT(p.ID, ' (', p.USER, '@', p.HOST, ')') ORDER BY x.trx_started SEPARATOR ', '), SUM(x.trx_mysql_thread_id = 0)
      INTO who, prepared
      FROM information_schema.INNODB_TRX AS x LEFT JOIN information_schema.PROCESSLIST AS p ON p.ID = x.trx_mysql_thread_id
      WHERE x.trx_mysql_thread_id <> CONNECTION_ID();
{%- endif %}
    IF prepared > 0 THEN
      SET who = CONCAT('a prepared XA transaction: see XA RECOVER', COALESCE(CONCAT(', ', who), ''));
    END IF;
  END;
  IF attempt = 1 OR attempt MOD 5 = 0 THEN
    SELECT attempt AS attempts, 'a lock is not free' AS waits, who AS open_transactions_of_sessions;
  END IF;
  IF attempt >= {{ attempts }} THEN
    SET said = LEFT(CONCAT('no lock after ', attempt, ' attempts. Execute the file again when these are done: ', COALESCE(who, 'unknown')), 128);
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
  END IF;
  DO SLEEP(LEAST(0.2 * attempt, 2));
END
