// The changes of a device in its SQLite database: the same table and rules as the Rust crate idgen-outbox.

import schema from "../../../crates/idgen-outbox/src/schema.sql";
import { decodeHyphenated, encodeHyphenated } from "./codec/hyphenated.js";
import { configError, IdError } from "./error.js";
import type { Change, ColumnValue, Outcome, OutboxDatabase, ResultRow, Unreadable } from "./outbox-change.js";
import { answered, giveOut, LONGEST, refuse, release, renameColumn, resend, retry, setAside, stored, writing } from "./outbox-states.js";

export type { Change, ColumnValue, Outcome, OutboxDatabase, ResultRow, Unreadable } from "./outbox-change.js";

/** How much a server takes at once, as it says itself. */
export interface Limits {
  /** The most changes of a batch. */
  changes: number;
  /** The most bytes of a batch as JSON, before it is compressed. */
  bytes: number;
  /** The most that the server states, if the device sends less: for rows that have to be sent together. */
  most?: { changes: number; bytes: number };
}

/** A change that the server has refused, and why. */
export interface Refused {
  change: Change;
  reason: string;
}

/** A change that waits for another row. */
export interface Waiting {
  change: Change;
  reason: string;
  /** The row that it waits for. */
  needs: { table: string; row: string };
  /** When it is sent again, in milliseconds since 1970, unless the row that it waits for is applied before. */
  until: number;
}

