CREATE TABLE IF NOT EXISTS {{ table.at|name }} (
  one TINYINT PRIMARY KEY,
  copied_to {{ table.first.place_type }} NULL,
  rows_copied BIGINT UNSIGNED NOT NULL DEFAULT 0,
  finished BOOLEAN NOT NULL DEFAULT FALSE
) ENGINE = InnoDB
