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

test("outside of a transaction no change is written, and the app's own statements stay, whatever comes first", async () => {
  const { database, outbox } = await open();
  await database("CREATE TABLE own (n INTEGER)", []);
  const none = { code: "state", message: /begin one/ };
  const refused = (row) => assert.rejects(outbox.put(database, "t", id(row), { a: 1 }), none);
  await Promise.all([refused(1), database("INSERT INTO own VALUES (1)", []), refused(2), database("INSERT INTO own VALUES (2)", []), refused(3)]);
  assert.equal(await outbox.pending(database), 0);
  assert.deepEqual(await database("SELECT COUNT(*) AS rows FROM own", []), [{ rows: 2 }]);
});

test("changes that are written at the same time lose nothing", async () => {
  const { database, outbox, transaction } = await open();
  const numbers = await transaction((t) =>
    Promise.all([outbox.put(t, "t", id(1), { title: "x" }), outbox.put(t, "t", id(1), { done: true }), outbox.put(t, "t", id(1).toUpperCase(), { n: 1.5e-7 })]),
  );
  assert.deepEqual(numbers.sort(), ["1", "2", "3"]);
  const [change] = await outbox.batch(database);
  assert.deepEqual(change.columns, { title: "x", done: true, n: 1.5e-7 });
});

test("a row may have more columns than a function of SQLite has arguments", async () => {
  const { database, outbox, put } = await open();
  const columns = (count, value) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, value + at]));
  for (const count of [1, 50, 51, 64, 100, 900]) {
    await put("t", id(count), columns(count, 0));
    await put("t", id(count), columns(count, 7));
    await put("t", id(count), { c0: "first" });
  }
  const stored = new Map((await outbox.batch(database)).map(({ row, columns }) => [row, columns]));
  for (const count of [1, 50, 51, 64, 100, 900]) assert.deepEqual(stored.get(id(count)), { ...columns(count, 7), c0: "first" });
});

test("half a character is no text", async () => {
  const { outbox, transaction } = await open();
  await transaction(async (t) => {
    for (const a of ["\ud83d", "x\ude00y", "\ude00\ud83d"]) {
      await assert.rejects(outbox.put(t, "t", id(1), { a }), { code: "config", message: /half a character/ });
    }
    for (const name of ["", "a b", 'a"', "\ud83d"]) await assert.rejects(outbox.put(t, "t", id(1), { [name]: 1 }), { code: "config" });
    assert.equal(await outbox.put(t, "t", id(1), { a: "\ud83d\ude00" }), "1");
  });
});

test("answers that cannot be are errors", async () => {
  const opened = await open();
  const { database, outbox, put } = opened;
  await put("t", id(1), { a: 1 });
  await answer(opened, 1, 1, { outcome: "applied" }, "other");
  assert.equal(await outbox.pending(database), 1);
  for (const number of ["", "-1", "1.5", "01", "9007199254740993", "x"]) {
    await assert.rejects(answer(opened, 1, number, { outcome: "applied" }), { code: "config" }, number);
  }
  await assert.rejects(answer(opened, 1, 1, { outcome: "lost" }), { code: "config", message: /unknown outcome "lost"/ });
});

