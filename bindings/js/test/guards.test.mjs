// Callers without types, sources that do a part of their work, and arrays of other windows: each is right or refused.

import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import vm from "node:vm";
import * as idgen from "../dist/index.js";
import { FileState } from "../dist/node.js";
import { Prefixed, inspectKeyed } from "../dist/prefixed.js";
import { SealKey } from "../dist/seal.js";

const { FixedPrefix, IdError, MemoryState, Short, Ulid, V1, V4, V6, V7 } = idgen;
const secret = new Uint8Array(16).fill(7);
const KEYED = { prefix: { kind: "keyed", secret }, interval: "day" };
const WITH_CLOCK = {
  V1: (options) => new V1(options),
  V6: (options) => new V6(options),
  V7: (options) => new V7(options),
  Ulid: (options) => new Ulid(options),
  Short: (options) => new Short(options),
  FixedPrefix: (options) => new FixedPrefix("ffff", options),
  Prefixed: (options) => new Prefixed(options),
  "Prefixed, keyed": (options) => new Prefixed({ ...KEYED, ...options }),
};
const ALL = { V4: (options) => new V4(options), ...WITH_CLOCK };
const code = (expected, words = "") => (error) => {
  assert.ok(error instanceof IdError, `${error?.stack}`);
  return error.code === expected && error.message.includes(words);
};
const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "idgen-js-"));
after(() => fs.rmSync(temporary, { recursive: true }));

/** Sources that fill only a part of the array, each in its way. */
const PARTS = {
  "the first 256 bytes": (bytes) => crypto.getRandomValues(bytes.subarray(0, 256)),
  "the first 8 bytes": (bytes) => crypto.getRandomValues(bytes.subarray(0, 8)),
  "the first half": (bytes) => crypto.getRandomValues(bytes.subarray(0, bytes.length / 2)),
  "all but the first 16": (bytes) => crypto.getRandomValues(bytes.subarray(16)),
  "each second byte": (bytes) => crypto.getRandomValues(new Uint8Array(bytes.length)).forEach((byte, i) => (bytes[i] = i % 2 ? bytes[i] : byte)),
  "three of four bytes": (bytes) => crypto.getRandomValues(new Uint8Array(bytes.length)).forEach((byte, i) => (bytes[i] = i % 4 ? byte : bytes[i])),
  "all but the last two of sixteen": (bytes) => crypto.getRandomValues(new Uint8Array(bytes.length)).forEach((byte, i) => (bytes[i] = i % 16 < 14 ? byte : bytes[i])),
  "a short array and zeros": (bytes) => {
    const short = new Uint8Array(bytes.length);
    crypto.getRandomValues(short.subarray(0, 256));
    bytes.set(short);
  },
};

for (const [name, random] of Object.entries(PARTS)) {
  test(`a source that fills ${name} is refused`, () => {
    for (const [kind, make] of Object.entries(ALL)) {
      const run = () => {
        const ids = make({ random });
        for (let i = 0; i < 20; i++) ids.batch(1_000);
      };
      // The counters of these kinds draw only 8 bytes, or 6 for a node, now and then.
      if (["V1", "V6", "Short"].includes(kind)) continue;
      assert.throws(run, code("entropy", "the array as it was"), kind);
    }
    // The first 256 bytes made 65 ids of 1,000.
    if (name.startsWith("the first") || name.includes("short")) {
      assert.throws(() => new V4({ random }).batch(1_000), code("entropy", "a part of the array"));
    }
  });
}

test("a clock that stands still is named when a second is full, and not said to be behind", () => {
  for (const whenBehind of ["restart", "wait"]) {
    const ids = new Short({ clock: { now: () => 1_795_262_400_200, sleep() {} }, whenBehind, longestWaitMs: 3_000 });
    ids.batch(65_536);
    assert.throws(() => ids.next(), code("exhausted", "correct the clock"));
  }
  const ids = new Short({ clock: { now: () => 1_795_262_400_200 } });
  ids.batch(65_536);
  assert.throws(() => ids.next(), code("exhausted", "choose a policy that waits"));
});

test("a good source is never refused, nor is a constant one of a test", () => {
  const ids = new V4({ random: (bytes) => crypto.getRandomValues(bytes) });
  for (let i = 0; i < 300; i++) ids.batch(5_000);
  for (let i = 0; i < 10_000; i++) ids.next();
  assert.equal(new V4({ random: (bytes) => bytes.fill(1) }).batch(1_000).length, 1_000);
});

