// What is published, and where its randomness comes from.

import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { build as esbuild } from "esbuild";
import * as idgen from "../dist/index.js";
import { Prefixed } from "../dist/prefixed.js";

const { Short, Ulid, V1, V4, V6, V7 } = idgen;
const KINDS = [V1, V4, V6, V7, Ulid, Short, Prefixed, idgen.FixedPrefix];
const make = (Kind, options) => (Kind === idgen.FixedPrefix ? new Kind("ffff", options) : new Kind(options));
const code = (expected, words = "") => (error) => error.code === expected && error.message.includes(words);

test("no file that is published draws from Math.random, and only states on Node import something", () => {
  const files = fs.readdirSync("dist").filter((file) => file.endsWith(".js"));
  assert.ok(files.length >= 5);
  for (const file of files) {
    const text = fs.readFileSync(`dist/${file}`, "utf8");
    assert.ok(!/Math\s*\.\s*random|Math\[/.test(text), file);
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
    const outside = imports.filter((name) => !name.startsWith("./"));
    assert.ok(file === "node.js" ? outside.every((name) => name.startsWith("node:")) : outside.length === 0, `${file}: ${outside}`);
  }
});

/** A text that only this part of the cryptography contains. */
const MARKS = { ChaCha20: "expand 32-byte k", "SHA-256": "1779033703", MD5: "Math.sin(", AES: "283" };

/** The cryptography in an app's bundle. */
const cryptography = async (contents) => {
  const options = { bundle: true, minify: true, write: false, format: "esm", external: ["node:*"], logLevel: "error" };
  const { outputFiles } = await esbuild({ stdin: { contents, resolveDir: "." }, ...options });
  return Object.keys(MARKS).filter((name) => outputFiles[0].text.includes(MARKS[name]));
};

test("a bundle contains only the cryptography that it uses", async () => {
  const bundles = {
    index: [],
    browser: [],
    node: [],
    prefixed: ["ChaCha20", "SHA-256", "MD5"],
    seal: ["SHA-256", "AES"],
  };
  for (const [entry, expected] of Object.entries(bundles)) {
    assert.deepEqual(await cryptography(`export * from "./dist/${entry}.js";`), expected, entry);
  }
});

test("without crypto.getRandomValues, as in React Native, a source must be passed", () => {
  const real = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  try {
    for (const missing of [undefined, {}, { getRandomValues: 7 }]) {
      Object.defineProperty(globalThis, "crypto", { value: missing, configurable: true });
      for (const Kind of KINDS) {
        const run = () => make(Kind).next();
        assert.throws(run, code("entropy", "import react-native-get-random-values first"));
        // It stays an error: no half-filled pool is used.
        assert.throws(run, code("entropy"));
      }
      const random = (bytes) => bytes.fill(0x5a);
      assert.equal(new V4({ random }).next(), "5a5a5a5a-5a5a-4a5a-9a5a-5a5a5a5a5a5a");
    }
    Object.defineProperty(globalThis, "crypto", { value: { getRandomValues: (array) => array }, configurable: true });
    assert.throws(() => new V7().next(), code("entropy", "left the array as it was"));
    Object.defineProperty(globalThis, "crypto", { value: { getRandomValues: (array) => array.fill(0) }, configurable: true });
    assert.throws(() => new V7().next(), code("entropy", "returned only zeros"));
  } finally {
    Object.defineProperty(globalThis, "crypto", real);
  }
});

test("sources that are mistakes make no ids", () => {
  const mistakes = {
    "is asynchronous": async (bytes) => crypto.getRandomValues(bytes),
    "left the array as it was": () => {},
    // It returns another array.
    "the source left the array": (bytes) => crypto.getRandomValues(new Uint8Array(bytes.length)),
  };
  for (const [words, random] of Object.entries(mistakes)) {
    for (const Kind of KINDS) assert.throws(() => make(Kind, { random }).next(), code("entropy", words));
  }
});

test("a source that fails makes no ids, and repeats none afterwards", () => {
  let fails = false;
  const random = (bytes) => {
    if (fails) throw new Error("the token is not connected");
    crypto.getRandomValues(bytes);
  };
  for (const Kind of KINDS.filter((Kind) => Kind !== Short)) {
    const ids = make(Kind, { random });
    const before = ids.batch(10);
    fails = true;
    if (Kind !== V1 && Kind !== V6) {
      const bytes = new Uint8Array(16 * 100).fill(1);
      assert.throws(() => ids.fill(bytes), /the token is not connected/);
      assert.ok(bytes.every((byte) => byte === 0));
      assert.throws(() => ids.next(), /the token is not connected/);
    }
    fails = false;
    const all = [...before, ...ids.batch(1_000)];
    assert.equal(new Set(all).size, all.length);
  }
});

test("a million ids of each kind differ, and those of an ordered kind ascend", () => {
  for (const Kind of [V4, V6, V7, Ulid, Prefixed, idgen.FixedPrefix]) {
    const ids = make(Kind).batch(100_000);
    assert.equal(new Set(ids).size, ids.length);
    if (Kind !== V4) assert.ok(ids.every((id, i) => i === 0 || ids[i - 1] < id), Kind.name);
  }
});

test("batches of all lengths, bytes and iterators are one sequence", () => {
  const ids = new V7();
  const all = [];
  for (const length of [0, 1, 2, 255, 256, 257, 1_000]) {
    const batch = ids.batch(length);
    assert.equal(batch.length, length);
    all.push(...batch, ids.next(), idgen.encodeHyphenated(ids.nextBytes()));
  }
  for (const id of ids) if (all.push(id) > 3_000) break;
  assert.deepEqual(all, all.toSorted());
  assert.equal(new Set(all).size, all.length);
});

test("64-bit ids and JSON", () => {
  const ids = new Short({ node: "9f6bdeced846" });
  const text = ids.nextText();
  assert.equal(idgen.shortFields(idgen.parseShort(text)).node, 0xd846);
  assert.ok(BigInt(text) > BigInt(Number.MAX_SAFE_INTEGER));
  assert.throws(() => JSON.stringify({ id: ids.next() }), TypeError);
  assert.equal(JSON.parse(JSON.stringify({ id: text })).id, text);
});

test("wrong arguments are errors that say what to do", () => {
  for (const bad of [undefined, null, 7, {}, [], new Uint8Array(16), Symbol.iterator]) {
    for (const decode of [idgen.decodeHyphenated, idgen.decodeBase64, idgen.decodeBase32, idgen.decodeInt, idgen.inspect]) {
      assert.throws(() => decode(bad), code("parse", "expected a string"));
    }
  }
  for (const bad of [undefined, "text", new Uint8Array(15), new Uint8Array(17), [1]]) {
    for (const encode of [idgen.encodeHyphenated, idgen.encodeBase64url, idgen.encodeBase32, idgen.encodeInt, idgen.encodeSimple]) {
      assert.throws(() => encode(bad), code("config", "give a Uint8Array of 16 bytes"));
    }
  }
  for (const bad of [-1, 1.5, NaN, Infinity, "3", undefined]) {
    assert.throws(() => new V7().batch(bad), code("config", "give a whole number"));
    assert.throws(() => new Short().batch(bad), code("config", "give a whole number"));
  }
  for (const now of [NaN, Infinity, -Infinity, undefined, "today"]) {
    for (const Kind of [V1, V7, Short]) assert.throws(() => make(Kind, { clock: { now: () => now } }).next(), code("config", "the clock returned"));
  }
  assert.throws(() => new V7({ whenBehind: "never" }), code("config", "choose error, wait or restart"));
  assert.throws(() => new V7({ toleranceMs: -1 }), code("config", "give milliseconds"));
  assert.throws(() => new V7({ toleranceMs: NaN }), code("config", "give milliseconds"));
  for (const node of ["", "9f6bdeced84", "9f6bdeced84g", "9f:6b:de:ce:d8-46", "9f6b:dececed8:46", "+f6bdeced846"]) {
    assert.throws(() => new V1({ node }).next(), code("config", "not a node"));
    assert.throws(() => new Short({ node }), code("config", "not a node"));
  }
  for (const prefix of ["", "fffffffff", "g", "0b", "0b2", `0b${"1".repeat(33)}`, "+f"]) {
    assert.throws(() => new idgen.FixedPrefix(prefix), code("config", "not a fixed prefix"));
  }
  for (const interval of ["fortnight", "", "0s", "1.5h", "-1s", "4294967296s", "constructor"]) {
    assert.throws(() => new Prefixed({ interval }), code("config"));
  }
  assert.throws(() => new Prefixed({ prefix: { kind: "keyed", secret: new Uint8Array(15) } }), code("config", "15 bytes"));
  assert.throws(() => new Prefixed({ prefix: { kind: "keyed", secret: "a secret of at least 16 bytes" } }), code("config"));
  assert.throws(() => new Prefixed({ prefix: { kind: "sequential", bits: 17 } }), code("config", "give 1 to 16"));
  assert.throws(() => new Prefixed({ prefix: { kind: "md5-week" } }), code("config", "choose the interval week"));
  assert.throws(() => new Prefixed({ prefix: { kind: "other" } }), code("config", "choose md5-week, sequential or keyed"));
});
