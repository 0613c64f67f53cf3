-- The prefix that all UUIDs of a week share: LEFT(MD5(CONCAT(YEAR(t), WEEK(t, 0))), 4), with the MD5 of
-- RFC 1321 spelled out for one block, since MySQL 9.6 and later have no MD5().
CREATE FUNCTION idgen_week_prefix(p_time DATETIME(6)) RETURNS CHAR(4) CHARACTER SET ascii
DETERMINISTIC NO SQL
BEGIN
  DECLARE v_text VARBINARY(16) DEFAULT CONCAT(YEAR(p_time), WEEK(p_time, 0));
  DECLARE v_block VARBINARY(64) DEFAULT '';
  DECLARE v_mask BIGINT UNSIGNED DEFAULT 0xffffffff;
  DECLARE a BIGINT UNSIGNED DEFAULT 0x67452301;
  DECLARE b BIGINT UNSIGNED DEFAULT 0xefcdab89;
  DECLARE c BIGINT UNSIGNED DEFAULT 0x98badcfe;
  DECLARE d BIGINT UNSIGNED DEFAULT 0x10325476;
  DECLARE f BIGINT UNSIGNED;
  DECLARE m BIGINT UNSIGNED;
  DECLARE i INT DEFAULT 0;
  DECLARE g INT;
  DECLARE s INT;
  IF p_time IS NULL THEN
    RETURN NULL;
  END IF;
  -- The text, a set bit, zeros, and the length in bits.
  SET v_block = RPAD(CONCAT(v_text, x'80'), 56, x'00');
  SET v_block = RPAD(CONCAT(v_block, UNHEX(LPAD(HEX(8 * LENGTH(v_text)), 2, '0'))), 64, x'00');
  WHILE i < 64 DO
    IF i < 16 THEN
      SET f = (b & c) | (~b & d), g = i, s = ELT(1 + i % 4, 7, 12, 17, 22);
    ELSEIF i < 32 THEN
      SET f = (d & b) | (~d & c), g = (5 * i + 1) % 16, s = ELT(1 + i % 4, 5, 9, 14, 20);
    ELSEIF i < 48 THEN
      SET f = b ^ c ^ d, g = (3 * i + 5) % 16, s = ELT(1 + i % 4, 4, 11, 16, 23);
    ELSE
      SET f = c ^ (b | (~d & v_mask)), g = (7 * i) % 16, s = ELT(1 + i % 4, 6, 10, 15, 21);
    END IF;
    -- Word g of the block, lowest byte first.
    SET m = CONV(HEX(REVERSE(SUBSTRING(v_block, 4 * g + 1, 4))), 16, 10);
    SET f = ((f & v_mask) + a + CAST(FLOOR(ABS(SIN(i + 1)) * 4294967296) AS UNSIGNED) + m) & v_mask;
    SET a = d, d = c, c = b;
    SET b = (b + ((f << s) | (f >> (32 - s)))) & v_mask;
    SET i = i + 1;
  END WHILE;
  SET a = (a + 0x67452301) & v_mask;
  -- The first two bytes of the digest are the two lowest of this word.
  RETURN LOWER(CONCAT(LPAD(HEX(a & 255), 2, '0'), LPAD(HEX((a >> 8) & 255), 2, '0')));
END