test("what a source, a clock or a state throws is the cause of an IdError", () => {
  const cause = new RangeError("broken");
  const fail = () => {
    throw cause;
  };
  for (const [kind, make] of Object.entries(ALL)) {
    assert.throws(() => make({ random: fail }).next(), (error) => code("entropy", "broken")(error) && error.cause === cause, kind);
  }
  for (const [kind, make] of Object.entries(WITH_CLOCK)) {
    assert.throws(() => make({ clock: { now: fail } }).next(), (error) => code("config", "broken")(error) && error.cause === cause, kind);
    for (const state of [{ load: fail, save: () => {} }, { load: () => undefined, save: fail }]) {
      assert.throws(() => make({ state }).next(), (error) => code("state", "broken")(error) && error.cause === cause, kind);
    }
  }
  const real = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  try {
    Object.defineProperty(globalThis, "crypto", { value: { getRandomValues: fail }, configurable: true });
    for (const [kind, make] of Object.entries(ALL)) assert.throws(() => make().next(), code("entropy", "broken"), kind);
  } finally {
    Object.defineProperty(globalThis, "crypto", real);
  }
});

test("a clock that returns no number makes no ids of 1970", () => {
  for (const now of [null, undefined, "1795262400000", 1795262400000n, new Date(), NaN, Infinity, true, {}]) {
    for (const [kind, make] of Object.entries(WITH_CLOCK)) {
      assert.throws(() => make({ clock: { now: () => now } }).next(), code("config", "the clock returned"), `${kind} ${String(now)}`);
    }
  }
  for (const ticks of [null, 0, "1", 1n << 100n]) {
    assert.throws(() => new V6({ clock: { now: () => 0, ticks: () => ticks } }).next(), code("config", "the clock returned"));
  }
});

test("unknown options and values of other types are refused, in each constructor", () => {
  for (const [kind, make] of Object.entries(ALL)) {
    for (const name of ["tolerance", "toleranceMS", "Random", "seed", "constructor"]) {
      assert.throws(() => make({ [name]: undefined }), code("config", `unknown option "${name}"`), kind);
    }
    assert.throws(() => make({ random: 7 }), code("config", "the option random cannot be"), kind);
  }
  const wrong = {
    clock: [7, null, {}, { now: 7 }, { now: () => 0, sleep: 7 }],
    random: [null, "x", new Uint8Array(16)],
    state: [null, "ids.state", {}, { load: () => undefined }],
    toleranceMs: [null, "10", 10n, NaN, -1],
    longestWaitMs: [null, "10", NaN],
    whenBehind: [null, 1, "never"],
  };
  for (const [kind, make] of Object.entries(WITH_CLOCK)) {
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) assert.throws(() => make({ [name]: value }), code("config"), `${kind} ${name} ${String(value)}`);
    }
    make({ clock: Date, random: undefined, state: undefined, toleranceMs: Infinity }).next();
  }
  for (const Kind of [V1, V6, Short]) for (const node of [null, 7, {}]) assert.throws(() => new Kind({ node }), code("config"));
  for (const options of [null, 7, "x", true]) {
    for (const Kind of [V1, V4, V6, V7, Ulid, Short, Prefixed]) assert.throws(() => new Kind(options), code("config", "options must be"));
    assert.throws(() => new FixedPrefix("ffff", options), code("config", "options must be"));
  }
  for (const prefix of [null, 7, "keyed", { kind: "sequential", bit: 3 }, { kind: "keyed", secret, writers: "a" }, { kind: "keyed", secret, writer: 7 }]) {
    assert.throws(() => new Prefixed({ prefix }), code("config"));
  }
  for (const prefix of [null, 7, {}]) assert.throws(() => new FixedPrefix(prefix), code("config"));
  assert.throws(() => new Prefixed({ interval: 7 }), code("config"));
  assert.throws(() => inspectKeyed(idgen.v7(), "day", { writer: true }), code("config", "unknown option"));
});