// What each step of the vectors does.
const replay = async ({ database, outbox, transaction, put }, step, at) => {
  const rows = (changes) => changes.map(({ row, number }) => [row, number]);
  switch (step.do) {
    case "put":
      return assert.equal(await put(step.table, step.row, step.columns), step.number, at);
    case "delete":
      return assert.equal(await transaction((t) => outbox.delete(t, step.table, step.row)), step.number, at);
    case "batch":
      return assert.deepEqual(rows(await outbox.batch(database, step.limits, step.now)), step.changes, at);
    case "columns": {
      const { number, operation, columns } = (await outbox.batch(database, undefined, step.now)).find(({ row }) => row === step.row);
      return assert.deepEqual([number, operation, columns], [step.number, step.operation, step.columns], at);
    }
    case "known": {
      const { number, known } = (await outbox.batch(database, undefined, step.now)).find(({ row }) => row === step.row);
      // Marks are drawn at random.
      assert.match(known, /^\d+ \d+:\w+( \d+:[0-9A-F]{16})*$/, at);
      return assert.deepEqual([number, known.replace(/:\w+/g, "")], [step.number, step.known], at);
    }
    case "sql":
      return database(step.sql, []);
    case "unreadable": {
      const found = await outbox.unreadable(database);
      return assert.deepEqual(found.map(({ table, row, reason }) => [table, row, reason]), step.rows, at);
    }
    case "rename column":
      return assert.equal(await outbox.renameColumn(database, step.table, step.from, step.to), step.count, at);
    case "drop column":
      return assert.equal(await outbox.dropColumn(database, step.table, step.column), step.count, at);
    case "answered":
      return outbox.answered(database, step, step.outcome, step.now);
    case "refused": {
      const found = await outbox.refused(database);
      assert.equal(found.length, step.rows.length, at);
      for (const [row, number, words] of step.rows) {
        const refused = found.find(({ change }) => change.row === row);
        assert.equal(refused.change.number, number, at);
        assert.ok(refused.reason.includes(words), `${at}: ${refused.reason}`);
      }
      return;
    }
    case "waiting": {
      const found = await outbox.waiting(database);
      return assert.deepEqual(found.map(({ change, needs, until }) => [change.row, needs.row, until]), step.rows, at);
    }
    case "pending":
      return assert.equal(await outbox.pending(database), step.count, at);
    case "retry":
      return assert.equal(await outbox.retry(database, step.table, step.row), step.done, at);
    case "resend":
      return assert.equal(await outbox.resend(database), step.count, at);
    default:
      throw new Error(step.do);
  }
};

for (const { name, steps } of JSON.parse(fs.readFileSync("../../tests/vectors/outbox.json", "utf8")).cases) {
  test(`vectors: ${name}`, async () => {
    const opened = await open();
    for (const [at, step] of steps.entries()) await replay(opened, step, `step ${at}: ${JSON.stringify(step)}`);
  });
}

test("an outbox of version 0.1 goes on", async () => {
  const stored = (name) => fs.readFileSync(`../../tests/fixtures/0.1/${name}`, "utf8");
  const sqlite = new SQL.Database();
  sqlite.exec(stored("outbox.sql"));
  const opened = await open(sqlite.export());
  for (const [at, step] of JSON.parse(stored("outbox.json")).next.entries()) await replay(opened, step, `step ${at}: ${JSON.stringify(step)}`);
});

test("integers that JavaScript would round are texts, and damage is an error", async () => {
  const { database, outbox, put, transaction } = await open();
  await put("t", id(1), { a: '9007199254740993 "9007199254740993"', b: 1.5e-7, c: Number.MAX_SAFE_INTEGER });
  assert.equal((await outbox.batch(database))[0].columns.c, Number.MAX_SAFE_INTEGER);
  // As another language writes them.
  await transaction((t) => t("UPDATE idgen_outbox SET columns = ?1", ['{"a":9007199254740993,"b":-18446744073709551615,"c":1.5,"d":"9007199254740993"}']));
  assert.deepEqual((await outbox.batch(database))[0].columns, { a: "9007199254740993", b: "-18446744073709551615", c: 1.5, d: "9007199254740993" });
  await put("t", id(1), { c: 2 });
  const [kept] = await database("SELECT columns FROM idgen_outbox", []);
  assert.match(kept.columns, /"a":9007199254740993,/);
  for (const [columns, message] of [
    ["[]", /its columns/],
    ["{", /its columns/],
  ]) {
    await transaction((t) => t("UPDATE idgen_outbox SET columns = ?1", [columns]));
    await transaction((t) => t("UPDATE idgen_outbox SET state = 'pending', reason = NULL", []));
    assert.deepEqual(await outbox.batch(database), []);
    assert.match((await outbox.unreadable(database))[0].reason, message);
    await database("BEGIN", []);
    await assert.rejects(outbox.put(database, "t", id(1), { d: 1 }), { code: "state", message });
    await database("ROLLBACK", []);
  }
});

