// The smallest and the largest id of a time: the forms of times, ids between the bounds, and what is refused. The values are in vectors.test.mjs.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds, shortBounds } from "../dist/bounds.js";
import { FixedPrefix, IdError, Short, Ulid, V1, V6, V7, decodeHyphenated, encodeSwapped } from "../dist/index.js";
import { Prefixed, prefixedBounds } from "../dist/prefixed.js";

const DAY = new Date("2026-11-21");
const NEXT = new Date("2026-11-22");
const NOON = Date.parse("2026-11-21T12:00:00.123Z");
const SECRET = new TextEncoder().encode("a secret of at least 16 bytes");

/** A text that compares as a column compares the id. */
const key = (kind, id) => (kind === "v1" ? Buffer.from(encodeSwapped(decodeHyphenated(id))).toString("hex") : id);

test("ids lie between the bounds of their time, and others do not", () => {
  const kinds = { v1: V1, v6: V6, v7: V7, ulid: Ulid, "fixed-prefix": FixedPrefix };
  for (const [kind, Kind] of Object.entries(kinds)) {
    const made = (ms) => {
      const options = { clock: { now: () => ms } };
      return (kind === "fixed-prefix" ? new Kind(undefined, options) : new Kind(options)).batch(20).map((id) => key(kind, id));
    };
    for (const [from, to] of [[DAY, NEXT], [NOON, undefined]]) {
      const { first, last } = bounds(kind, from, to);
      for (const id of made(NOON)) assert.ok(key(kind, first) <= id && id <= key(kind, last), `${kind} ${id}`);
      for (const id of made(Number(from) - 1)) assert.ok(id < key(kind, first), `${kind} ${id}`);
      for (const id of made(Number(to ?? NOON + 1))) assert.ok(id > key(kind, last), `${kind} ${id}`);
    }
  }
  const { first, last } = shortBounds(DAY, NEXT);
  for (const id of new Short({ clock: { now: () => NOON } }).batch(20)) assert.ok(first <= id && id <= last);
});

test("prefixed ids lie between the bounds of one of their intervals", () => {
  for (const options of [
    {},
    { prefix: { kind: "keyed", secret: SECRET }, interval: "6h" },
    { prefix: { kind: "keyed", secret: SECRET, writer: "b" } },
    { tail: "random-v8" },
    { prefix: { kind: "md5-week" }, interval: "week", tail: "random-v4" },
  ]) {
    const ranges = [...prefixedBounds(options, DAY, new Date("2026-11-24"))];
    for (const at of [Number(DAY), NOON, NOON + 86_400_000]) {
      for (const id of new Prefixed({ ...options, clock: { now: () => at } }).batch(20)) {
        assert.equal(ranges.filter(({ first, last }) => first <= id && id <= last).length, 1, JSON.stringify(options));
      }
    }
  }
});

test("times are dates, milliseconds or ticks", () => {
  const expected = bounds("v6", 17_952_624_001_234_567n);
  assert.deepEqual(bounds("v7", 1_795_262_400_123), bounds("v7", new Date(1_795_262_400_123)));
  assert.deepEqual(bounds("v7", 1_795_262_400_123.4), bounds("v7", 17_952_624_001_234_000n));
  assert.deepEqual(bounds("v6", 17_952_624_001_234_567n, 17_952_624_001_234_568n), expected);
});

test("what is no kind, time or option is refused", () => {
  for (const [call, code, says] of [
    [() => bounds("v4", DAY), "config", /"v4".*v7, ulid/],
    [() => bounds("toString", DAY), "config", /toString/],
    [() => bounds("v7", "2026-11-21"), "config", /not a time: "2026-11-21"/],
    [() => bounds("v7", new Date("x")), "config", /not a time: "Invalid Date"/],
    [() => bounds("v7", null), "config", /not a time: "null"/],
    [() => bounds("v7", Number.NaN), "config", /not a time/],
    [() => bounds("v7", 2n ** 64n), "config", /not a time/],
    [() => bounds("v7", 1e300), "config", /not a time/],
    [() => bounds("v7", DAY, NEXT, { prefix: "ff" }), "config", /no effect on "v7"/],
    [() => bounds("v7", DAY, NEXT, { perfix: "ff" }), "config", /unknown option "perfix"/],
    [() => bounds("v7", DAY, NEXT, null), "config", /options must be an object/],
    [() => bounds("fixed-prefix", DAY, NEXT, { prefix: "xyz" }), "config", /not a fixed prefix: "xyz"/],
    [() => shortBounds(new Date("2107-01-01")), "time-out-of-range", /2107/],
    [() => prefixedBounds({ bits: 3 }, DAY), "config", /unknown option "bits"/],
    [() => prefixedBounds({}, NEXT, DAY), "config", /later end/],
  ]) {
    assert.throws(call, (error) => {
      assert.ok(error instanceof IdError, String(error));
      assert.equal(error.code, code);
      assert.match(error.message, says);
      return true;
    });
  }
});
