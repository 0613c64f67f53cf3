{#- Sets `wrong` if a query gives rows, and shows them. A SELECT reads without locks; in an IF, the server would lock what it reads. -#}
{%- macro ask(rows) %}
  SELECT EXISTS (
    {{ rows }}
  ) INTO wrong;
  IF wrong THEN
    {{ rows }} LIMIT 20;
  END IF;
{%- endmacro -%}
{#- The server repeats a list that others have just read. One with a transaction of this session from after the time is made later than that. -#}
{%- macro wait(time) %}
  waiting: LOOP
    START TRANSACTION WITH CONSISTENT SNAPSHOT;
    SELECT EXISTS (
      SELECT 1 FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = CONNECTION_ID() AND trx_started > {{ time }}
    ) INTO is_new;
    COMMIT;
    IF is_new THEN
      LEAVE waiting;
    END IF;
    SET attempt = attempt + 1;
    IF attempt >= {{ attempts }} THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ old_list|message }};
    END IF;
    DO SLEEP(0.2);
  END LOOP;
{%- endmacro -%}
CREATE PROCEDURE {{ procedure|name }}()
BEGIN
  DECLARE wrong, is_hidden, is_new, attempt INT DEFAULT 0;
{%- for check in checks %}
  -- {{ check.purpose|line }}
{%- if check.list_after and not check.instead %}
{{- wait(check.list_after) }}
{%- endif %}
{%- if check.instead %}
  BEGIN
    -- A statement of another session has bytes that are no text.
    DECLARE EXIT HANDLER FOR 3854 SET is_hidden = 1;
{%- if check.list_after %}
{{- wait(check.list_after) }}
{%- endif %}
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
