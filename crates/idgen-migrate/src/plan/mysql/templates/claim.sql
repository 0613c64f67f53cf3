CREATE PROCEDURE IF NOT EXISTS {{ claim|name }}(IN p_uuid BINARY(16), OUT p_id BIGINT UNSIGNED)
MODIFIES SQL DATA
BEGIN
  DECLARE known, drawn, map_epoch BIGINT UNSIGNED DEFAULT NULL;
  DECLARE in_block, taken, pairs INT DEFAULT 0;
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  DECLARE CONTINUE HANDLER FOR 1062 SET taken = 1;
  SET p_id = NULL;
  IF p_uuid BETWEEN {{ map.markers }} THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'idgen plan: the map marks forgotten UUIDs with this value, so it can be no id';
  END IF;
  -- Most ids have an integer, and this read sees it without a lock. The pair may be gone since the snapshot of the transaction.
  -- SET in place of SELECT would lock the gap where there is none.
  SELECT {{ known }} INTO known;
  IF known IS NOT NULL THEN
    SELECT id INTO p_id FROM {{ map.table|name }} WHERE id = known AND uuid = p_uuid LOCK IN SHARE MODE;
  END IF;
{%- if map.is_dedup %}
  IF p_id IS NULL AND p_uuid IS NOT NULL THEN
    -- The index admits a UUID twice. Whoever holds the claim sees all pairs that are committed, with a locking read.
    INSERT INTO {{ map.claims|name }} (uuid) VALUES (p_uuid) ON DUPLICATE KEY UPDATE turn = 1 - turn;
  END IF;
{%- endif %}
  WHILE p_id IS NULL AND p_uuid IS NOT NULL DO
    -- A number of the reserved block. It is drawn without waiting for other transactions, and never twice.
    INSERT INTO {{ ids|name }} (id) VALUES (NULL);
    SET drawn = LAST_INSERT_ID(), taken = 0, in_block = 0;
    -- The block is not used in another epoch, as after a restored backup.
    SELECT epoch INTO map_epoch FROM {{ map.state|name }} WHERE one = 1 AND map_id = x'{{ map.map_id }}';
    SELECT COUNT(*) INTO in_block FROM {{ block|name }}
      WHERE one = 1 AND drawn BETWEEN first_id AND last_id AND epoch = map_epoch LOCK IN SHARE MODE;
    IF in_block = 0 THEN
      -- The block is used up. This is correct as well, but other sessions that need a new integer wait for the commit.
      UPDATE {{ map.state|name }} SET next_id = next_id + 1 WHERE one = 1 AND map_id = x'{{ map.map_id }}' AND next_id <= {{ map.most }};
      IF ROW_COUNT() <> 1 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ ("idgen plan: " ~ map.table ~ " has no integers left, or is another map")|message }};
      END IF;
      SELECT next_id - 1 INTO drawn FROM {{ map.state|name }} WHERE one = 1 FOR UPDATE;
    END IF;
    INSERT INTO {{ map.table|name }} (id, uuid) VALUES (drawn, p_uuid);
{%- if map.is_dedup %}
    IF taken = 0 THEN
      SELECT COUNT(*), MIN(NULLIF(m.id, drawn)) INTO pairs, p_id FROM {{ map.table|name }} AS m FORCE INDEX (hash)
        WHERE m.hash = CRC32(p_uuid) AND m.uuid = p_uuid LOCK IN SHARE MODE;
      IF pairs = 0 THEN
        SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'idgen plan: the index of the map does not show a pair that was just stored';
      END IF;
      IF p_id IS NULL THEN
        SET p_id = drawn;
      ELSE
        DELETE FROM {{ map.table|name }} WHERE id = drawn;
      END IF;
    END IF;
{%- else %}
    IF taken = 0 THEN
      SET p_id = drawn;
    ELSE
      -- A pair that the snapshot hides, or, after an import, another UUID with this integer: then the next number is drawn.
      SELECT id INTO p_id FROM {{ map.table|name }} FORCE INDEX (uuid) WHERE uuid = p_uuid LOCK IN SHARE MODE;
    END IF;
{%- endif %}
  END WHILE;
END
