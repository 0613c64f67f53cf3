// Arguments of callers without types, of each function: wrong ones are an IdError, and never another value.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import vm from "node:vm";
import * as idgen from "../dist/index.js";
import { bounds, shortBounds } from "../dist/bounds.js";
import { foreignNumbers } from "../dist/foreign.js";
import { PrefixKey } from "../dist/prefixed.js";
import { SealKey, SealRing, TypeSeal } from "../dist/seal.js";
import { v5, v8 } from "../dist/uuid.js";

const { FixedPrefix, IdError, Short, Ulid, V1, V4, V6, V7 } = idgen;
const key = () => new SealKey(new Uint8Array(16).fill(7));
const refused = (call, words = "", code = "config") =>
  assert.throws(call, (error) => {
    assert.ok(error instanceof IdError, `${call} ${error?.stack}`);
    return error.code === code && error.message.includes(words);
  });
const detached = () => {
  const bytes = new Uint8Array(16);
  structuredClone(bytes, { transfer: [bytes.buffer] });
  return bytes;
};

test("counts that are no number of ids, also those that are too large", () => {
  for (const count of [-1, 1.5, NaN, Infinity, 3n, "3", null, undefined, [3], 2 ** 24 + 1, 2 ** 33, 2 ** 53]) {
    for (const make of [new V4(), new V7(), new Ulid(), new Short()]) refused(() => make.batch(count), "cannot have the length");
    refused(() => idgen.v4Batch(count), "cannot have the length");
  }
  assert.deepEqual(new V7().batch(-0), []);
});

test("arrays whose memory was transferred, is shared, or has shrunk", () => {
  for (const make of [new V4(), new V7(), new V6()]) {
    refused(() => make.fill(detached()), "detached");
    make.fill(new Uint8Array(0));
    const shared = new Uint8Array(new SharedArrayBuffer(32));
    make.fill(shared);
    assert.notEqual(idgen.encodeHyphenated(shared.subarray(0, 16)), idgen.encodeHyphenated(shared.subarray(16)));
    const memory = new ArrayBuffer(16, { maxByteLength: 64 });
    const shrinking = new Uint8Array(memory);
    memory.resize(8);
    refused(() => make.fill(shrinking), "multiple of 16");
  }
  for (const call of [idgen.encodeHyphenated, idgen.encodeSwapped, idgen.inspectBytes, (bytes) => v5(bytes, v5.DNS), v8]) {
    refused(() => call(detached()));
  }
  refused(() => new SealKey(detached()), "too short");
  for (const random of [(bytes) => structuredClone(bytes, { transfer: [bytes.buffer] })]) {
    for (const Kind of [V4, V7, Ulid]) refused(() => new Kind({ random }).next(), "transferred the array", "entropy");
  }
});

test("clocks whose step is no number of milliseconds, or whose members throw", () => {
  const fail = {
    get now() {
      throw new RangeError("broken");
    },
  };
  for (const Kind of [V1, V6, V7, Ulid, Short]) {
    for (const stepMs of [0, -1, NaN, "1", null, 1n]) refused(() => new Kind({ clock: { now: Date.now, stepMs } }), "stepMs");
    new Kind({ clock: { now: Date.now, stepMs: Infinity } }).next();
    refused(() => new Kind({ clock: fail }), "broken");
    refused(() => new Kind({ get toleranceMs() { throw new RangeError("broken"); } }), "broken");
  }
});

test("options that are in a list, a Map, or a prototype", () => {
  const inherited = Object.create({ tolerance: 5 });
  for (const Kind of [V1, V4, V6, V7, Ulid, Short]) {
    for (const options of [[], new Map([["toleranceMs", 5]]), new Date(), new Uint8Array(4), inherited]) refused(() => new Kind(options));
    new Kind(Object.create({ toleranceMs: 5 })).next?.();
    new Kind(Object.create(null)).next();
  }
  refused(() => new FixedPrefix("ffff", inherited), "unknown option");
});

