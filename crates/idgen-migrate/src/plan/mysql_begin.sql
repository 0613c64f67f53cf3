DELIMITER $$
SELECT /*+ MAX_EXECUTION_TIME(60000) SET_VAR(sql_big_selects = 1) */
  /* Finds out whether this session of the server has executed more than a client does at its start: a pooler would give it to others again,
     with the settings and locks of this file. Comments above would count. If you know that no pooler is between, say that the session is yours,
     in it or by the client's --init-command: SET @idgen_own_session = CONNECTION_ID() */
  UUID_TO_BIN(IF(COUNT(*) > 0 AND NOT (COALESCE(@idgen_own_session, 0) = CONNECTION_ID()),
    'this session was used before: it goes through a pooler, or the client did more. The head of the file says what to do', UUID())) INTO @idgen_checked
  FROM performance_schema.session_status WHERE VARIABLE_NAME = 'Questions' AND VARIABLE_VALUE > 3
    /* What the server executes first for ordinary accounts. */
    + IF(@@GLOBAL.init_connect = '', 0, 1 + LENGTH(@@GLOBAL.init_connect) - LENGTH(REPLACE(@@GLOBAL.init_connect, ';', '')))$$
