{#- Sets `wrong` if a query gives rows, and shows them. A SELECT reads without locks; in an IF, the server would lock what it reads. -#}
{%- macro ask(rows) %}
  SELECT EXISTS (
    {{ rows }}
  ) INTO wrong;
  IF wrong THEN
    {{ rows }} LIMIT 20;
  END IF;
{%- endmacro -%}
CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE wrong, is_hidden INT DEFAULT 0;
{%- for check in checks %}
  -- {{ check.purpose|line }}
{%- if check.instead %}
  BEGIN
    -- A statement of another session has bytes that are no text.
    DECLARE EXIT HANDLER FOR 3854 SET is_hidden = 1;
{{- ask(check.rows) }}
  END;
  IF is_hidden THEN
{{- ask(check.instead) }}
  END IF;
{%- else %}
{{- ask(check.rows) }}
{%- endif %}
  IF wrong THEN
{%- if check.message|length > 128 %}
    -- SIGNAL cuts it.
    SELECT {{ check.message|text }} AS whole_message;
{%- endif %}
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ check.message|message }};
  END IF;
{%- endfor %}
END
