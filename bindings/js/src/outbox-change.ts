// What an outbox takes and gives: a change of a row, the answer of a server, a connection to SQLite.

/** What a column of a change may hold. Write integers beyond 2^53 as text. */
export type ColumnValue = string | number | boolean | null;

/** A row of a result, by the names of its columns. */
export type ResultRow = Readonly<Record<string, unknown>>;

/**
 * A connection to the app's SQLite database: executes one statement with positional parameters, and returns its rows. A few lines over any driver,
 * such as `(sql, parameters) => database.getAllAsync(sql, parameters)` with expo-sqlite. SQLite must be version 3.38 or later.
 */
export type OutboxDatabase = (
  sql: string,
  parameters: (string | number | null)[],
) => readonly ResultRow[] | Promise<readonly ResultRow[]>;

/** A change to be sent: the whole state of a row. Its JSON is what `examples/sync-server` takes. */
export interface Change {
  table: string;
  /** The row's UUID in canonical text. */
  row: string;
  /** The number of the change as decimal text. It ascends with each change of the row. */
  number: string;
  /**
   * The changes of this row that this outbox knows, for the server, as it is: the highest number that it has given out before or that the server
   * has named, and the marks of those that it gave out. If the server has a change of the row that is not among them, this device was restored
   * from a backup or copied: the server answers `older` and changes nothing.
   */
  known: string;
  /**
   * `put` and `replace` store the row, and `delete` removes it. Columns that are not named keep their values with `put`, and get their defaults
   * with `replace`: the row was deleted before, and the deletion may not have been sent.
   */
  operation: "put" | "replace" | "delete";
  /** All columns of the row; none if it is deleted. An integer beyond 2^53 is the text of its digits. */
  columns: Record<string, ColumnValue>;
}

/** What the server answers for a change. Other fields have no effect. */
export type Outcome =
  | { outcome: "applied" }
  | { outcome: "older"; newest: string | number }
  /** It refers to a row that has not arrived. */
  | { outcome: "waits"; reason: string; table: string; row: string }
  /** Another row stands in its way, whose newest change on the server has this number. */
  | { outcome: "blocked"; reason: string; table: string; row: string; number: string | number }
  | { outcome: "refused"; reason: string };

/** A row of the outbox's table that cannot be read, such as one that a trigger wrote with a key that is no UUID in canonical text. */
export interface Unreadable {
  table: string;
  /** The key of the row, as it was written. */
  row: string;
  reason: string;
}
