-- 16 bytes of a UUID, from 16 bytes or from its 36 characters in capitals or small letters.
CREATE FUNCTION idgen_bytes(p_uuid VARBINARY(255)) RETURNS BINARY(16)
DETERMINISTIC NO SQL
BEGIN
  DECLARE v_text VARCHAR(255) CHARACTER SET latin1 DEFAULT CONVERT(p_uuid USING latin1);
  IF p_uuid IS NULL THEN
    RETURN NULL;
  END IF;
  IF LENGTH(p_uuid) = 16 THEN
    RETURN p_uuid;
  END IF;
  IF v_text REGEXP '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN
    RETURN UNHEX(REPLACE(v_text, '-', ''));
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: not a UUID of 16 bytes or 36 characters';
END
//
-- 22 characters of base64, without padding.
CREATE FUNCTION idgen_to_base64(p_uuid VARBINARY(255)) RETURNS CHAR(22) CHARACTER SET ascii COLLATE ascii_bin
DETERMINISTIC NO SQL
RETURN LEFT(TO_BASE64(idgen_bytes(p_uuid)), 22)
//
-- The way back. What no encoder writes is refused: two texts would otherwise mean one UUID.
CREATE FUNCTION idgen_from_base64(p_text VARBINARY(255)) RETURNS BINARY(16)
DETERMINISTIC NO SQL
BEGIN
  DECLARE v_bytes VARBINARY(255) DEFAULT FROM_BASE64(CONVERT(CONCAT(p_text, '==') USING ascii));
  IF p_text IS NULL THEN
    RETURN NULL;
  END IF;
  IF LENGTH(p_text) = 22 AND LENGTH(v_bytes) = 16 AND CAST(LEFT(TO_BASE64(v_bytes), 22) AS BINARY) = p_text THEN
    RETURN v_bytes;
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: not the 22 characters of a UUID in base64';
END