const COLUMNS = "tbl, row, number, operation, columns, reason, needs_tbl, needs_row, wake, sent, given";
const OF_PENDING = `SELECT ${COLUMNS}, position, length(CAST(tbl AS BLOB)) + length(CAST(columns AS BLOB)) + length(given) AS size FROM idgen_outbox WHERE state = 'pending'`;
const OF_REFUSED = `SELECT ${COLUMNS} FROM idgen_outbox WHERE state = 'refused' ORDER BY position, tbl, row`;
/** More bytes than a change has as JSON beside its table's name and its columns. */
const BESIDE = 200;
/** A server that takes fewer bytes takes no change. */
const LEAST = 300;

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
    checkWhole("the name of the table", table);
    checkPlain(table, columns);
    for (const [column, value] of Object.entries(columns)) checkValue(table, column, value);
    await refuseAutocommit(transaction);
    return write(transaction, table, id, "put", columns);
  }

  /** Records that a row was deleted, in the transaction that does so. Resolves to the number of the change. */
  async delete(transaction: OutboxDatabase, table: string, row: string): Promise<string> {
    const id = canonical(row);
    checkWhole("the name of the table", table);
    await refuseAutocommit(transaction);
    return write(transaction, table, id, "delete", {});
  }

  /**
   * The next changes to send, the oldest first, within the limits that the server states. Sending changes again is safe.
   *
   * A change that waits for another row is not among them until the time is over that {@link Outbox.waiting} names, or until the other row is
   * applied. So a loop that sends batches until there is none ends. A change that alone exceeds the limit of bytes is refused. Rows that wait for each
   * other in a circle have to be sent together: if they exceed the limits, they are one batch up to `limits.most`, and refused beyond it. A row that
   * cannot be read is set aside: see {@link Outbox.unreadable}.
   *
   * It notes in the table what it resolves to, so that a later copy of the database is recognized: within a transaction, commit before sending.
   */
  async batch(database: OutboxDatabase, limits: Limits = { changes: 500, bytes: 500_000 }, now: number = Date.now()): Promise<Change[]> {
    if (!(limits.changes >= 1 && limits.bytes >= LEAST)) {
      throw configError("limits without room for a change", JSON.stringify(limits), `give at least 1 change and ${LEAST} bytes`);
    }
    if (!Number.isFinite(now)) throw configError("not a time in milliseconds since 1970", now, "use Date.now()");
    return giveOut(database, await this.next(database, limits, now));
  }

  private async next(database: OutboxDatabase, limits: Limits, now: number): Promise<Change[]> {
    // Read in pieces, because an outbox can be larger than memory should hold.
    const statement = `${OF_PENDING} AND (wake <= ?4 OR wake > ?5) AND (position, tbl, row) > (?1, ?2, ?3) ORDER BY position, tbl, row LIMIT 100`;
    let batch: Change[] = [];
    const taken = new Set<string>();
    let size = 0;
    let after: (string | number)[] = [0, "", ""];
    for (;;) {
      const rows = await database(statement, [...after, now, now + LONGEST]);
      for (const row of rows) {
        after = [Number(row.position), String(row.tbl), String(row.row)];
        const isFirst = batch.length === 0;
        // Rows may have to exchange their values: a row is sent together with the one that it waits for.
        for (let found: ResultRow | undefined = row; found !== undefined; ) {
          const read = change(found);
          if ("reason" in read) {
            // One that another row waits for is set aside in its own turn.
            if (found === row) await setAside(database, read);
            break;
          }
          const key = `${found.tbl} ${found.row}`;
          const bytes = Number(found.size) + BESIDE;
          if (bytes > limits.bytes) {
            await refuse(database, read.table, read.row, Number(read.number), `the change has ${bytes} bytes, and the server takes at most ${limits.bytes}`);
            break;
          }
          if (taken.has(key)) break;
          if (batch.length > 0 && (size + bytes > limits.bytes || batch.length >= limits.changes)) {
            // Without each other, the rows of a circle would wait for ever.
            const circle = isFirst ? await this.circle(database, row, limits) : undefined;
            if (circle === undefined) return batch;
            for (const change of circle.changes) taken.add(`${change.table} ${change.row}`);
            batch = circle.changes;
            const most = { changes: Math.max(limits.changes, limits.most?.changes ?? 0), bytes: Math.max(limits.bytes, limits.most?.bytes ?? 0) };
            if (batch.length <= most.changes && circle.bytes <= most.bytes) return batch;
            const reason = `it exchanges its values with other rows, ${batch.length} changes of ${circle.bytes} bytes together, \
and the server takes at most ${most.bytes} bytes and ${most.changes} changes`;
            await refuse(database, String(row.tbl), String(row.row), Number(row.number), reason);
            batch = [];
            size = 0;
            break;
          }
          taken.add(key);
          size += bytes;
          batch.push(read);
          found = await needed(database, found);
        }
      }
      if (rows.length < 100) return batch;
    }
  }

  /** The rows that wait for each other in a circle with this one; undefined if it is in no circle, or if one of them is too large alone. */
  private async circle(database: OutboxDatabase, first: ResultRow, limits: Limits): Promise<{ changes: Change[]; bytes: number } | undefined> {
    const changes: Change[] = [];
    const seen = new Set<string>();
    let bytes = 0;
    // A row that comes twice is of another circle.
    for (let found: ResultRow | undefined = first; found !== undefined && !seen.has(`${found.tbl} ${found.row}`); found = await needed(database, found)) {
      const read = change(found);
      const size = Number(found.size) + BESIDE;
      if ("reason" in read || size > limits.bytes) return undefined;
      seen.add(`${found.tbl} ${found.row}`);
      changes.push(read);
      bytes += size;
      if (found.needs_tbl === first.tbl && found.needs_row === first.row) return { changes, bytes };
    }
    return undefined;
  }

  /**
   * Records what the server answered for a change of a batch. An answer for an older change than the newest one of the row does nothing: the newest
   * one is still to be sent. Record all answers of a batch in one transaction.
   *
   * - `waits`: the change is sent again when the row that it waits for was applied, or after 2 seconds, then 4, and so on, up to an hour. If that
   *   row is refused here, this one is, too.
   * - `blocked`: refused, unless this device has a newer change of the row that stands in the way. Then it waits.
   * - `older`: the device was restored from a backup or copied. The row is refused, and {@link Outbox.retry} or the next change of the row
   *   overwrites what the server has.
   */
  async answered(
    database: OutboxDatabase,
    { table, row, number }: Pick<Change, "table" | "row" | "number">,
    outcome: Outcome,
    now: number = Date.now(),
  ): Promise<void> {
    await answered(database, table, canonical(row), stored(number), outcome, now);
  }

  /** The changes that wait for other rows, and for whom. */
  async waiting(database: OutboxDatabase): Promise<Waiting[]> {
    const rows = await database(`${OF_PENDING} AND needs_row IS NOT NULL ORDER BY position, tbl, row`, []);
    return rows.flatMap((row) => {
      const read = change(row);
      // The next batch sets others aside.
      if ("reason" in read) return [];
      const needs = { table: String(row.needs_tbl), row: String(row.needs_row) };
      return [{ change: read, reason: String(row.reason), needs, until: Number(row.wake) }];
    });
  }

  /** The rows that the server has refused, with the reasons. */
  async refused(database: OutboxDatabase): Promise<Refused[]> {
    const rows = await database(OF_REFUSED, []);
    return rows.flatMap((row) => {
      const read = change(row);
      return "reason" in read ? [] : [{ change: read, reason: String(row.reason) }];
    });
  }

  /**
   * The rows that no batch has, because they cannot be read: somebody else than this class wrote them, such as a trigger that records a key in
   * capital letters. Correct the trigger, and write or delete such a row of `idgen_outbox` by hand.
   */
  async unreadable(database: OutboxDatabase): Promise<Unreadable[]> {
    const rows = await database(OF_REFUSED, []);
    return rows.map(change).filter((read): read is Unreadable => "reason" in read);
  }

  /**
   * Gives a column of a table another name in all rows, for the migration of the app in which the server's column got this name. Otherwise each row
   * would be refused, because the whole state of a row is sent. Refused rows that have the column are sent again. Resolves to the number of rows
   * that had it.
   */
  async renameColumn(transaction: OutboxDatabase, table: string, from: string, to: string): Promise<number> {
    checkColumn(table, from);
    checkColumn(table, to);
    if (from === to) throw configError(`the new name of a column of ${table}`, to, "give another name than the old one");
    return renameColumn(transaction, table, from, to);
  }

  /** Removes a column of a table from all rows, for the migration of the app after which the server has it no more. See {@link Outbox.renameColumn}. */
  async dropColumn(transaction: OutboxDatabase, table: string, column: string): Promise<number> {
    checkColumn(table, column);
    return renameColumn(transaction, table, column);
  }

  /** Sends a refused row again, with a higher number, and the rows that were refused because of it. Resolves to false if the row is not refused. */
  async retry(database: OutboxDatabase, table: string, row: string): Promise<boolean> {
    return retry(database, table, canonical(row));
  }

  /**
   * Sends everything again that the server has, and resolves to the number of these rows: after the server was restored from a backup, only the
   * devices have what it lost. What the server still has is not changed.
   */
  async resend(database: OutboxDatabase): Promise<number> {
    return resend(database);
  }

  /** How many changes are to be sent, with those that wait. */
  async pending(database: OutboxDatabase): Promise<number> {
    const [found] = await database("SELECT COUNT(*) AS pending FROM idgen_outbox WHERE state = 'pending'", []);
    return Number(found?.pending);
  }
}

