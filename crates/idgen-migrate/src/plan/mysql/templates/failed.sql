  -- After an error, a client with --force executes what follows in the file. It fails in a session that only reads.
  DECLARE EXIT HANDLER FOR SQLEXCEPTION
  BEGIN
    SET SESSION TRANSACTION READ ONLY;
    RESIGNAL;
  END;
