// The outbox on SQLite, compiled to WebAssembly.

import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import initSqlJs from "sql.js";
import { Outbox } from "../dist/outbox.js";

const SQL = await initSqlJs();

/** A database and its outbox. `commit` is a transaction, which `fail` rolls back. */
const open = async (content) => {
  const sqlite = new SQL.Database(content);
  // Not a mutex for all: these tests execute one statement after another.
  const database = async (sql, parameters) => {
    const statement = sqlite.prepare(sql, parameters);
    const rows = [];
    while (statement.step()) rows.push(statement.getAsObject());
    statement.free();
    return rows;
  };
  const outbox = await Outbox.open(database);
  const transaction = async (work, end = "COMMIT") => {
    await database("BEGIN", []);
    const result = await work(database);
    await database(end, []);
    return result;
  };
  const put = (table, row, columns) => transaction((t) => outbox.put(t, table, row, columns));
  return { sqlite, database, outbox, transaction, put };
};

const id = (number) => `01900000-0000-7000-8000-${String(number).padStart(12, "0")}`;
const numbers = (batch) => batch.map(({ row, number }) => [row, number]);
const answer = ({ database, outbox }, row, number, outcome, table = "t") =>
  outbox.answered(database, { table, row: id(row), number: String(number) }, outcome);

test("a change is committed with its row or not at all", async () => {
  const { database, outbox, transaction } = await open();
  await Outbox.open(database);
  const none = { code: "state", message: /begin one/ };
  await assert.rejects(outbox.put(database, "t", id(1), { a: 1 }), none);
  await assert.rejects(outbox.delete(database, "t", id(1)), none);
  const bad = [[1], { b: 1 }, 1n, 2 ** 53, NaN, Infinity, undefined, () => 1];
  await transaction(async (t) => {
    await outbox.put(t, "t", id(1), { a: 1 });
    for (const a of bad) await assert.rejects(outbox.put(t, "t", id(1), { a }), { code: "config", message: /the column "a" of t/ });
    await assert.rejects(outbox.put(t, "t", "no id", { a: 1 }), { code: "parse" });
  }, "ROLLBACK");
  assert.equal(await outbox.pending(database), 0);
});

test("ten changes of a row are sent as one", async () => {
  const { database, outbox, transaction, put } = await open();
  await put("lists", id(1), { title: "0", color: "red" });
  await put("items", id(2), { list: id(1) });
  for (let number = 2; number <= 10; number++) assert.equal(await put("lists", id(1).toUpperCase(), { title: number }), String(number));
  const all = () => outbox.batch(database, Infinity);
  // The list keeps its place before the item that refers to it.
  assert.deepEqual(numbers(await all()), [[id(1), "10"], [id(2), "1"]]);
  assert.deepEqual((await all())[0].columns, { title: 10, color: "red" });
  await outbox.answered(database, (await all())[0], { outcome: "applied" });
  await put("lists", id(1), { color: null });
  assert.deepEqual(numbers(await all()), [[id(2), "1"], [id(1), "11"]]);
  assert.deepEqual((await all())[1].columns, { title: 10, color: null });
  assert.equal(await transaction((t) => outbox.delete(t, "lists", id(1))), "12");
  assert.deepEqual((await all()).pop(), { table: "lists", row: id(1), number: "12", operation: "delete", columns: {} });
  // A row that is made again does not have the values of the deleted one.
  assert.equal(await put("lists", id(1), { title: "new" }), "13");
  assert.deepEqual((await all()).pop().columns, { title: "new" });
});

test("batches end at a size, and changes stay until they are acknowledged", async () => {
  const opened = await open();
  const { database, outbox, put } = opened;
  for (let row = 1; row <= 250; row++) await put("t", id(row), { a: "x".repeat(100) });
  // {"a":"…"} with 100 characters has 108 bytes.
  for (const [bytes, count] of [[0, 1], [107, 1], [216, 2], [323, 2], [324, 3], [108 * 100, 100], [108 * 201, 201], [Infinity, 250]]) {
    assert.equal((await outbox.batch(database, bytes)).length, count, String(bytes));
  }
  // Bytes are those of UTF-8.
  await put("t", id(1), { a: "é".repeat(100) });
  assert.equal((await outbox.batch(database, 208 + 107)).length, 1);
  await answer(opened, 1, 2, { outcome: "waits", reason: "another row" });
  await answer(opened, 2, 1, { outcome: "applied" });
  const rows = (await outbox.batch(database, Infinity)).map(({ row }) => row);
  assert.deepEqual([rows.length, rows[0], rows.at(-1)], [249, id(3), id(1)]);
});

