CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE wrong INT DEFAULT 0;
{%- for check in checks %}
  -- {{ check.purpose|line }}
  -- A SELECT reads without locks; in an IF, the server would lock what it reads.
  SELECT EXISTS (
    {{ check.rows }}
  ) INTO wrong;
  IF wrong THEN
    {{ check.rows }} LIMIT 20;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ check.message|message }};
  END IF;
{%- endfor %}
END