const canonical = (row: string): string => encodeHyphenated(decodeHyphenated(row));

/** Refuses what has no columns of its own, such as a Map or an object of a class with getters. */
const checkPlain = (table: string, columns: unknown): void => {
  const plain = typeof columns === "object" && columns !== null && [Object.prototype, null].includes(Object.getPrototypeOf(columns));
  if (!plain) throw configError(`the columns of ${table} are no plain object`, String(columns), "give { column: value }");
};

const checkColumn = (table: string, column: string): void => {
  if (!/^[A-Za-z0-9_]+$/.test(column)) throw configError(`not the name of a column of ${table}`, column, "use letters, digits and underscores");
};

/** Refuses a text that is cut in the middle of a character. No server takes it. */
const checkWhole = (what: string, value: unknown): void => {
  if (typeof value !== "string" || !/[\uD800-\uDFFF]/u.test(value)) return;
  throw configError(`${what} has half a character (a lone surrogate)`, value, "cut texts between characters");
};

const checkValue = (table: string, column: string, value: unknown): void => {
  checkColumn(table, column);
  checkWhole(`the column "${column}" of ${table}`, value);
  const isNumber = typeof value === "number" && Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  if (value === null || isNumber || typeof value === "string" || typeof value === "boolean") return;
  const problem = `the column "${column}" of ${table} cannot be`;
  throw configError(problem, value, "use a text, a finite number, a boolean or null, and a text for an integer beyond 2^53");
};

/** Fails outside of a transaction, where a change could be stored without its row. */
const refuseAutocommit = async (transaction: OutboxDatabase): Promise<void> => {
  // SQLite refuses to set this within a transaction. Set to what it is, it changes nothing, whatever else the connection does meanwhile.
  const [found] = await transaction("PRAGMA synchronous", []);
  const level = Number(Object.values(found ?? {})[0] ?? 2);
  try {
    await transaction(`PRAGMA synchronous = ${level}`, []);
  } catch {
    return;
  }
  throw new IdError("state", "the connection is in no transaction: begin one, and write the row and its change in it");
};

