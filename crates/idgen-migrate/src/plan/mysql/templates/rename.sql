{%- macro rename(pairs) -%}
RENAME TABLE
{%- for pair in pairs %}
        {{ pair[0]|name }} TO {{ pair[1]|name }}{% if not loop.last %},{% endif %}
{%- endfor %}
{%- endmacro -%}
CREATE PROCEDURE {{ plan.work|name }}()
BEGIN
  DECLARE phase_now, busy, attempt, is_renamed, is_wrong, is_behind INT DEFAULT 0;
  DECLARE said TEXT CHARACTER SET utf8mb4 DEFAULT NULL;
  -- Where nothing was renamed, a refusal leaves everything as it was.
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    UPDATE {{ plan.steps|name }} SET state = {% if phase_after == 1 %}'new'{% else %}IF(signature IS NULL, 'open', 'done'){% endif %} WHERE place = {{ place }}
      AND (SELECT renamed FROM {{ plan.phase|name }}) = {{ phase_before }};
    -- A client with --force executes what follows.
    SET SESSION TRANSACTION READ ONLY;
    RESIGNAL;
  END;
  SELECT renamed INTO phase_now FROM {{ plan.phase|name }};
  -- An execution that was killed after the renaming has not asked again.
{%- if phase_after == 1 %}
  SET is_renamed = phase_now = 1;
{%- else %}
  SELECT phase_now = 0 AND signature IS NOT NULL INTO is_renamed FROM {{ plan.steps|name }} WHERE place = {{ place }};
{%- endif %}
  IF phase_now = 2 THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'the last step has begun, so the old tables are not current any more: there is no way back';
  END IF;
  attempts: LOOP
    IF phase_now = {{ phase_after }} THEN
      LEAVE attempts;
    END IF;
    CALL {{ plan.checks|name }}();
    SET busy = 0;
    BEGIN
      DECLARE EXIT HANDLER FOR 1205, 1213 SET busy = 1;
{%- for counter in counters %}
      -- No number is given twice, also if nobody has inserted the row that got it.
      {% include "counter.sql" %};
{%- endfor %}
      {{ rename(there) }};
    END;
    IF busy = 0 THEN
      SET is_renamed = 1;
      LEAVE attempts;
    END IF;
    SET attempt = attempt + 1;
    CALL {{ plan.busy|name }}(attempt);
  END LOOP;
  -- Somebody may have changed a table between the checks and the renaming. Both kinds of tables are current, so it is renamed back.
  BEGIN
    DECLARE EXIT HANDLER FOR SQLSTATE '45000'
    BEGIN
      GET DIAGNOSTICS CONDITION 1 said = MESSAGE_TEXT;
      SET is_wrong = 1;
    END;
    IF is_renamed THEN
      CALL {{ plan.after|name }}();
    END IF;
  END;
  IF is_wrong THEN
    -- If a trigger that keeps the other tables current was lost meanwhile, they may lack a row: then the tables stay as they are.
    SELECT EXISTS (
      {{ behind }}
    ) INTO is_behind;
    IF is_behind THEN
{%- if phase_after == 1 %}
      -- The renaming is done, and the verification says what can be done about it.
      UPDATE {{ plan.steps|name }} SET state = 'done', ended = UTC_TIMESTAMP(6) WHERE place = {{ place }};
      SET said = {{ ("the tables are renamed, but a trigger was lost meanwhile: execute " ~ verification)|text }};
{%- endif %}
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
    END IF;
    SET attempt = 0;
    back: LOOP
      SET busy = 0;
      BEGIN
        DECLARE EXIT HANDLER FOR 1205, 1213 SET busy = 1;
        {{ rename(back) }};
      END;
      IF busy = 0 THEN
        LEAVE back;
      END IF;
      SET attempt = attempt + 1;
      CALL {{ plan.busy|name }}(attempt);
    END LOOP;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = said;
  END IF;
END
