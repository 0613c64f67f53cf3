// Ids for rows that exist: each has the time of its row, whatever the order of the rows.

import assert from "node:assert/strict";
import test from "node:test";
import { FixedPrefix, IdError, Short, Ulid, V1, V6, decode, inspect, inspectUlid } from "../dist/index.js";
import { idsForRows } from "../dist/rows.js";
import { V7 as CommonJsV7 } from "../dist/cjs/index.js";

const START = 1_777_636_800_000;
const KINDS = { v7: undefined, v6: (options) => new V6(options), v1: (options) => new V1({ ...options, node: "02:00:00:00:00:01" }) };

for (const [name, make] of Object.entries(KINDS)) {
  test(`${name}: each id has the time of its row, and ids of one time ascend in the order of their rows`, () => {
    const times = Array.from({ length: 2000 }, () => START + Math.floor(Math.random() * 300));
    const ids = idsForRows(times, make);
    assert.equal(new Set(ids).size, times.length);
    ids.forEach((id, place) => assert.equal(Date.parse(inspect(id).time), times[place]));
    if (name === "v1") return;
    const inOrder = ids.map((_, place) => place).sort((a, b) => times[a] - times[b]);
    for (let i = 1; i < inOrder.length; i++) assert.ok(ids[inOrder[i - 1]] < ids[inOrder[i]]);
  });
}

test("times are dates, milliseconds or ticks, and may lie before 1970 where the kind holds them", () => {
  const ticks = BigInt(START) * 10_000n;
  const ids = idsForRows(new Set([new Date(START + 5), START + 3, ticks]), (options) => new V6(options));
  assert.deepEqual(ids.map((id) => Date.parse(inspect(id).time) - START), [5, 3, 0]);
  assert.equal(inspect(idsForRows([-1], (options) => new V1(options))[0]).time.slice(0, 4), "1969");
  assert.deepEqual(idsForRows([]), []);
});

test("other kinds, and generators of the other form of the package", () => {
  assert.equal(Date.parse(inspectUlid(decode("base32", idsForRows([START], (options) => new Ulid(options))[0])).time), START);
  assert.ok(idsForRows([START], (options) => new FixedPrefix(undefined, options))[0].startsWith("ffffffff"));
  assert.equal(inspect(idsForRows([START], (options) => new CommonJsV7(options))[0]).version, 7);
});

test("what is no time, no generator or out of range is an error that says so", () => {
  for (const times of [[Number.NaN], [new Date("no date")], ["2026-05-01"], [null]]) {
    assert.throws(() => idsForRows(times), (error) => error instanceof IdError && /not a time/.test(error.message));
  }
  for (const make of [() => undefined, () => new Short(), () => ({})]) {
    assert.throws(() => idsForRows([START], make), (error) => error instanceof IdError && /not a generator/.test(error.message));
  }
  assert.throws(() => idsForRows([START, -1]), (error) => error instanceof IdError && error.code === "time-out-of-range");
});
