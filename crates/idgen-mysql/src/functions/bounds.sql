-- The smallest id of a moment in UTC: of the kinds v6, v7, ulid, and v1-swapped, the bytes of UUID_TO_BIN(id, 1).
CREATE FUNCTION idgen_first_id(p_kind VARCHAR(16) CHARACTER SET ascii, p_time DATETIME(6)) RETURNS BINARY(16)
DETERMINISTIC NO SQL
BEGIN
  DECLARE v_micros BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p_time);
  DECLARE v_ticks CHAR(15) CHARACTER SET ascii;
  IF p_kind IS NULL OR p_time IS NULL THEN
    RETURN NULL;
  END IF;
  IF p_kind IN ('v6', 'v1-swapped') AND v_micros BETWEEN -12219292800000000 AND 103072857660684697 THEN
    SET v_ticks = LPAD(HEX(v_micros * 10 + 122192928000000000), 15, '0');
    RETURN UNHEX(IF(p_kind = 'v6', CONCAT(LEFT(v_ticks, 12), '6', RIGHT(v_ticks, 3), '8000000000000000'),
      CONCAT('1', v_ticks, '8000000000000000')));
  END IF;
  IF p_kind IN ('v7', 'ulid') AND v_micros >= 0 THEN
    RETURN UNHEX(CONCAT(LPAD(HEX(v_micros DIV 1000), 12, '0'),
      IF(p_kind = 'v7', '70008000000000000000', '00000000000000000000')));
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: the kind is none of v6, v7, ulid and v1-swapped, or it cannot hold the time';
END
//
-- The largest id of a moment in UTC.
CREATE FUNCTION idgen_last_id(p_kind VARCHAR(16) CHARACTER SET ascii, p_time DATETIME(6)) RETURNS BINARY(16)
DETERMINISTIC NO SQL
BEGIN
  DECLARE v_micros BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p_time);
  DECLARE v_ticks CHAR(15) CHARACTER SET ascii;
  IF p_kind IS NULL OR p_time IS NULL THEN
    RETURN NULL;
  END IF;
  IF p_kind IN ('v6', 'v1-swapped') AND v_micros BETWEEN -12219292800000000 AND 103072857660684697 THEN
    -- A microsecond has ten ticks; the last one of all has fewer.
    SET v_ticks = LPAD(HEX(LEAST(v_micros * 10 + 122192928000000009, 1152921504606846975)), 15, '0');
    RETURN UNHEX(IF(p_kind = 'v6', CONCAT(LEFT(v_ticks, 12), '6', RIGHT(v_ticks, 3), 'BFFFFFFFFFFFFFFF'),
      CONCAT('1', v_ticks, 'BFFFFFFFFFFFFFFF')));
  END IF;
  IF p_kind IN ('v7', 'ulid') AND v_micros >= 0 THEN
    RETURN UNHEX(CONCAT(LPAD(HEX(v_micros DIV 1000), 12, '0'),
      IF(p_kind = 'v7', '7FFFBFFFFFFFFFFFFFFF', 'FFFFFFFFFFFFFFFFFFFF')));
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: the kind is none of v6, v7, ulid and v1-swapped, or it cannot hold the time';
END
//
-- The smallest 64-bit device id (short) of a second in UTC.
CREATE FUNCTION idgen_first_short(p_time DATETIME(6)) RETURNS BIGINT UNSIGNED
DETERMINISTIC NO SQL
BEGIN
  DECLARE v_micros BIGINT DEFAULT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', p_time);
  IF p_time IS NULL THEN
    RETURN NULL;
  END IF;
  IF v_micros BETWEEN 0 AND 4294967295999999 THEN
    RETURN CAST(v_micros DIV 1000000 AS UNSIGNED) << 32;
  END IF;
  SIGNAL SQLSTATE '22000' SET MESSAGE_TEXT = 'idgen: a 64-bit device id cannot hold the time';
END
//
-- The largest 64-bit device id (short) of a second in UTC.
CREATE FUNCTION idgen_last_short(p_time DATETIME(6)) RETURNS BIGINT UNSIGNED
DETERMINISTIC NO SQL
RETURN idgen_first_short(p_time) | 4294967295
