-- The outbox of idgen: the newest state of each row that the device has changed.
CREATE TABLE IF NOT EXISTS idgen_outbox (
  tbl       TEXT    NOT NULL,
  -- The row's UUID in canonical text.
  row       TEXT    NOT NULL,
  -- The number of the newest change. It ascends with each change of the row, and is never used twice.
  number    INTEGER NOT NULL CHECK (number >= 1),
  -- The highest number of this row that may have reached the server: it was given out to be sent, or the server named it.
  sent      INTEGER NOT NULL DEFAULT 0,
  -- The numbers that were given out since the server had one of them, that one first, each with a mark that was drawn at random: " 3:9F86D081884C7D65".
  -- Two copies of this database may give out the same number, but never with the same mark. The mark 0
  -- stands for any: of the number before the first one, and of one that the server has named and another device gave out.
  given     TEXT    NOT NULL DEFAULT '',
  -- replace: a put after a deletion. Columns that it does not name do not keep the values from before the deletion.
  operation TEXT    NOT NULL CHECK (operation IN ('put', 'replace', 'delete')),
  -- A JSON object: the whole state of the row, also after it was sent. Empty after a deletion.
  columns   TEXT    NOT NULL,
  -- pending: to be sent. done: the server has it. refused: the server refused it, for the reason.
  state     TEXT    NOT NULL CHECK (state IN ('pending', 'done', 'refused')),
  -- Why it was refused, or why it waits.
  reason    TEXT    CHECK (CASE state WHEN 'refused' THEN reason IS NOT NULL WHEN 'done' THEN reason IS NULL ELSE 1 END),
  -- The row that it waits for, or because of which it was refused.
  needs_tbl TEXT,
  needs_row TEXT    CHECK ((needs_row IS NULL) = (needs_tbl IS NULL)),
  -- How often it had to wait since it was changed, and until when: milliseconds since 1970.
  attempts  INTEGER NOT NULL DEFAULT 0,
  wake      INTEGER NOT NULL DEFAULT 0,
  -- 1 if the server had it before, and it is sent again because the server may have lost it.
  resent    INTEGER NOT NULL DEFAULT 0,
  -- Changes are sent in this order.
  position  INTEGER NOT NULL,
  PRIMARY KEY (tbl, row)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS idgen_outbox_state ON idgen_outbox (state, position);
CREATE INDEX IF NOT EXISTS idgen_outbox_needs ON idgen_outbox (needs_tbl, needs_row);
