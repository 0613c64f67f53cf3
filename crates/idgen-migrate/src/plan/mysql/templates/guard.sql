CREATE PROCEDURE {{ procedure|name }}()
BEGIN
{%- for check in checks %}
  -- {{ check.purpose }}
  IF EXISTS (
    {{ check.rows }}
  ) THEN
    {{ check.rows }} LIMIT 20;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ check.message|message }};
  END IF;
{%- endfor %}
END
