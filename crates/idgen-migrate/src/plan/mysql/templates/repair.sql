CREATE PROCEDURE {{ plan.repair|name }}()
BEGIN
  DECLARE finished, busy, attempt INT DEFAULT 0;
  DECLARE found_rows, repaired BIGINT DEFAULT 0;
{%- for key in table.primary %}
  DECLARE key_{{ loop.index }} {{ key.type }};
{%- endfor %}
  -- A cascade of another foreign key deletes rows without triggers, and ON DELETE SET NULL of the key to the own table then
  -- changes rows without triggers. From now on the new table does the same; what was missed before is what differs here.
  DECLARE differing CURSOR FOR
    SELECT {{ table.keys_of_t }} FROM {{ table.now|name }} AS t JOIN {{ table.new|name }} AS s ON {{ table.join_new }}
    WHERE {% for own in table.own %}NOT ({{ own.equal }}){% if not loop.last %} OR {% endif %}{% endfor %};
  DECLARE CONTINUE HANDLER FOR NOT FOUND SET finished = 1;
  OPEN differing;
  each_row: LOOP
    FETCH differing INTO {% for key in table.primary %}key_{{ loop.index }}{% if not loop.last %}, {% endif %}{% endfor %};
    IF finished = 1 THEN
      LEAVE each_row;
    END IF;
    SET attempt = 0;
    attempts: LOOP
      SET busy = 0;
      BEGIN
        DECLARE EXIT HANDLER FOR 1205, 1213
        BEGIN
          ROLLBACK;
          SET busy = 1;
        END;
        -- The old row is locked first, as clients do it.
        START TRANSACTION;
        SELECT COUNT(*) INTO found_rows FROM {{ table.now|name }} AS t
          WHERE {% for key in table.primary %}t.{{ key.name|name }} = key_{{ loop.index }}{% if not loop.last %} AND {% endif %}{% endfor %} LOCK IN SHARE MODE;
{%- if table.lax %}
        {{ table.lax }};
{%- endif %}
        UPDATE {{ table.now|name }} AS t JOIN {{ table.new|name }} AS s ON {{ table.join_new }}
          SET {% for own in table.own %}s.{{ own.column|name }} = {{ own.value }}{% if not loop.last %}, {% endif %}{% endfor %}
          {%- for stamped in table.stamped %}, s.{{ stamped|name }} = s.{{ stamped|name }}{% endfor %}
          WHERE {% for key in table.primary %}t.{{ key.name|name }} = key_{{ loop.index }}{% if not loop.last %} AND {% endif %}{% endfor %};
        COMMIT;
      END;
{%- if table.lax %}
      {{ plan.strict }};
{%- endif %}
      IF busy = 0 THEN
        LEAVE attempts;
      END IF;
      SET attempt = attempt + 1;
      CALL {{ plan.busy|name }}(attempt);
    END LOOP;
    SET repaired = repaired + 1;
  END LOOP;
  CLOSE differing;
  SELECT repaired AS rows_repaired;
END
