// The changes of a device in its SQLite database: the same table and rules as the Rust crate idgen-outbox.

import schema from "../../../crates/idgen-outbox/src/schema.sql";
import { decodeHyphenated, encodeHyphenated } from "./codec/hyphenated.js";
import { configError, IdError } from "./error.js";

/** What a column of a change may hold. Write integers beyond 2^53 as text. */
export type ColumnValue = string | number | boolean | null;

/** A row of a result, by the names of its columns. */
export type ResultRow = Readonly<Record<string, unknown>>;

/**
 * A connection to the app's SQLite database: executes one statement with positional parameters, and returns its rows. A few lines over any driver,
 * such as `(sql, parameters) => database.getAllAsync(sql, parameters)` with expo-sqlite. SQLite must be version 3.35 or later.
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
  operation: "put" | "delete";
  /** All columns of the row; none if it is deleted. */
  columns: Record<string, ColumnValue>;
}

/** What the server answers for a change. Other fields, such as the reason of `waits`, have no effect. */
export type Outcome =
  | { outcome: "applied" }
  | { outcome: "waits" }
  | { outcome: "older"; newest: string | number }
  | { outcome: "refused"; reason: string };

/** A change that the server has refused, and why. */
export interface Refused {
  change: Change;
  reason: string;
}

const COLUMNS = "tbl, row, number, operation, columns, reason";
const NEXT = "(SELECT COALESCE(MAX(position), 0) + 1 FROM idgen_outbox)";
const PENDING = "tbl = ?1 AND row = ?2 AND state = 'pending'";
const WRITE = `INSERT INTO idgen_outbox (tbl, row, number, operation, columns, state, position) VALUES (?1, ?2, 1, ?3, ?4, 'pending', ${NEXT}) \
ON CONFLICT (tbl, row) DO UPDATE SET number = number + 1, operation = excluded.operation, columns = excluded.columns, \
position = CASE state WHEN 'pending' THEN position ELSE excluded.position END, state = 'pending', reason = NULL RETURNING number`;

/**
 * The changes of rows that a device makes offline, in the app's own SQLite database, until a server has them.
 *
 * Its table has one row for each row that was ever changed, with its newest state and number: ten changes of a row are sent as one. Every method
 * takes the connection; `put` and `delete` take the one of the transaction that changes the row. Rejected promises are an
 * {@link IdError}, or the error of the driver.
 */
export class Outbox {
  private constructor() {}

  /** Creates the table if it is missing. */
  static async open(database: OutboxDatabase): Promise<Outbox> {
    for (const statement of schema.split(/;\s*$/m)) if (statement.trim() !== "") await database(statement, []);
    return new Outbox();
  }

  /**
   * Records that a row was inserted or updated, in the transaction that does so. Columns that are not named keep the values that were recorded
   * before. A refused row is sent again. Resolves to the number of the change as decimal text.
   */
  async put(
    transaction: OutboxDatabase,
    table: string,
    row: string,
    columns: Readonly<Record<string, ColumnValue>>,
  ): Promise<string> {
    const id = canonical(row);
    for (const [column, value] of Object.entries(columns)) checkValue(table, column, value);
    await refuseAutocommit(transaction);
    const [found] = await transaction(`SELECT ${COLUMNS} FROM idgen_outbox WHERE tbl = ?1 AND row = ?2`, [table, id]);
    const state = found === undefined ? {} : change(found).columns;
    return write(transaction, table, id, "put", { ...state, ...columns });
  }

  /** Records that a row was deleted, in the transaction that does so. Resolves to the number of the change. */
  async delete(transaction: OutboxDatabase, table: string, row: string): Promise<string> {
    const id = canonical(row);
    await refuseAutocommit(transaction);
    return write(transaction, table, id, "delete", {});
  }

  /**
   * The next changes to send, the oldest first, until their columns have this many bytes as JSON. There is at least one, if any change is pending.
   * Sending changes again is safe.
   */
  async batch(database: OutboxDatabase, bytes: number): Promise<Change[]> {
    // Read in pieces, because an outbox can be larger than memory should hold.
    const statement = `SELECT ${COLUMNS}, position, length(CAST(columns AS BLOB)) AS size FROM idgen_outbox \
WHERE state = 'pending' AND (position, tbl, row) > (?1, ?2, ?3) ORDER BY position, tbl, row LIMIT 100`;
    const batch: Change[] = [];
    let size = 0;
    let after: (string | number)[] = [0, "", ""];
    for (;;) {
      const rows = await database(statement, after);
      for (const found of rows) {
        size += Number(found.size);
        if (size > bytes && batch.length > 0) return batch;
        batch.push(change(found));
        after = [Number(found.position), String(found.tbl), String(found.row)];
      }
      if (rows.length < 100) return batch;
    }
  }

