// The transitions of a row's state: the same statements as in the Rust crate idgen-outbox. tests/vectors/outbox.json tests both.

import { decodeHyphenated, encodeHyphenated } from "./codec/hyphenated.js";
import { configError } from "./error.js";
import type { Change, Outcome, OutboxDatabase, Unreadable } from "./outbox-change.js";

/** Nothing can follow the largest number of a change. */
const LARGEST = Number.MAX_SAFE_INTEGER;
/** A change waits for at most this many milliseconds until it is sent again. */
export const LONGEST = 3_600_000;

const IS = "tbl = ?1 AND row = ?2";
const FRESH = "needs_tbl = NULL, needs_row = NULL, attempts = 0, wake = 0";
// The last place, found in the index of states and places.
const OF_STATE = ["pending", "done", "refused"].map(
  (state) => `SELECT * FROM (SELECT position AS place FROM idgen_outbox WHERE state = '${state}' ORDER BY position DESC LIMIT 1)`,
);
const LAST = `(SELECT COALESCE(MAX(place), 0) FROM (${OF_STATE.join(" UNION ALL ")}))`;
/** The rows that need a row, and those that need these; without the row itself. */
const OTHERS = "WITH RECURSIVE others (tbl, row) AS (SELECT ?1, ?2 UNION SELECT o.tbl, o.row FROM idgen_outbox o \
JOIN others ON o.needs_tbl = others.tbl AND o.needs_row = others.row)";
const IS_OTHER = "needs_row IS NOT NULL AND (tbl, row) IN (SELECT tbl, row FROM others) AND (tbl, row) <> (?1, ?2)";

/**
 * Rows that are sent again come last, in their order, and in consecutive places: larger steps would reach the largest integer that JavaScript
 * holds at some time.
 */
const again = (which: string): string =>
  `again AS (SELECT tbl, row, ${LAST} + ROW_NUMBER() OVER (ORDER BY position, tbl, row) AS place FROM idgen_outbox WHERE ${which})`;
const AGAIN = "position = again.place FROM again WHERE idgen_outbox.tbl = again.tbl AND idgen_outbox.row = again.row";

/** The statement that writes the newest change of a row, whose columns are `columns` if there is one already. */
export const writing = (columns: string): string => `INSERT INTO idgen_outbox (tbl, row, number, operation, columns, state, position) \
VALUES (?1, ?2, 1, ?3, ?4, 'pending', ${LAST} + 1) \
ON CONFLICT (tbl, row) DO UPDATE SET number = number + 1, operation = CASE WHEN excluded.operation = 'put' AND \
(operation = 'delete' OR operation = 'replace' AND state <> 'done') THEN 'replace' ELSE excluded.operation END, columns = ${columns}, \
position = CASE state WHEN 'pending' THEN position ELSE excluded.position END, state = 'pending', reason = NULL, ${FRESH}, resent = 0 \
RETURNING number, columns, operation, sent, given`;

/** A number of a change as SQLite stores it, which JavaScript holds exactly. */
export const stored = (number: string | number): number => {
  const value = Number(number);
  if (Number.isSafeInteger(value) && value >= 0 && String(value) === String(number)) return value;
  throw configError("not the number of a change", number, "pass on what the outbox and the server gave");
};

/** A number that a server states, which may be larger than JavaScript holds exactly: then it is the largest. */
const stated = (number: string | number): number => {
  if (!/^\d+$/.test(String(number))) throw configError("not the number of a change", number, "pass on what the server gave");
  return Math.min(Number(number), LARGEST);
};

const because = (table: string, row: string): string => `it waits for the row ${row} of ${table}, which was refused`;

