CREATE PROCEDURE {{ plan.guard|name }}(IN at_end BOOLEAN)
BEGIN
  DECLARE found BIGINT DEFAULT 0;
  DECLARE state_now VARCHAR(16) CHARACTER SET utf8mb4 DEFAULT 'new';
  DECLARE other, said TEXT CHARACTER SET utf8mb4 DEFAULT NULL;
{%- if record %}
  DECLARE signature_now MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL;
{%- endif %}
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
{% include "failed.sql" %}
  IF NOT at_end THEN
    SET SESSION TRANSACTION READ WRITE;
  END IF;
  IF NOT (@{{ plan.session }} <=> CONNECTION_ID()) THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'this connection goes through a pooler (ProxySQL, RDS Proxy, MaxScale …): connect to the server itself';
  END IF;
  IF at_end THEN
    IF NOT (IS_USED_LOCK({{ plan.lock|text }}) <=> CONNECTION_ID()) THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'this session does not have the lock of the plan: execute the whole file again';
    END IF;
{%- if kind == "check" %}
    CREATE TABLE IF NOT EXISTS {{ plan.steps|name }} (
      place INT NOT NULL PRIMARY KEY, step VARCHAR(255) NOT NULL, file VARCHAR(2000) NOT NULL, kind VARCHAR(10) NOT NULL,
      state VARCHAR(10) NOT NULL DEFAULT 'new', begun DATETIME(6) NULL, ended DATETIME(6) NULL, session BIGINT UNSIGNED NULL,
      account VARCHAR(400) NULL, signature MEDIUMTEXT NULL
    ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT = {{ comment|text }};
    INSERT IGNORE INTO {{ plan.steps|name }} (place, step, file, kind) VALUES
{%- for row in rows %}
      ({{ row.place }}, {{ row.step|text }}, {{ row.file|text }}, {{ row.kind|text }}){% if not loop.last %},{% endif %}
{%- endfor %};
    UPDATE {{ plan.steps|name }} SET begun = UTC_TIMESTAMP(6), session = CONNECTION_ID(), account = USER() WHERE place = {{ place }};
{%- endif %}
{%- for check in end_checks %}
    -- {{ check.purpose|line }}
    SELECT EXISTS (
      {{ check.rows }}
    ) INTO found;
    IF found THEN
      {{ check.rows }} LIMIT 20;
{%- if check.message|length > 128 %}
      -- SIGNAL cuts it.
      SELECT {{ check.message|text }} AS whole_message;
{%- endif %}
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ check.message|message }};
    END IF;
{%- endfor %}
{%- for one in lines %}
    DELETE FROM {{ plan.attached|name }} WHERE table_name = {{ one[0]|text }};
    INSERT INTO {{ plan.attached|name }} (table_name, line) SELECT {{ one[0]|text }}, q.line FROM ({{ one[1] }}) AS q;
{%- endfor %}
{%- if record %}
    SELECT {{ record }} INTO signature_now;
{%- endif %}
    UPDATE {{ plan.steps|name }} SET state = {% if way == "undo" %}'new'{% else %}'done'{% endif %}, ended = UTC_TIMESTAMP(6)
{%- if record %}, signature = signature_now{% endif %} WHERE place = {{ place }};
{%- if way == "undo" %}
    -- Until here the way back could ask whether the rows were compared.
    UPDATE {{ plan.steps|name }} SET state = 'new' WHERE place > {{ place }} AND kind = 'read';
{%- endif %}
    DO RELEASE_LOCK({{ plan.lock|text }});
  ELSE
    BEGIN
      DECLARE EXIT HANDLER FOR 1227
      BEGIN
        SET said = LEFT(CONCAT('the account lacks the privilege PROCESS: execute GRANT PROCESS ON *.* TO ', CURRENT_USER()), 128);
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
      END;
      SELECT COUNT(*) INTO found FROM information_schema.{{ plan.of_process }} WHERE NAME = 'idgen/idgen';
    END;
    IF COALESCE(GET_LOCK({{ plan.lock|text }}, 5), 0) <> 1 THEN
      SET said = CONCAT('session ', COALESCE(IS_USED_LOCK({{ plan.lock|text }}), '?'), ' executes a file of this plan: wait until it ends, or KILL it');
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
    END IF;
    SELECT COUNT(*) INTO found FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {{ plan.steps|text }};
{%- if kind == "check" %}
    IF found THEN
      SELECT CONCAT('the tables are renamed: ', file, ' has been executed, and this file reads the tables of before') INTO said
        FROM {{ plan.steps|name }} WHERE place = {{ rename }} AND state <> 'new';
      IF said IS NOT NULL THEN
        SET said = LEFT(said, 128);
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
      END IF;
    END IF;
    CALL {{ plan.checks|name }}();
{%- else %}
    IF NOT found THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ ("no file of this plan was executed in this schema, or it is undone or finished: the first file is " ~ first)|message }};
    END IF;
    SELECT state INTO state_now FROM {{ plan.steps|name }} WHERE place = {{ place }};
{%- if way == "undo" %}
    SELECT IF(place = {{ finish }}, 'the last step has begun, so the old tables are not current any more: there is no way back',
        CONCAT('later steps stand: execute undo/', file, ' first')) INTO said
      FROM {{ plan.steps|name }} WHERE place > {{ place }} AND kind = 'change' AND state <> 'new' ORDER BY place DESC LIMIT 1;
    IF said IS NULL AND state_now = 'new' THEN
      SELECT CONCAT('undo/', file) INTO other FROM {{ plan.steps|name }}
        WHERE place < {{ place }} AND kind = 'change' AND state <> 'new' ORDER BY place DESC LIMIT 1;
      SET said = CONCAT('there is nothing to undo here', COALESCE(CONCAT(': go on with ', other), ', nor before it'));
    END IF;
{%- else %}
    SELECT CONCAT(IF(state = 'undoing', 'undo/', ''), file, ' is not done: execute it first') INTO said FROM {{ plan.steps|name }}
      WHERE place < {{ place }} AND (kind = 'change' OR place = 1) AND state <> 'done' ORDER BY place LIMIT 1;
{%- if kind == "change" %}
    IF said IS NULL AND state_now = 'undoing' THEN
      SET said = {{ ("undo/" ~ file ~ " was begun: execute it to its end first") |text }};
    END IF;
    SELECT file INTO other FROM {{ plan.steps|name }}
      WHERE place > {{ place }} AND kind = 'change' AND state <> 'new' ORDER BY place DESC LIMIT 1;
    IF said IS NULL AND (state_now = 'done' OR other IS NOT NULL) THEN
      SELECT file INTO other FROM {{ plan.steps|name }} WHERE place > {{ place }} AND state <> 'done' ORDER BY place LIMIT 1;
      SET said = CONCAT('this step is done: go on with ', COALESCE(other, 'the next file'));
    END IF;
{%- endif %}
{%- for need in needs %}
    IF said IS NULL THEN
      SELECT CONCAT(file, ' has not succeeded since the last change: execute it first') INTO said FROM {{ plan.steps|name }}
        WHERE place = {{ need }} AND state <> 'done';
    END IF;
{%- endfor %}
{%- endif %}
    IF said IS NOT NULL THEN
      SET said = LEFT(said, 128);
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
    END IF;
    CALL {{ plan.checks|name }}();
{%- if kind == "read" and record %}
    SELECT {{ record }} INTO signature_now;
{%- endif %}
    UPDATE {{ plan.steps|name }} SET state = {% if way == "undo" %}'undoing'{% else %}'open'{% endif %}, begun = UTC_TIMESTAMP(6), ended = NULL,
      session = CONNECTION_ID(), account = USER()
{%- if kind == "read" and record %}, signature = signature_now{% elif kind == "change" and way == "do" %}, signature = NULL{% endif %} WHERE place = {{ place }};
{%- if kind == "change" and way == "do" %}
    UPDATE {{ plan.steps|name }} SET state = 'new' WHERE place > {{ place }} AND kind = 'read';
{%- endif %}
{%- endif %}
  END IF;
END
