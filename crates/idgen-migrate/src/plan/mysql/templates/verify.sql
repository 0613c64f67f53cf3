{%- from "chunk.sql" import chunk, in_chunk, is_in -%}
CREATE PROCEDURE {{ plan.verify|name }}()
BEGIN
  DECLARE old_last, old_done {{ table.first.place_type }} DEFAULT NULL;
  DECLARE new_last, new_done {{ table.first.new_place_type }} DEFAULT NULL;
  DECLARE counted, equal_rows, orphans, total, old_rows, new_rows BIGINT DEFAULT 0;
{% include "failed.sql" %}
  -- A change and what its trigger writes are one transaction, so one snapshot shows both tables equal. It takes no locks.
  each_chunk: LOOP
    START TRANSACTION WITH CONSISTENT SNAPSHOT;
    {{ chunk("old_last", "old_done", names.from, 1000, table.first.name, table.first.as, "") }}
    IF old_last IS NULL THEN
      COMMIT;
      LEAVE each_chunk;
    END IF;
    SELECT COUNT(*), COUNT(s.{{ table.first.new_name|name }}) INTO counted, equal_rows
      FROM {{ names.from|name }} AS t LEFT JOIN {{ names.to|name }} AS s ON {{ table.join_new }}
{%- for equal in table.equal %}
        AND {{ equal }}
{%- endfor %}
      WHERE {{ in_chunk("t", table.first.name, table.first.as, "old_done", "old_last") }};
    IF counted <> equal_rows THEN
      SELECT {{ table.keys_of_t }}, s.{{ table.first.new_name|name }} IS NULL AS missing, CONCAT_WS(', '
{%- for equal in table.equal -%}
        , IF({{ equal }}, NULL, {{ table.compared[loop.index0]|text }})
{%- endfor %}) AS different
        FROM {{ names.from|name }} AS t LEFT JOIN {{ names.to|name }} AS s ON {{ table.join_new }}
        WHERE {{ in_chunk("t", table.first.name, table.first.as, "old_done", "old_last") }}
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
    {{ chunk("new_last", "new_done", names.to, 1000, table.first.new_name, table.first.new_as, part) }}
    IF new_last IS NULL THEN
      COMMIT;
      LEAVE each_new_chunk{{ loop.index }};
    END IF;
    SELECT COUNT(*), COUNT(t.{{ table.first.name|name }}) INTO counted, equal_rows
      FROM {{ names.to|name }} AS s LEFT JOIN {{ names.from|name }} AS t ON {{ table.join_old }}
      WHERE {{ in_chunk("s", table.first.new_name, table.first.new_as, "new_done", "new_last") }}
{%- if part %} AND {{ is_in(part, "s", table.first.new_name) }}{% endif %};
    IF counted <> equal_rows THEN
      SELECT {{ table.keys_of_s }} FROM {{ names.to|name }} AS s LEFT JOIN {{ names.from|name }} AS t ON {{ table.join_old }}
        WHERE {{ in_chunk("s", table.first.new_name, table.first.new_as, "new_done", "new_last") }}
{%- if part %} AND {{ is_in(part, "s", table.first.new_name) }}{% endif %}
          AND t.{{ table.first.name|name }} IS NULL LIMIT 20;
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (names.to ~ ": the rows above are not in " ~ names.from)|message }};
    END IF;
{%- for key in table.foreign %}
    SELECT COUNT(*) INTO orphans FROM {{ names.to|name }} AS s
      LEFT JOIN {{ (key.now_to if names.renamed else key.new_to)|name }} AS p ON {{ key.join }}
      WHERE {{ in_chunk("s", table.first.new_name, table.first.new_as, "new_done", "new_last") }}
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
  -- All rows are counted once more, without chunks: a row that no chunk has would be in none of the comparisons above.
  START TRANSACTION WITH CONSISTENT SNAPSHOT;
  SELECT COUNT(*) INTO old_rows FROM {{ names.from|name }};
  SELECT COUNT(*) INTO new_rows FROM {{ names.to|name }};
  COMMIT;
  IF old_rows <> new_rows THEN
    SELECT {{ names.from|text }} AS old_table, old_rows, {{ names.to|text }} AS new_table, new_rows;
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (names.from ~ " and " ~ names.to ~ " have different numbers of rows")|message }};
  END IF;
  SELECT {{ names.from|text }} AS table_verified, total AS equal_rows;
END
