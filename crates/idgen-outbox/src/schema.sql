-- The outbox of idgen: the newest state of each row that the device has changed. Version 1.
CREATE TABLE IF NOT EXISTS idgen_outbox (
  tbl       TEXT    NOT NULL,
  -- The row's UUID in canonical text.
  row       TEXT    NOT NULL,
  -- The number of the newest change. It ascends with each change of the row, and is never used twice.
  number    INTEGER NOT NULL CHECK (number >= 1),
  operation TEXT    NOT NULL CHECK (operation IN ('put', 'delete')),
  -- A JSON object: the whole state of the row, also after it was sent. Empty after a deletion.
  columns   TEXT    NOT NULL,
  -- pending: to be sent. done: the server has it. refused: the server refused it, for the reason.
  state     TEXT    NOT NULL CHECK (state IN ('pending', 'done', 'refused')),
  reason    TEXT    CHECK ((reason IS NOT NULL) = (state = 'refused')),
  -- Changes are sent in this order.
  position  INTEGER NOT NULL,
  PRIMARY KEY (tbl, row)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idgen_outbox_state ON idgen_outbox (state, position);
