{#- The server makes the list of transactions anew only if nobody has read it for 0.1 s. A list without a transaction of this session, and then one with it,
    are not older than this. -#}
{%- macro wait_for_new_list(attempts, old_list) %}
  SET phase = 0, attempt = 0;
  waiting: LOOP
    DO SLEEP(0.2);
    SELECT COUNT(*) INTO own FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id = CONNECTION_ID();
    IF phase = 0 AND own = 0 THEN
      START TRANSACTION WITH CONSISTENT SNAPSHOT;
      SET phase = 1;
    ELSEIF phase = 1 AND own > 0 THEN
      COMMIT;
      LEAVE waiting;
    ELSE
      SET attempt = attempt + 1;
    END IF;
    IF attempt >= {{ attempts }} THEN
      ROLLBACK;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ old_list|message }};
    END IF;
  END LOOP;
{%- endmacro -%}