test("arguments that would do something else are errors", async () => {
  const { database, outbox, transaction, put } = await open();
  await put("t", id(1), { a: 1 });
  await database("BEGIN", []);
  await assert.rejects(outbox.put(database, "t\ud800", id(2), { a: 1 }), { code: "config", message: /half a character/ });
  await assert.rejects(outbox.delete(database, "\udc00t", id(2)), { code: "config", message: /half a character/ });
  await database("ROLLBACK", []);
  for (const limits of [{}, { changes: 0, bytes: 1000 }, { changes: 1, bytes: 299 }, { changes: NaN, bytes: 1000 }]) {
    await assert.rejects(outbox.batch(database, limits), { code: "config", message: /without room/ });
  }
  await assert.rejects(outbox.batch(database, undefined, NaN), { code: "config", message: /not a time/ });
  class Row {
    get a() {
      return 1;
    }
  }
  for (const columns of [new Map([["a", 1]]), new Row(), [1], null, "a"]) {
    await transaction((t) => assert.rejects(outbox.put(t, "t", id(1), columns), { code: "config", message: /no plain object/ }));
  }
  assert.deepEqual((await outbox.batch(database)).map(({ number, columns }) => [number, columns]), [["1", { a: 1 }]]);
});

// Another part of the app may write while a batch is read: what was given out is noted all the same, or the server would take the next change for
// one of a copied device.
test("a change that is made while a batch is read is the next one", async () => {
  const { database, outbox, put } = await open();
  await put("t", id(1), { a: 1 });
  let reads = 0;
  const interrupted = async (sql, parameters) => {
    const rows = await database(sql, parameters);
    if (sql.startsWith("SELECT") && reads++ === 0) await put("t", id(1), { a: 2 });
    return rows;
  };
  const given = async (from) => (await outbox.batch(from)).map(({ number, known }) => `${number}: ${known}`).join();
  assert.match(await given(interrupted), /^1: 0 0:0 1:[0-9A-F]{16}$/);
  await outbox.answered(database, { table: "t", row: id(1), number: "1" }, { outcome: "applied" });
  assert.match(await given(database), /^2: 1 0:0 1:[0-9A-F]{16} 2:[0-9A-F]{16}$/);
  await assert.rejects(outbox.renameColumn(database, "t", "a", "a"), { code: "config" });
});

test("a text of many megabytes is read", async () => {
  const { database, outbox, put } = await open();
  const text = "\\\"x".repeat(4 << 20);
  await put("t", id(1), { a: text });
  const [change] = await outbox.batch(database, { changes: 1, bytes: Infinity });
  assert.ok(change.columns.a === text);
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
    for (const change of await outbox.batch(database, { changes: 100, bytes: 300 + random(800) })) {
      receive(change);
      if (random(2) === 0) await outbox.answered(database, change, { outcome: "applied" });
    }
    content = sqlite.export();
  }
  const { database, outbox } = await open(content);
  (await outbox.batch(database, { changes: Infinity, bytes: Infinity })).forEach(receive);
  assert.ok(device.size > 10);
  assert.deepEqual(new Map([...server].map(([row, { state }]) => [row, state]).sort()), new Map([...device].sort()));
});

test("rows that are sent again keep their order for ever, in places that JavaScript holds exactly", async () => {
  const phone = await open();
  const { database, outbox, put } = phone;
  const rows = [3, 1, 2, 5, 4];
  for (const row of rows) await put("t", id(row), { a: 1 });
  const order = async () => (await outbox.batch(database)).map((change) => change.row);
  for (let round = 0; round < 100; round++) {
    assert.deepEqual(await order(), rows.map(id));
    for (const row of rows) await answer(phone, row, 1, { outcome: "applied" });
    assert.equal(await outbox.resend(database), rows.length);
  }
  for (let number = 2; number <= 100; number++) {
    await answer(phone, 4, 1, { outcome: "waits", reason: "wait", table: "t", row: id(3) });
    await put("t", id(3), { a: number });
    assert.deepEqual(await order(), rows.map(id));
  }
  const [{ last }] = await database("SELECT MAX(position) AS last FROM idgen_outbox", []);
  assert.ok(last < 1000, String(last));
});