test("an answer for an older change acknowledges nothing", async () => {
  const opened = await open();
  const { database, outbox, put } = opened;
  await put("t", id(1), { a: 1 });
  await put("t", id(1), { a: 2 });
  const outcomes = [{ outcome: "applied" }, { outcome: "waits" }, { outcome: "refused", reason: "no" }, { outcome: "older", newest: "1" }];
  for (const outcome of outcomes) {
    await answer(opened, 1, 1, outcome);
    assert.deepEqual(numbers(await outbox.batch(database, 1000)), [[id(1), "2"]], outcome.outcome);
  }
  await answer(opened, 1, 2, { outcome: "applied" }, "other");
  assert.equal(await outbox.pending(database), 1);
  for (const number of ["", "-1", "1.5", "01", "9007199254740993", "x"]) {
    await assert.rejects(answer(opened, 1, number, { outcome: "applied" }), { code: "config" }, number);
  }
  await assert.rejects(answer(opened, 1, 2, { outcome: "lost" }), { code: "config", message: /unknown outcome "lost"/ });
});

test("refused rows stay visible, and can be sent again", async () => {
  const opened = await open();
  const { database, outbox, put } = opened;
  await put("t", id(1), { a: 1 });
  await answer(opened, 1, 1, { outcome: "refused", reason: "too long" });
  assert.equal(await outbox.pending(database), 0);
  const [{ change, reason }] = await outbox.refused(database);
  assert.deepEqual([change.row, reason], [id(1), "too long"]);
  assert.deepEqual([await outbox.retry(database, "t", id(1)), await outbox.retry(database, "t", id(1))], [true, false]);
  await answer(opened, 1, 2, { outcome: "refused", reason: "still" });
  await put("t", id(1), { a: 3 });
  assert.deepEqual(await outbox.refused(database), []);
  // After a restored backup the server knows more than the device.
  await answer(opened, 1, 3, { outcome: "older", newest: "41" });
  assert.match((await outbox.refused(database))[0].reason, /41/);
  assert.ok(await outbox.retry(database, "t", id(1)));
  assert.deepEqual(numbers(await outbox.batch(database, 1000)), [[id(1), "42"]]);
});

test("integers that JavaScript would round, and damage, are errors", async () => {
  const { database, outbox, put, transaction } = await open();
  await put("t", id(1), { a: '9007199254740993 "9007199254740993"', b: 1.5e-7, c: Number.MAX_SAFE_INTEGER });
  assert.equal((await outbox.batch(database, 1000))[0].columns.c, Number.MAX_SAFE_INTEGER);
  for (const [columns, message] of [
    ['{"a":9007199254740993}', /9007199254740993, which JavaScript rounds/],
    ["[]", /the columns/],
    ["{", /the columns/],
  ]) {
    await transaction((t) => t("UPDATE idgen_outbox SET columns = ?1", [columns]));
    await assert.rejects(outbox.batch(database, 1000), { code: "state", message });
    await database("BEGIN", []);
    await assert.rejects(outbox.put(database, "t", id(1), { d: 1 }), { code: "state", message });
    await database("ROLLBACK", []);
  }
});

test("the table is that of the Rust crate", async () => {
  const { sqlite } = await open();
  const other = new SQL.Database();
  other.exec(fs.readFileSync("../../crates/idgen-outbox/src/schema.sql", "utf8"));
  const tables = (of) => of.exec("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name")[0].values;
  assert.deepEqual(tables(sqlite), tables(other));
});

// A server that keeps the newest number and state of each row, a network that loses answers, and an app that is killed between any two
// transactions: the server ends with the state of the device, and no number has two contents.
test("the server ends with what the device has", async () => {
  let seed = 3;
  const random = (below) => (seed = (seed * 48271) % 0x7fffffff) % below;
  const [device, server, contents] = [new Map(), new Map(), new Map()];
  let content;
  const receive = ({ row, number, columns }) => {
    const state = JSON.stringify(columns);
    const known = contents.get(row + number) ?? state;
    assert.equal(known, state);
    contents.set(row + number, state);
    if (BigInt(number) > (server.get(row)?.number ?? 0n)) server.set(row, { number: BigInt(number), state });
  };
  for (let round = 0; round < 60; round++) {
    const opened = await open(content);
    const { sqlite, database, outbox, transaction } = opened;
    for (let change = random(5); change > 0; change--) {
      const [row, a, commits] = [id(random(20)), random(1e9), random(2) === 0];
      await transaction((t) => outbox.put(t, "t", row, { a }), commits ? "COMMIT" : "ROLLBACK");
      if (commits) device.set(row, JSON.stringify({ a }));
    }
    for (const change of await outbox.batch(database, random(100))) {
      receive(change);
      if (random(2) === 0) await outbox.answered(database, change, { outcome: "applied" });
    }
    content = sqlite.export();
  }
  const { database, outbox } = await open(content);
  (await outbox.batch(database, Infinity)).forEach(receive);
  assert.ok(device.size > 10);
  assert.deepEqual(new Map([...server].map(([row, { state }]) => [row, state]).sort()), new Map([...device].sort()));
});
