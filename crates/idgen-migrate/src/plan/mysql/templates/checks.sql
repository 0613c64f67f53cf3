CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE wrong, is_hidden INT DEFAULT 0;
{%- for check in checks %}
  -- {{ check.purpose|line }}
  -- A SELECT reads without locks; in an IF, the server would lock what it reads.
{%- if check.instead %}
  BEGIN
    -- A statement of another session has bytes that are no text.
    DECLARE EXIT HANDLER FOR 3854 SET is_hidden = 1;
    SELECT EXISTS (
      {{ check.rows }}
    ) INTO wrong;
    IF wrong THEN
      {{ check.rows }} LIMIT 20;
    END IF;
  END;
  IF is_hidden THEN
    SELECT EXISTS (
      {{ check.instead }}
    ) INTO wrong;
    IF wrong THEN
      {{ check.instead }} LIMIT 20;
    END IF;
  END IF;
{%- else %}
  SELECT EXISTS (
    {{ check.rows }}
  ) INTO wrong;
  IF wrong THEN
    {{ check.rows }} LIMIT 20;
  END IF;
{%- endif %}
  IF wrong THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ check.message|message }};
  END IF;
{%- endfor %}
END
