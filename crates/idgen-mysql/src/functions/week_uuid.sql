-- A UUID with the prefix of this week in UTC; the rest is random, and the version says 4.
CREATE FUNCTION idgen_week_uuid() RETURNS CHAR(36) CHARACTER SET ascii
NOT DETERMINISTIC NO SQL
BEGIN
  DECLARE v_hex CHAR(28) CHARACTER SET ascii DEFAULT LOWER(HEX(RANDOM_BYTES(14)));
  RETURN CONCAT(idgen_week_prefix(UTC_TIMESTAMP()), SUBSTRING(v_hex, 1, 4), '-', SUBSTRING(v_hex, 5, 4),
    '-4', SUBSTRING(v_hex, 9, 3),
    '-', SUBSTRING('89ab', 1 + (CONV(SUBSTRING(v_hex, 12, 1), 16, 10) & 3), 1), SUBSTRING(v_hex, 13, 3),
    '-', SUBSTRING(v_hex, 16, 12));
END