  /**
   * Records what the server answered for a change of a batch. An answer for an older change than the newest one of the row does nothing: the newest
   * one is still to be sent. Record all answers of a batch in one transaction.
   *
   * If the server has a newer change of the row, the device was restored from a backup or copied: the row is then refused, and
   * {@link Outbox.retry} or the next change of the row overwrites what the server has.
   */
  async answered(
    database: OutboxDatabase,
    { table, row, number }: Pick<Change, "table" | "row" | "number">,
    outcome: Outcome,
  ): Promise<void> {
    const key = [table, canonical(row), stored(number)];
    const update = (set: string, where: string, parameters: (string | number)[]) =>
      database(`UPDATE idgen_outbox SET ${set} WHERE ${PENDING} AND ${where}`, parameters);
    switch (outcome.outcome) {
      case "applied":
        await update("state = 'done'", "number = ?3", key);
        break;
      case "waits":
        await update(`position = ${NEXT}`, "number = ?3", key);
        break;
      case "refused":
        await update("state = 'refused', reason = ?4", "number = ?3", [...key, outcome.reason]);
        break;
      case "older": {
        const newest = stored(outcome.newest);
        const reason = `the server has a newer change of this row, with the number ${newest}: this device was restored from a backup, or copied`;
        await update("state = 'refused', reason = ?4, number = ?3", "number <= ?3", [key[0]!, key[1]!, newest, reason]);
        break;
      }
      default: {
        const unknown = (outcome as { outcome: unknown }).outcome;
        throw configError("unknown outcome", unknown, "use applied, older, waits or refused, as the server answers");
      }
    }
  }

  /** The rows that the server has refused, with the reasons. */
  async refused(database: OutboxDatabase): Promise<Refused[]> {
    const rows = await database(`SELECT ${COLUMNS} FROM idgen_outbox WHERE state = 'refused' ORDER BY position`, []);
    return rows.map((row) => ({ change: change(row), reason: String(row.reason) }));
  }

  /** Sends a refused row again, with a higher number. Resolves to false if the row is not refused. */
  async retry(database: OutboxDatabase, table: string, row: string): Promise<boolean> {
    const statement = `UPDATE idgen_outbox SET state = 'pending', reason = NULL, number = number + 1, position = ${NEXT} \
WHERE tbl = ?1 AND row = ?2 AND state = 'refused' RETURNING number`;
    return (await database(statement, [table, canonical(row)])).length === 1;
  }

  /** How many changes are to be sent. */
  async pending(database: OutboxDatabase): Promise<number> {
    const [found] = await database("SELECT COUNT(*) AS pending FROM idgen_outbox WHERE state = 'pending'", []);
    return Number(found?.pending);
  }
}

const canonical = (row: string): string => encodeHyphenated(decodeHyphenated(row));

/** A number of a change as SQLite stores it, which JavaScript holds exactly. */
const stored = (number: string | number): number => {
  const value = Number(number);
  if (Number.isSafeInteger(value) && value >= 0 && String(value) === String(number)) return value;
  throw configError("not the number of a change", number, "pass on what the outbox and the server gave");
};

const checkValue = (table: string, column: string, value: unknown): void => {
  const isNumber = typeof value === "number" && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (value === null || isNumber || typeof value === "string" || typeof value === "boolean") return;
  const problem = `the column "${column}" of ${table} cannot be`;
  throw configError(problem, value, "use a text, a finite number, a boolean or null, and a text for an integer beyond 2^53");
};

/** Fails outside of a transaction, where a change could be stored without its row. */
const refuseAutocommit = async (transaction: OutboxDatabase): Promise<void> => {
  try {
    await transaction("BEGIN", []);
  } catch {
    return; // SQLite refuses a transaction within a transaction, and changes nothing.
  }
  await transaction("ROLLBACK", []);
  throw new IdError("state", "the connection is in no transaction: begin one, and write the row and its change in it");
};

/** Writes the newest change of a row. A pending row keeps its place, so that it stays before the rows that refer to it. */
const write = async (
  transaction: OutboxDatabase,
  table: string,
  row: string,
  operation: string,
  columns: Readonly<Record<string, ColumnValue>>,
): Promise<string> => {
  const [written] = await transaction(WRITE, [table, row, operation, JSON.stringify(columns)]);
  return String(written?.number);
};

/** Texts and numbers of a JSON document. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

const change = (found: ResultRow): Change => {
  const [table, row, operation, text] = [found.tbl, found.row, found.operation, found.columns].map(String);
  const damaged = (what: string) => new IdError("state", `the outbox is damaged: ${what} of the row "${row}" of "${table}" cannot be read`);
  if (operation !== "put" && operation !== "delete") throw damaged("the operation");
  for (const [token] of text!.matchAll(TOKENS)) {
    // Written by another language.
    if (/^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token))) throw damaged(`the integer ${token}, which JavaScript rounds,`);
  }
  let columns: unknown;
  try {
    columns = JSON.parse(text!);
  } catch {
    throw damaged("the columns");
  }
  if (typeof columns !== "object" || columns === null || Array.isArray(columns)) throw damaged("the columns");
  return { table: table!, row: row!, number: String(found.number), operation, columns: columns as Change["columns"] };
};
