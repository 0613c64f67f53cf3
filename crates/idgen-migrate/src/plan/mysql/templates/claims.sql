CREATE PROCEDURE {{ clear|name }}()
MODIFIES SQL DATA
BEGIN
  DECLARE cleared INT DEFAULT 0;
  -- As the clients of the map do it: claims of transactions that are not committed are skipped, without waiting for them.
  REPEAT
    SET cleared = 0;
    START TRANSACTION;
    BEGIN
      DECLARE claimed BINARY(16);
      DECLARE ended INT DEFAULT 0;
      DECLARE claims CURSOR FOR SELECT uuid FROM {{ map.claims|name }} LIMIT {{ some }} FOR UPDATE SKIP LOCKED;
      DECLARE CONTINUE HANDLER FOR NOT FOUND SET ended = 1;
      OPEN claims;
      each_claim: LOOP
        FETCH claims INTO claimed;
        IF ended = 1 THEN
          LEAVE each_claim;
        END IF;
        -- Each by its key: for a list of rows the server may read the whole table, and wait for locks.
        DELETE FROM {{ map.claims|name }} WHERE uuid = claimed;
        SET cleared = cleared + 1;
      END LOOP;
      CLOSE claims;
    END;
    COMMIT;
  UNTIL cleared < {{ some }} END REPEAT;
END
