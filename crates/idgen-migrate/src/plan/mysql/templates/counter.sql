SET @idgen_plan_counter = CONCAT({{ ("ALTER TABLE " ~ table.new|name ~ " AUTO_INCREMENT = ")|text }}, (
        SELECT COALESCE(AUTO_INCREMENT, 1) FROM information_schema.TABLES
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {{ table.now|text }}));
      PREPARE idgen_plan_counter FROM @idgen_plan_counter;
      EXECUTE idgen_plan_counter
