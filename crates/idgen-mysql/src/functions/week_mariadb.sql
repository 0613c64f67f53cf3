-- The prefix that all UUIDs of a week share. Week mode 0, whatever default_week_format says.
CREATE FUNCTION idgen_week_prefix(p_time DATETIME(6)) RETURNS CHAR(4) CHARACTER SET ascii
DETERMINISTIC NO SQL
RETURN LEFT(MD5(CONCAT(YEAR(p_time), WEEK(p_time, 0))), 4)