test("64-bit ids, and numbers of others, that are no bigint of 64 bits", () => {
  for (const value of [undefined, null, 7, "7", {}, Symbol("x"), -1n, 1n << 64n]) {
    refused(() => idgen.shortFields(value), "64 bits");
    refused(() => foreignNumbers(value), "64 bits");
  }
  for (const now of [NaN, Infinity, "5", 5n, null]) refused(() => foreignNumbers(5n, now), "not a time");
  for (const bytes of [undefined, null, 7, "x", new Uint8Array(15), new Uint16Array(16)]) refused(() => idgen.inspectUlid(bytes));
});

test("leases that are none, which leave the one before them", () => {
  const [notBefore, notAfter] = [new Date("2026-11-21T12:00:00Z"), new Date("2026-11-22T12:00:00Z")];
  const clock = { now: () => Number(notBefore) };
  const ids = new Short({ clock, lease: { number: 7, notBefore, notAfter } });
  for (const number of [-1, 65_536, 1.5, NaN, "7", 7n, null, undefined]) {
    refused(() => ids.setLease({ number, notBefore, notAfter }), "number of a device");
    refused(() => new Short({ lease: { number, notBefore, notAfter } }), "number of a device");
  }
  for (const time of [[], "2026-11-21", null, undefined, new Date(NaN), 2n ** 63n]) {
    refused(() => ids.setLease({ number: 7, notBefore: time, notAfter }), "not a time");
    refused(() => ids.setLease({ number: 7, notBefore, notAfter: time }), "not a time");
  }
  for (const lease of [undefined, null, 7, "7", []]) refused(() => ids.setLease(lease));
  for (const lease of [null, 7, "7", () => 7]) refused(() => new Short({ lease }), "lease");
  for (const Kind of [V1, V4, V6, V7, Ulid]) refused(() => new Kind({ lease: { number: 7, notBefore, notAfter } }), "unknown option");
  assert.equal(idgen.shortFields(ids.next()).node, 7);
  assert.notEqual(new Short({ lease: undefined }).next(), 0n);
});

test("times that are none, although their number is one", () => {
  for (const time of [[], [5], new Number(5), true, null, {}, new Date(NaN)]) {
    refused(() => bounds("v7", time), "not a time");
    refused(() => shortBounds(time), "not a time");
  }
  assert.deepEqual(bounds("v7", vm.runInNewContext("new Date(5)")), bounds("v7", 5));
  refused(() => bounds("fixed-prefix", 5, 6, { prefix: null }), "not a prefix");
});

test("keys that are none, and those of the other copy of the package", () => {
  for (const none of [null, undefined, {}, "secret", new Uint8Array(16)]) {
    refused(() => new TypeSeal("user", none), "not a key");
    refused(() => new SealRing(none), "not a key");
    refused(() => new SealRing(key(), [[5, none]]), "not a key");
  }
  for (const later of [null, "x", 5, [5], ["x"], [null]]) refused(() => new SealRing(key(), later));
  const required = createRequire(import.meta.url)("idgen-keys/seal");
  const secrets = [7, 8].map((byte) => new Uint8Array(16).fill(byte));
  const ring = (module) => new module.SealRing(new module.SealKey(secrets[0]), [[4e12, new module.SealKey(secrets[1])]]);
  const sealed = new TypeSeal("user", ring({ SealKey, SealRing })).sealInt(42);
  assert.equal(new TypeSeal("user", ring(required)).sealInt(42), sealed);
  assert.equal(new required.TypeSeal("user", ring({ SealKey, SealRing })).openInt(sealed), 42n);
});

test("numbers of prefixes, and names that UTF-8 cannot hold", () => {
  const prefixes = new PrefixKey(new Uint8Array(16), "a");
  for (const number of [1.5, "5", null, NaN, 5n, 2 ** 53]) refused(() => prefixes.prefix(number), "number of an interval");
  for (const prefix of [-1, 65_536, 1.5, "5", null]) refused(() => prefixes.writerTag(prefix), "16 bits");
  // All of them would be one character, and so one name.
  for (const name of ["\ud800", "a\udc00b"]) {
    refused(() => v5(name, v5.DNS), "half of a character");
    refused(() => new PrefixKey(new Uint8Array(16), name), "half of a character");
  }
  assert.equal(v5("\u{1f600}", v5.DNS), v5(new TextEncoder().encode("\u{1f600}"), v5.DNS));
});