test("arrays with elements of another size are not filled with other ids", () => {
  for (const [kind, make] of Object.entries(ALL)) {
    if (kind === "Short") continue;
    for (const array of [new Uint16Array(16), new Int8Array(16), new BigUint64Array(16), new Float64Array(16), new Uint8ClampedArray(16), new DataView(new ArrayBuffer(16)), new ArrayBuffer(16), Array(16).fill(0), "x".repeat(16), null]) {
      assert.throws(() => make().fill(array), code("config", "give a Uint8Array"), kind);
    }
  }
  for (const bad of [new Uint16Array(16), Array(16).fill(0), null, "x".repeat(16)]) {
    for (const encode of [idgen.encodeHyphenated, idgen.encodeSwapped, idgen.encodeBase64, idgen.inspectBytes]) assert.throws(() => encode(bad), code("config"));
    assert.throws(() => idgen.decodeSwapped(bad), code("parse"));
    assert.throws(() => new SealKey(bad), code("config"));
  }
});

test("bytes of another context, such as a test environment with its own Uint8Array, and Buffers", () => {
  const foreign = vm.runInNewContext("Uint8Array.from({ length: 16 }, (_, i) => i)");
  assert.ok(!(foreign instanceof Uint8Array));
  const buffer = Buffer.from(foreign);
  const own = Uint8Array.from(foreign);
  const text = idgen.encodeHyphenated(own);
  for (const bytes of [foreign, buffer]) {
    assert.equal(idgen.encodeHyphenated(bytes), text);
    assert.deepEqual(idgen.decodeSwapped(idgen.encodeSwapped(bytes)), own);
    const id = idgen.v7();
    assert.equal(new SealKey(own).open(new SealKey(bytes).seal(id)), id);
    const at = { clock: { now: () => 1_795_262_400_000 }, random: (array) => array.fill(1) };
    const of = (secret) => new Prefixed({ prefix: { kind: "keyed", secret, writer: "a" }, ...at }).next();
    assert.equal(of(bytes), of(own));
    new V7().fill(bytes);
    assert.equal(idgen.inspectBytes(bytes).nature, "v7");
  }
});

test("the package itself in a context whose Uint8Array is not that of the host's functions", () => {
  const modules = new Map();
  const context = vm.createContext({ TextEncoder, crypto, console });
  const folder = path.resolve("dist/cjs");
  const load = (name) => {
    if (name.startsWith("node:")) return createRequire(import.meta.url)(name);
    const file = path.resolve(folder, name);
    if (!modules.has(file)) {
      const module = { exports: {} };
      modules.set(file, module);
      vm.runInContext(`(function (module, exports, require) {${fs.readFileSync(file, "utf8")}\n})`, context)(module, module.exports, load);
    }
    return modules.get(file).exports;
  };
  const there = { ...load("index.js"), ...load("seal.js"), ...load("prefixed.js") };
  const id = there.v7();
  const key = new there.SealKey(new TextEncoder().encode("a secret of the README of 16 bytes"));
  assert.equal(key.open(key.seal(id)), id);
  assert.equal(there.encodeHyphenated(Buffer.from(idgen.decodeHyphenated(id))), id);
  assert.equal(new there.Prefixed({ prefix: { kind: "keyed", secret, writer: "a" } }).next().length, 36);
  const thrown = (() => {
    try {
      there.decodeHyphenated("nope");
    } catch (error) {
      return error;
    }
  })();
  assert.ok(thrown instanceof IdError && thrown instanceof there.IdError && !(thrown instanceof Error));
  assert.ok(!(new Error("nope") instanceof IdError) && !(null instanceof IdError));
});

test("a generator that could not be made releases its state", () => {
  const file = path.join(temporary, "ids.state");
  const wrong = [{ toleranceMs: -1 }, { typo: 1 }, { clock: {} }, { whenBehind: "never" }, { random: 7 }];
  for (const [kind, make] of Object.entries(WITH_CLOCK)) {
    for (const options of wrong) {
      assert.throws(() => make({ ...options, state: new FileState(file) }), code("config"), kind);
      new FileState(file).close();
    }
  }
  for (const fail of [
    () => new FixedPrefix("xyz", { state: new FileState(file) }),
    () => new Prefixed({ interval: "fortnight", state: new FileState(file) }),
    () => new Prefixed({ tail: "random-v4", state: new FileState(file) }),
    () => new V1({ node: "zz", state: new FileState(file) }),
    () => new Short({ node: "zz", state: new FileState(file) }),
    // The clock is beyond what this kind can hold.
    () => new Prefixed({ clock: { now: () => 8e15 }, state: new FileState(file) }),
  ]) {
    assert.throws(fail, code(/8e15/.test(fail) ? "time-out-of-range" : "config"));
    new FileState(file).close();
  }
  fs.writeFileSync(file, "damaged");
  for (let i = 0; i < 2; i++) assert.throws(() => new V7({ state: new FileState(file) }), code("state", "is damaged"));
  fs.rmSync(file);
  // The same object may be tried again.
  const state = new FileState(file);
  assert.throws(() => new V7({ state, toleranceMs: -1 }), code("config"));
  const ids = new V7({ state });
  assert.throws(() => new FileState(file), code("state", "is held by another generator"));
  ids.next();
  ids.close();
});

