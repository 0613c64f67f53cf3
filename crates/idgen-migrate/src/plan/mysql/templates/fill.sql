{%- from "chunk.sql" import in_chunk -%}
{%- set missing -%}
FROM {{ table.now|name }} AS t
          WHERE {{ in_chunk("t", table.first.name, table.first.as, "done_to", "chunk_last") }} AND t.{{ source.name|name }} IS NOT NULL
            AND {{ source.without }}
{%- endset %}
    -- Gives an integer to each id in this column of the chunk that has none. Integers are reserved, and that is committed, before any is used.
    SELECT COUNT(DISTINCT {{ source.bytes }}) INTO missing
          {{ missing }};
    IF missing > 0 AND busy = 0 THEN
      SET first_integer = NULL;
      START TRANSACTION;
      SELECT next_id INTO first_integer FROM {{ map.state|name }} WHERE one = 1 AND map_id = x'{{ map.map_id }}' FOR UPDATE;
      IF busy = 0 THEN
        IF first_integer IS NULL OR first_integer + missing > {{ map.end }} THEN
          SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (map.table ~ " has too few integers left, or is another map than that of the plan")|message }};
        END IF;
        UPDATE {{ map.state|name }} SET next_id = first_integer + missing WHERE one = 1;
        COMMIT;
        START TRANSACTION;
{%- if map.is_dedup %}
        -- Who waited here for another session's claim sees its pair in the next statement.
        INSERT INTO {{ map.claims|name }} (uuid)
          SELECT DISTINCT {{ source.bytes }} {{ missing }}
          ON DUPLICATE KEY UPDATE turn = 1 - turn;
{%- endif %}
      END IF;
      IF busy = 0 THEN
        INSERT INTO {{ map.table|name }} (id, uuid)
          SELECT first_integer + numbered.place - 1, numbered.uuid FROM (
            SELECT found.uuid, ROW_NUMBER() OVER (ORDER BY found.uuid) AS place FROM (
              SELECT DISTINCT {{ source.bytes }} AS uuid
          {{ missing }}) AS found) AS numbered
          WHERE numbered.place <= missing
{%- if not map.is_dedup %}
          -- Somebody else gave an integer to this id in between; it stays.
          ON DUPLICATE KEY UPDATE id = {{ map.table|name }}.id
{%- endif %};
      END IF;
      IF busy = 0 THEN
        COMMIT;
      ELSE
        ROLLBACK;
      END IF;
    END IF;
