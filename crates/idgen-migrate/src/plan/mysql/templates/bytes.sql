CREATE PROCEDURE IF NOT EXISTS {{ bytes|name }}(IN p_id BIGINT UNSIGNED, OUT p_uuid BINARY(16))
READS SQL DATA
BEGIN
  DECLARE CONTINUE HANDLER FOR NOT FOUND BEGIN END;
  SET p_uuid = NULL;
  IF p_id IS NOT NULL THEN
    -- A locking read sees the pair also in a transaction whose snapshot is older.
    SELECT uuid INTO p_uuid FROM {{ map.table|name }} WHERE id = p_id LOCK IN SHARE MODE;
    IF p_uuid IS NULL THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ ("idgen plan: the map " ~ map.table ~ " has no UUID for this integer")|message }};
    END IF;
  END IF;
END