/** See `Outbox.answered`. */
export const answered = async (
  database: OutboxDatabase,
  table: string,
  row: string,
  number: number,
  answer: Outcome,
  now: number,
): Promise<void> => {
  if (!["applied", "older", "waits", "blocked", "refused"].includes(answer.outcome)) {
    const advice = "use applied, older, waits, blocked or refused, as the server answers";
    throw configError("unknown outcome", (answer as { outcome: unknown }).outcome, advice);
  }
  const newest = answer.outcome === "older" ? stated(answer.newest) : 0;
  const [found] = await database(`SELECT state, resent, attempts, number, sent FROM idgen_outbox WHERE ${IS}`, [table, row]);
  if (found === undefined) return;
  const current = Number(found.number);
  if (current !== number) {
    // The server has a change of which this device does not know, and would be overwritten by the next one.
    const own = number < newest && newest <= Number(found.sent);
    if (answer.outcome === "older" && found.state === "pending" && number < current && !own) await older(database, table, row, current, answer.newest);
    return;
  }
  // Also of a row that was refused: the change was sent twice.
  if (answer.outcome === "applied" && (found.state === "pending" || found.state === "refused")) return done(database, table, row);
  if (found.state !== "pending") return;
  switch (answer.outcome) {
    case "older":
      return Number(found.resent) === 1 ? done(database, table, row) : older(database, table, row, number, answer.newest);
    case "refused":
      await refuse(database, table, row, number, answer.reason);
      return;
    case "waits":
    case "blocked": {
      const needed = encodeHyphenated(decodeHyphenated(answer.row));
      // A row that the server has may have a higher number since a column was renamed.
      const newestHere = "CASE state WHEN 'done' THEN MIN(number, sent) ELSE number END AS number";
      const [other] = await database(`SELECT state, ${newestHere} FROM idgen_outbox WHERE ${IS}`, [answer.table, needed]);
      const refused = other?.state === "refused";
      const known = answer.outcome === "blocked" ? stated(answer.number) : -1;
      const final = refused || (known >= 0 && (other === undefined || Number(other.number) <= known));
      if (final) await refuse(database, table, row, number, refused ? because(answer.table, needed) : answer.reason);
      else {
        const pause = Math.min(2000 * 2 ** Math.min(Number(found.attempts), 20), LONGEST);
        const wait = `UPDATE idgen_outbox SET reason = ?3, attempts = attempts + 1, wake = ?4, position = ${LAST} + 1 WHERE ${IS}`;
        await database(wait, [table, row, answer.reason, now + pause]);
      }
      await database(`UPDATE idgen_outbox SET needs_tbl = ?3, needs_row = ?4 WHERE ${IS}`, [table, row, answer.table, needed]);
    }
  }
};

const done = async (database: OutboxDatabase, table: string, row: string): Promise<void> => {
  // Of what was given out, the last one is the row's newest change.
  const given = "CASE instr(given, ' ' || number || ':') WHEN 0 THEN '' ELSE substr(given, instr(given, ' ' || number || ':')) END";
  const statement = `UPDATE idgen_outbox SET state = 'done', sent = MAX(sent, number), given = ${given}, reason = NULL, ${FRESH}, resent = 0 WHERE ${IS}`;
  await database(statement, [table, row]);
  await release(database, table, row);
};

/** Refuses a row of which the server has a change that this device does not know. The next number follows both, and is known to follow the server's. */
const older = async (database: OutboxDatabase, table: string, row: string, number: number, named: string | number): Promise<void> => {
  const newest = stated(named);
  const reason = `the server has a newer change of this row, with the number ${named}: this device was restored from a backup, or copied`;
  // Nothing can follow the largest number, so that the row stays refused.
  if ((await refuse(database, table, row, number, reason)) && newest < LARGEST) {
    await database(`UPDATE idgen_outbox SET number = MAX(number, ?3), sent = ?3, given = ' ' || ?3 || ':0' WHERE ${IS}`, [table, row, newest]);
  }
};

/** Refuses a row, and those that wait for it, unless it has another number than this one by now. Resolves to whether it did. */
export const refuse = async (database: OutboxDatabase, table: string, row: string, number: number, reason: string): Promise<boolean> => {
  const found = await database(`SELECT 1 AS one FROM idgen_outbox WHERE ${IS} AND number = ?3`, [table, row, number]);
  if (found.length === 0) return false;
  const own = `UPDATE idgen_outbox SET state = 'refused', reason = ?3, ${FRESH}, resent = 0 WHERE ${IS} AND number = ?4`;
  await database(own, [table, row, reason, number]);
  // The plus sign keeps SQLite from reading all pending rows, of which there may be thousands for each call.
  const others = `${OTHERS} UPDATE idgen_outbox SET state = 'refused', reason = ?3, attempts = 0, wake = 0 WHERE +state = 'pending' AND ${IS_OTHER}`;
  await database(others, [table, row, because(table, row)]);
  return true;
};

