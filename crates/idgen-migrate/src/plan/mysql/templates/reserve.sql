CREATE PROCEDURE {{ reserve|name }}()
BEGIN
  DECLARE first_integer, size BIGINT UNSIGNED DEFAULT NULL;
  DECLARE is_enough INT DEFAULT 0;
  -- As long as more than half of a block is left, there is nothing to do.
  SELECT COUNT(*) INTO is_enough FROM {{ block|name }} AS b JOIN {{ map.state|name }} AS s ON s.one = 1 AND s.epoch = b.epoch
    WHERE COALESCE((SELECT MAX(id) FROM {{ ids|name }}), b.first_id) + (b.last_id - b.first_id) DIV 2 < b.last_id;
  IF is_enough = 0 THEN
    START TRANSACTION;
    SELECT next_id INTO first_integer FROM {{ map.state|name }}
      WHERE one = 1 AND map_id = x'{{ map.map_id }}' AND next_id <= {{ map.most }} FOR UPDATE;
    SET size = LEAST({{ map.block }}, ({{ map.end }} - first_integer) DIV 100);
    IF size IS NULL OR size = 0 THEN
      SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = {{ (map.table ~ " has too few integers left, or is another map than that of the plan")|message }};
    END IF;
    UPDATE {{ map.state|name }} SET next_id = first_integer + size WHERE one = 1;
    REPLACE INTO {{ block|name }} (one, first_id, last_id, epoch)
      SELECT 1, first_integer, first_integer + size - 1, epoch FROM {{ map.state|name }} WHERE one = 1;
    COMMIT;
  END IF;
  -- It is made again if an earlier execution ended before this.
  SELECT CONCAT({{ ("ALTER TABLE " ~ ids|name ~ " AUTO_INCREMENT = ")|text }}, first_id) INTO @idgen_plan_reserve FROM {{ block|name }};
  PREPARE idgen_plan_reserve FROM @idgen_plan_reserve;
  EXECUTE idgen_plan_reserve;
  DEALLOCATE PREPARE idgen_plan_reserve;
END
