  DECLARE phase TINYINT DEFAULT NULL;
  -- RENAME TABLE exchanges the table of the phase together with all others, so a statement sees one state of all of them.
  -- The locking read sees the row also in a transaction whose snapshot is older than the plan.
  {{ plan.any_age }}SELECT renamed INTO phase FROM {{ plan.phase|name }} LOCK IN SHARE MODE;
  IF phase IS NULL THEN
    SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'idgen plan: the table of the phase has no row; undo the plan';
  END IF;
