CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE busy, attempt INT DEFAULT 0;
{% include "failed.sql" %}{%- for one in statements %}
  -- {{ one.purpose|line }}
  SET attempt = 0;
  attempts_{{ loop.index }}: LOOP
    SET busy = 0;
    BEGIN
      DECLARE EXIT HANDLER FOR 1205, 1213, 3572 SET busy = 1;
      {{ one.sql }};
    END;
    IF busy = 0 THEN
      LEAVE attempts_{{ loop.index }};
    END IF;
    SET attempt = attempt + 1;
    CALL {{ plan.busy|name }}(attempt);
  END LOOP;
{%- endfor %}
END
