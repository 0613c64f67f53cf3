// Each row of docs/drivers.md about JavaScript: how ids are bound and read, and what the trap is.

import assert from "node:assert/strict";
import { test } from "node:test";
import mariadb from "mariadb";
import mysql from "mysql2/promise";
import pg from "pg";
import { Short, decodeHyphenated, encodeHyphenated, v7 } from "../dist/index.js";
import { startServer } from "./servers.mjs";

const id = v7();
const bytes = decodeHyphenated(id);
const buffer = Buffer.from(bytes);
const short = new Short().next();
/** The number that a double makes of it, which is another id. */
const rounded = Number(short);
assert.notEqual(BigInt(rounded), short);

const TABLE = "CREATE TABLE ids (b BINARY(16), c CHAR(36) CHARACTER SET ascii COLLATE ascii_bin, s BIGINT UNSIGNED";

for (const flavor of ["mysql", "mariadb"]) {
  test(`mysql2 and mariadb on ${flavor}`, async () => {
    const server = await startServer(flavor, (settings) => mysql.createConnection(settings));
    const { connection } = server;
    let other;
    try {
      await connection.query("CREATE DATABASE shop");
      await connection.query("USE shop");
      await connection.query(`${TABLE}${flavor === "mariadb" ? ", u UUID" : ""})`);
      const columns = flavor === "mariadb" ? "(b, c, s, u) VALUES (?, ?, ?, ?)" : "(b, c, s) VALUES (?, ?, ?)";
      const values = [buffer, id, short.toString(), ...(flavor === "mariadb" ? [id] : [])];
      await connection.query(`INSERT INTO ids ${columns}`, values);
      const one = async (sql, params) => (await connection.query(sql, params))[0][0];

      // mysql2 returns a Buffer for BINARY(16), and a rounded number for BIGINT UNSIGNED.
      const read = await one("SELECT * FROM ids");
      assert.ok(Buffer.isBuffer(read.b) && read.b.equals(buffer));
      assert.equal(encodeHyphenated(read.b), id);
      assert.equal(read.c, id);
      assert.equal(read.s, rounded);
      if (flavor === "mariadb") assert.equal(read.u, id);
      assert.equal((await one("SELECT COUNT(*) AS n FROM ids WHERE s = ?", [read.s])).n, 0);
      const exact = await mysql.createConnection({ ...server.settings, database: "shop", supportBigNumbers: true, bigNumberStrings: true });
      const [[{ s }]] = await exact.query("SELECT s FROM ids");
      assert.equal(s, short.toString());
      const [[prepared]] = await exact.execute("SELECT s, b FROM ids WHERE s = ? AND b = ?", [s, buffer]);
      assert.equal(prepared.s, s);
      await exact.end();
      for (const bound of [buffer, bytes]) {
        const { n } = await one("SELECT COUNT(*) AS n FROM ids WHERE b = ?", [bound]);
        // A Uint8Array is written as an object, which finds nothing or is an error; some versions take it.
        if (bound === buffer) assert.equal(n, 1);
      }
      assert.equal((await one("SELECT COUNT(*) AS n FROM ids WHERE b = ?", [id])).n, 0);
      assert.equal((await one("SELECT COUNT(*) AS n FROM ids WHERE c = ?", [id.toUpperCase()])).n, 0);

      // The connector of MariaDB returns a bigint, and takes a Buffer alone.
      other = await mariadb.createConnection({ ...server.settings, database: "shop", allowPublicKeyRetrieval: true });
      const [row] = await other.query("SELECT * FROM ids");
      assert.equal(row.s, short);
      assert.ok(Buffer.isBuffer(row.b) && row.b.equals(buffer));
      if (flavor === "mariadb") assert.equal(row.u, id);
      const count = async (condition, value) => Number((await other.query(`SELECT COUNT(*) AS n FROM ids WHERE ${condition} = ?`, [value]))[0].n);
      assert.equal(await count("b", buffer), 1);
      assert.equal(await count("b", bytes), 0);
      assert.equal(await count("s", short), 1);
      assert.equal(await count("s", short.toString()), 1);
    } finally {
      await other?.end();
      await connection.end();
      server.stop();
    }
  });
}

test("pg on postgres", async () => {
  const server = await startServer("postgres", async (settings) => {
    const client = new pg.Client({ ...settings, database: "postgres" });
    await client.connect();
    return client;
  });
  const client = server.connection;
  try {
    await client.query("CREATE TABLE ids (u uuid, b bytea, s numeric(20), i bigint)");
    await client.query("INSERT INTO ids VALUES ($1, $2, $3, $4)", [id, buffer, short.toString(), short.toString()]);
    const one = async (sql, params) => (await client.query(sql, params)).rows[0];
    const read = await one("SELECT * FROM ids");
    // In lower case, and numbers beyond a double as text.
    assert.deepEqual([read.u, read.s, read.i], [id, short.toString(), short.toString()]);
    assert.ok(Buffer.isBuffer(read.b) && read.b.equals(buffer));
    for (const [column, value] of [["u", id], ["u", id.toUpperCase()], ["b", buffer], ["b", bytes], ["s", short], ["i", short.toString()]]) {
      assert.equal((await one(`SELECT COUNT(*) AS n FROM ids WHERE ${column} = $1`, [value])).n, "1", `${column} ${value}`);
    }
  } finally {
    await client.end();
    server.stop();
  }
});
