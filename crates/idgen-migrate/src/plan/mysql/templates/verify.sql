{%- from "chunk.sql" import chunk, is_in -%}
CREATE PROCEDURE {{ plan.verify|name }}()
BEGIN
  DECLARE old_first, old_last, old_done {{ table.first.type }} DEFAULT NULL;
  DECLARE new_first, new_last, new_done {{ table.first.new_type }} DEFAULT NULL;
  DECLARE counted, equal_rows, orphans, total BIGINT DEFAULT 0;
  -- A change and what its trigger writes are one transaction, so one snapshot shows both tables equal. It takes no locks.
  each_chunk: LOOP
    START TRANSACTION WITH CONSISTENT SNAPSHOT;
    {{ chunk("old_first", "old_last", "old_done", names.from, 1000, table.first.name, "") }}
    IF old_last IS NULL THEN
      COMMIT;
      LEAVE each_chunk;
    END IF;
    SELECT COUNT(*), COUNT(s.{{ table.first.new_name|name }}) INTO counted, equal_rows
      FROM {{ names.from|name }} AS t LEFT JOIN {{ names.to|name }} AS s ON {{ table.join_new }}
{%- for equal in table.equal %}
        AND {{ equal }}
{%- endfor %}
      WHERE t.{{ table.first.name|name }} BETWEEN old_first AND old_last;
    IF counted <> equal_rows THEN
      SELECT {{ table.keys_of_t }}, s.{{ table.first.new_name|name }} IS NULL AS missing, CONCAT_WS(', '
{%- for equal in table.equal -%}
        , IF({{ equal }}, NULL, {{ table.columns[loop.index0]|text }})
{%- endfor %}) AS different
        FROM {{ names.from|name }} AS t LEFT JOIN {{ names.to|name }} AS s ON {{ table.join_new }}
        WHERE t.{{ table.first.name|name }} BETWEEN old_first AND old_last
        HAVING missing OR different <> '' LIMIT 20;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (names.from ~ ": the rows above are missing or different in " ~ names.to)|message }};
    END IF;
    COMMIT;
    SET total = total + counted, old_done = old_last;
  END LOOP;
{%- for part in table.first.parts %}
  SET new_done = NULL;
  each_new_chunk{{ loop.index }}: LOOP
    START TRANSACTION WITH CONSISTENT SNAPSHOT;
    {{ chunk("new_first", "new_last", "new_done", names.to, 1000, table.first.new_name, part) }}
    IF new_last IS NULL THEN
      COMMIT;
      LEAVE each_new_chunk{{ loop.index }};
    END IF;
    SELECT COUNT(*), COUNT(t.{{ table.first.name|name }}) INTO counted, equal_rows
      FROM {{ names.to|name }} AS s LEFT JOIN {{ names.from|name }} AS t ON {{ table.join_old }}
      WHERE s.{{ table.first.new_name|name }} BETWEEN new_first AND new_last
{%- if part %} AND {{ is_in(part, "s", table.first.new_name) }}{% endif %};
    IF counted <> equal_rows THEN
      SELECT {{ table.keys_of_s }} FROM {{ names.to|name }} AS s LEFT JOIN {{ names.from|name }} AS t ON {{ table.join_old }}
        WHERE s.{{ table.first.new_name|name }} BETWEEN new_first AND new_last
{%- if part %} AND {{ is_in(part, "s", table.first.new_name) }}{% endif %}
          AND t.{{ table.first.name|name }} IS NULL LIMIT 20;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (names.to ~ ": the rows above are not in " ~ names.from)|message }};
    END IF;
{%- for key in table.foreign %}
    SELECT COUNT(*) INTO orphans FROM {{ names.to|name }} AS s
      LEFT JOIN {{ (key.now_to if names.renamed else key.new_to)|name }} AS p ON {{ key.join }}
      WHERE s.{{ table.first.new_name|name }} BETWEEN new_first AND new_last
{%- if part %} AND {{ is_in(part, "s", table.first.new_name) }}{% endif %}
        AND {{ key.orphan }};
    IF orphans <> 0 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (names.to ~ ": rows without a parent in " ~ key.to)|message }};
    END IF;
{%- endfor %}
    COMMIT;
    SET new_done = new_last;
  END LOOP;
{%- endfor %}
  SELECT {{ names.from|text }} AS table_verified, total AS equal_rows;
END
