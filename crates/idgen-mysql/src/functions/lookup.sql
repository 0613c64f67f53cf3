-- The id of a UUID, or NULL. Makes nothing.
CREATE FUNCTION idgen_find(p_uuid VARBINARY(255)) RETURNS BIGINT UNSIGNED
READS SQL DATA
BEGIN
  DECLARE v_uuid BINARY(16) DEFAULT idgen_bytes(p_uuid);
  RETURN (SELECT id FROM {table} {condition});
END
//
-- The UUID of an id as 36 characters, or NULL; also NULL where the UUID was forgotten, and a marker took its place.
CREATE FUNCTION idgen_uuid_of(p_id BIGINT UNSIGNED) RETURNS CHAR(36) CHARACTER SET ascii
READS SQL DATA
BEGIN
  DECLARE v_hex CHAR(32) CHARACTER SET ascii DEFAULT (SELECT LOWER(HEX(uuid)) FROM {table} WHERE id = p_id
    AND NOT uuid BETWEEN x'FFFFFFFFFFFFFFFF0000000000000000' AND x'FFFFFFFFFFFFFFFF7FFFFFFFFFFFFFFF');
  RETURN IF(v_hex IS NULL, NULL, CONCAT_WS('-', SUBSTRING(v_hex, 1, 8), SUBSTRING(v_hex, 9, 4), SUBSTRING(v_hex, 13, 4),
    SUBSTRING(v_hex, 17, 4), SUBSTRING(v_hex, 21, 12)));
END