/** Sends the rows again that wait for a row or were refused because of it, and those that wait for these. */
export const release = async (database: OutboxDatabase, table: string, row: string): Promise<void> => {
  const statement = `${OTHERS}, ${again(`state <> 'done' AND ${IS_OTHER}`)} \
UPDATE idgen_outbox SET state = 'pending', reason = NULL, ${FRESH}, ${AGAIN}`;
  await database(statement, [table, row]);
};

/** More characters than these marks are not kept: a row that is given out again and again without an answer is known by its numbers alone then. */
const MARKS = 400;

/** Notes that these changes may reach the server now, also those that were changed again since they were read. Each new number gets a mark. */
export const giveOut = async (database: OutboxDatabase, batch: Change[]): Promise<Change[]> => {
  const fresh = batch.filter(({ number, known }) => Number(number) > parseInt(known));
  if (fresh.length === 0) return batch;
  const statement = `UPDATE idgen_outbox SET sent = one.number, given = \
CASE WHEN length(given) BETWEEN 1 AND ${MARKS} THEN given ELSE ' ' || sent || ':0' END || ' ' || one.number || ':' || hex(randomblob(8)) \
FROM (SELECT value ->> 0 AS tbl, value ->> 1 AS row, value ->> 2 AS number FROM json_each(?1)) AS one \
WHERE idgen_outbox.tbl = one.tbl AND idgen_outbox.row = one.row AND sent < one.number RETURNING tbl, row, given`;
  const found = await database(statement, [JSON.stringify(fresh.map(({ table, row, number }) => [table, row, Number(number)]))]);
  const given = new Map(found.map((row) => [`${row.tbl} ${row.row}`, row.given]));
  for (const change of fresh) change.known = `${parseInt(change.known)}${given.get(`${change.table} ${change.row}`)}`;
  return batch;
};

/** Refuses a row that cannot be read, by its texts as they were written. */
export const setAside = async (database: OutboxDatabase, { table, row, reason }: Unreadable): Promise<void> => {
  await database(`UPDATE idgen_outbox SET state = 'refused', reason = ?3 WHERE ${IS}`, [table, row, reason]);
};

/**
 * Gives a column of all rows of a table another name, or removes it. Rows have a higher number then: under the same one, the server may have them
 * with the column of before.
 */
export const renameColumn = async (database: OutboxDatabase, table: string, from: string, to?: string): Promise<number> => {
  const path = `'$."${from}"'`;
  const has = `tbl = ?1 AND json_valid(columns) AND json_type(columns, ${path}) IS NOT NULL`;
  const columns = to === undefined ? "columns" : `json_set(columns, '$."${to}"', columns -> ${path})`;
  const [found] = await database(`SELECT COUNT(*) AS rows FROM idgen_outbox WHERE ${has}`, [table]);
  const unless = (column: string): string => `${column} = CASE state WHEN 'refused' THEN NULL ELSE ${column} END`;
  await database(
    `UPDATE idgen_outbox SET columns = json_remove(${columns}, ${path}), number = number + 1, \
state = CASE state WHEN 'refused' THEN 'pending' ELSE state END, ${["reason", "needs_tbl", "needs_row"].map(unless).join(", ")} WHERE ${has}`,
    [table],
  );
  return Number(found?.rows);
};

/** See `Outbox.retry`. */
export const retry = async (database: OutboxDatabase, table: string, row: string): Promise<boolean> => {
  const found = await database(`SELECT number FROM idgen_outbox WHERE ${IS} AND state = 'refused'`, [table, row]);
  if (found.length === 0) return false;
  const statement = `UPDATE idgen_outbox SET state = 'pending', reason = NULL, number = number + 1, needs_tbl = NULL, needs_row = NULL, \
position = ${LAST} + 1 WHERE ${IS} AND state = 'refused'`;
  await database(statement, [table, row]);
  await release(database, table, row);
  return true;
};

/** See `Outbox.resend`. */
export const resend = async (database: OutboxDatabase): Promise<number> => {
  const [found] = await database("SELECT COUNT(*) AS rows FROM idgen_outbox WHERE state = 'done'", []);
  await database(`WITH ${again("state = 'done'")} UPDATE idgen_outbox SET state = 'pending', resent = 1, ${AGAIN}`, []);
  return Number(found?.rows);
};
