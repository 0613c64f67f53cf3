DELIMITER $$
SET STATEMENT max_statement_time = 60, sql_big_selects = 1 FOR SELECT
  /* Finds out whether this session of the server has executed more than a client does at its start: a pooler would give it to others again,
     with the settings and locks of this file. If you know that no pooler is between, say that the session is yours, in it or by the client's
     --init-command: SET @idgen_own_session = CONNECTION_ID() */
  IF(COUNT(*) > 0 AND NOT (COALESCE(@idgen_own_session, 0) = CONNECTION_ID()),
    'SIGNAL SQLSTATE ''45000'' SET MESSAGE_TEXT = ''this session was used before: it goes through a pooler, or the client did more. The head of the file says what to do''',
    'DO 0') INTO @idgen_checked
  FROM information_schema.SESSION_STATUS WHERE LEFT(VARIABLE_NAME, 4) = 'COM_' AND VARIABLE_NAME <> 'COM_ADMIN_COMMANDS'
    AND VARIABLE_VALUE > IF(VARIABLE_NAME = 'COM_SELECT', 3, 0)
    /* What the server executes first for ordinary accounts. */
    + IF(@@GLOBAL.init_connect = '', 0, 1 + LENGTH(@@GLOBAL.init_connect) - LENGTH(REPLACE(@@GLOBAL.init_connect, ';', '')))$$
EXECUTE IMMEDIATE @idgen_checked$$
