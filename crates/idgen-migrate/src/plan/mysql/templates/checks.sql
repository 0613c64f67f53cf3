{%- from "fresh.sql" import wait_for_new_list -%}
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
  DECLARE wrong, is_hidden, hidden_times, phase, own, attempt INT DEFAULT 0;
{%- for check in checks %}
  -- {{ check.purpose|line }}
{%- if check.instead %}
  asked: LOOP
    SET is_hidden = 0;
    BEGIN
      -- A statement of another session has bytes that are no text. Most statements are short.
      DECLARE EXIT HANDLER FOR 3854 SET is_hidden = 1;
{{- wait_for_new_list(attempts, old_list) }}
{{- ask(check.rows) }}
    END;
    IF NOT is_hidden THEN
      LEAVE asked;
    END IF;
    ROLLBACK;
    SET hidden_times = hidden_times + 1;
    IF hidden_times >= 25 THEN
{{- ask(check.instead) }}
      LEAVE asked;
    END IF;
    DO SLEEP(0.2);
  END LOOP;
{%- else %}
{%- if check.new_list %}
{{- wait_for_new_list(attempts, old_list) }}
{%- endif %}
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
