SET @idgen_plan_counter = CONCAT({{ ("ALTER TABLE " ~ counter.to|name ~ " AUTO_INCREMENT = ")|text }}, (
        SELECT LEAST(COALESCE(AUTO_INCREMENT, 1), {{ counter.most }}) FROM information_schema.TABLES
        WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {{ counter.from|text }}));
      PREPARE idgen_plan_counter FROM @idgen_plan_counter;
      EXECUTE idgen_plan_counter
{%- if counter.renewed %};
      -- Setting the counter is no change that somebody made.
      {{ counter.renewed }}
{%- endif %}
