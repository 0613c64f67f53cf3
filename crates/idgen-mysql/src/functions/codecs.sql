-- 16 bytes of a UUID, from 16 bytes, or from what UUID_TO_BIN takes: its 36 characters, also in braces, or its 32 digits, in capitals or small letters.
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
  IF LENGTH(p_uuid) = 38 AND LEFT(v_text, 1) = '{' AND RIGHT(v_text, 1) = '}' THEN
    SET v_text = SUBSTRING(v_text, 2, 36);
  END IF;
  IF LENGTH(v_text) = 36 AND v_text REGEXP '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' THEN
    RETURN UNHEX(REPLACE(v_text, '-', ''));
  END IF;
  IF LENGTH(v_text) = 32 AND v_text REGEXP '^[0-9a-fA-F]{32}$' THEN
    RETURN UNHEX(v_text);
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: not a UUID of 16 bytes, or of 36, 38 (in braces) or 32 characters';
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
  DECLARE v_bytes VARBINARY(255);
  IF p_text IS NULL THEN
    RETURN NULL;
  END IF;
  -- Other characters first: for these, MariaDB's FROM_BASE64 raises an error of its own.
  IF CONVERT(p_text USING latin1) REGEXP '^[0-9A-Za-z+/]{22}$' AND LENGTH(p_text) = 22 THEN
    SET v_bytes = FROM_BASE64(CONVERT(CONCAT(p_text, '==') USING ascii));
    IF CAST(LEFT(TO_BASE64(v_bytes), 22) AS BINARY) = p_text THEN
      RETURN v_bytes;
    END IF;
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: not the 22 characters of a UUID in base64';
END