test("isValid says of each text what the decoder says, without an error", () => {
  const formats = ["hyphenated", "simple", "urn", "braced", "base64", "base64url", "ordered64", "base32", "base32hex", "base32human", "int"];
  const accepts = (format, text) => {
    try {
      idgen.decode(format, text);
      return true;
    } catch (error) {
      assert.ok(error instanceof IdError);
      return false;
    }
  };
  const characters = "0189AaFfGgIiLlOoUuVvZz+/-_={}: \n\u00e9\u0130\u017f";
  for (const format of formats) {
    let valid = 0;
    for (let round = 0; round < 300; round++) {
      const id = crypto.getRandomValues(new Uint8Array(16));
      if (round % 3 === 0) id.fill(0, 0, round % 16);
      const text = idgen.encode(format, id);
      const at = round % (text.length + 1);
      for (const one of [text, text.toLowerCase(), text.toUpperCase(), text.slice(0, -1), text + "0", `${text}\n`, text.slice(0, at) + characters[round % characters.length] + text.slice(at + 1)]) {
        const expected = accepts(format, one);
        assert.equal(idgen.isValid(one, format), expected, `${format} ${JSON.stringify(one)}`);
        if (expected) valid++;
      }
    }
    assert.ok(valid >= 300, format);
    // The last character of each base 32 and 64 is checked.
    for (let last = 33; last < 127; last++) {
      const text = idgen.encode(format, new Uint8Array(16)).slice(0, -1) + String.fromCharCode(last);
      assert.equal(idgen.isValid(text, format), accepts(format, text), text);
    }
  }
  for (const value of [undefined, null, 7, {}, "", "nope", (2n ** 128n).toString()]) assert.equal(idgen.isValid(value, "int") || idgen.isValid(value), false);
  assert.equal(idgen.isValid((2n ** 128n - 1n).toString(), "int"), true);
  assert.throws(() => idgen.isValid("nope", "guid"), code("config", "unknown format"));
});

test("a text of a megabyte is refused by its length, and an error shows only its beginning", () => {
  for (const text of ["x".repeat(1e6), "1".repeat(1e6), "é".repeat(5e5), "\u{1f600}".repeat(25e4)]) {
    for (const decode of [idgen.decodeHyphenated, idgen.decodeBase32, idgen.decodeInt, idgen.inspect]) {
      assert.throws(() => decode(text), (error) => code("parse")(error) && error.message.length < 300);
    }
  }
});

test("both forms of the package, `import` and `require`, export the same names", async () => {
  const require = createRequire(import.meta.url);
  for (const entry of ["", "/prefixed", "/seal", "/node", "/browser", "/outbox"]) {
    const required = require(`idgen-keys${entry}`);
    const imported = await import(`idgen-keys${entry}`);
    assert.deepEqual(Object.keys(required).sort(), Object.keys(imported).filter((name) => name !== "default").sort(), entry);
    assert.notEqual(required, imported);
  }
  const { V7, decodeHyphenated } = require("idgen-keys");
  assert.equal(new V7({ state: new MemoryState() }).batch(3).length, 3);
  assert.throws(() => decodeHyphenated("nope"), code("parse"));
});

test("bytes of a test that repeat themselves are random bytes, whatever their values are", () => {
  for (let value = 0; value < 256; value++) {
    let at = 0;
    const cycle = [1, 2, 3, value, 5, 6, 7, 8, 9, 10, 11, 12, 13];
    const random = (bytes) => {
      for (let i = 0; i < bytes.length; i++) bytes[i] = cycle[at++ % cycle.length];
    };
    assert.equal(new idgen.V4({ random }).batch(300).length, 300, String(value));
  }
});
