CREATE PROCEDURE {{ plan.ending|name }}()
BEGIN
  DECLARE phase_now, busy, attempt INT DEFAULT 0;
{% include "failed.sql" %}
  attempts: LOOP
    SET busy = 0;
    BEGIN
      DECLARE EXIT HANDLER FOR 1205, 1213
      BEGIN
        ROLLBACK;
        SET busy = 1;
      END;
      START TRANSACTION;
      -- Each trigger locks this row until the end of its transaction, so no client writes between the checks and the commit.
      SELECT renamed INTO phase_now FROM {{ plan.phase|name }} FOR UPDATE;
      IF phase_now = 1 THEN
        CALL {{ plan.after|name }}();
        UPDATE {{ plan.phase|name }} SET renamed = 2;
      END IF;
      COMMIT;
    END;
    IF busy = 0 THEN
      LEAVE attempts;
    END IF;
    SET attempt = attempt + 1;
    CALL {{ plan.busy|name }}(attempt);
  END LOOP;
END