/**
 * Writes the newest change of a row. A pending row keeps its place, so that it stays before the rows that refer to it.
 *
 * One statement reads the columns and writes them, so that calls at the same time lose nothing.
 */
const write = async (
  transaction: OutboxDatabase,
  table: string,
  row: string,
  operation: "put" | "delete",
  columns: Readonly<Record<string, ColumnValue>>,
): Promise<string> => {
  const named = Object.entries(columns);
  let set = "columns";
  for (let from = 0; from < named.length; from += PAIRS) {
    const pairs = named.slice(from, from + PAIRS).map(([column], at) => `, '$."${column}"', json(?${from + at + 5})`);
    set = `json_set(${set}${pairs.join("")})`;
  }
  const merged = operation === "delete" ? "'{}'" : `CASE WHEN json_valid(columns) THEN ${set} ELSE columns END`;
  const values = named.map(([, value]) => JSON.stringify(value));
  const parameters = [table, row, operation, JSON.stringify(columns), ...(operation === "delete" ? [] : values)];
  const [written] = await transaction(writing(named.length === 0 && operation === "put" ? "columns" : merged), parameters);
  if (written === undefined) throw new IdError("state", "the database returned no row for RETURNING: use SQLite 3.38 or later");
  await release(transaction, table, row);
  const read = change({ ...written, tbl: table, row });
  if ("reason" in read) throw new IdError("state", `the outbox is damaged: the row ${row} of ${table} cannot be read: ${read.reason}`);
  return read.number;
};

/** Pairs of one call: functions of SQLite take at most 127 arguments, unless it was compiled otherwise. */
const PAIRS = 50;

/**
 * A JSON document whose integers are texts where JavaScript would round them, as another language may have written them. Servers read the digits as
 * the integer. A regular expression over whole texts would take a step of recursion for each escape.
 */
const exact = (json: string): string => {
  const isRounded = (token: string) => /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token));
  const numbers = (part: string) => part.replace(/-?\d[\d.eE+-]*/g, (token) => (isRounded(token) ? `"${token}"` : token));
  let text = "";
  for (let from = 0; ; ) {
    const begin = json.indexOf('"', from);
    if (begin < 0) return text + numbers(json.slice(from));
    let end = begin;
    for (let escapes = 1; escapes % 2 === 1; ) {
      end = json.indexOf('"', end + 1);
      // Not closed: no JSON.
      if (end < 0) return json;
      for (escapes = 0; json[end - 1 - escapes] === "\\"; ) escapes++;
    }
    text += numbers(json.slice(from, begin)) + json.slice(begin, end + 1);
    from = end + 1;
  }
};

/** The row that a row waits for, if it is to be sent. */
const needed = async (database: OutboxDatabase, { needs_tbl, needs_row }: ResultRow): Promise<ResultRow | undefined> => {
  if (needs_row === null) return undefined;
  const [found] = await database(`${OF_PENDING} AND tbl = ?1 AND row = ?2`, [String(needs_tbl), String(needs_row)]);
  return found;
};

/** A change, or its row as one that cannot be read. */
const change = (found: ResultRow): Change | Unreadable => {
  const [table, row, operation, text] = [found.tbl, found.row, found.operation, found.columns].map(String) as [string, string, string, string];
  const unreadable = (reason: string): Unreadable => ({ table, row, reason });
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(row)) return unreadable("its key is no UUID in canonical text, of small letters");
  let columns: unknown;
  try {
    columns = JSON.parse(exact(text), (_, value: unknown) => {
      // 9e999 is a number, and would be sent as null.
      if (value === Infinity || value === -Infinity) throw new RangeError();
      return value;
    });
  } catch {
    // Not JSON, as what is no object is not.
  }
  if (typeof columns !== "object" || columns === null || Array.isArray(columns)) return unreadable("its columns are no JSON object");
  if (operation !== "put" && operation !== "replace" && operation !== "delete") return unreadable("its operation is none of put, replace and delete");
  const [number, sent] = [found.number, found.sent].map(Number);
  if (!Number.isSafeInteger(number) || !Number.isSafeInteger(sent)) return unreadable("its number is no whole number");
  return { table, row, number: String(number), known: `${sent}${found.given}`, operation, columns: columns as Change["columns"] };
};
