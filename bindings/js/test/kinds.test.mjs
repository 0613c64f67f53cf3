// The kinds are those of tests/vectors/kinds.json, with its settings.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bounds, shortBounds } from "../dist/bounds.js";
import * as idgen from "../dist/index.js";
import { formatState, parseState } from "../dist/node.js";
import { Prefixed, prefixedBounds } from "../dist/prefixed.js";
import { idsForRows } from "../dist/rows.js";
import { build, outcome, vectors } from "./vectors.mjs";

const { Generator, MemoryState, Short } = idgen;
/** The kinds that this package does not have. */
const MISSING = {
  week: "Prefixed makes these ids, with an md5-week prefix and the tail random-v4",
  "mysql-short": "the ids of a server's UUID_SHORT() have no place in an app",
};
const ALL = vectors("kinds.json").kinds;
const KINDS = ALL.filter(({ name }) => !Object.hasOwn(MISSING, name));
const className = (name) => name.replace(/(^|-)(.)/g, (_, _dash, first) => first.toUpperCase());
const isRefused = (call) => outcome(call)?.code === "config";

test("the classes are those of the table", () => {
  for (const name of Object.keys(MISSING)) assert.ok(ALL.some((kind) => kind.name === name), name);
  const classes = Object.values({ ...idgen, Prefixed }).filter((one) => one === Short || one?.prototype instanceof Generator);
  assert.deepEqual(classes.map((one) => one.name).sort(), KINDS.map(({ name }) => className(name)).sort());
});

for (const { name, bits, version, settings, layout, bounds: span, rows } of KINDS) {
  const given = layout.includes("interval") ? { prefix: "sequential", interval: "day", tail: "ascending" } : { prefix: "ff" };
  const make = (options) => build({ kind: name, settings: given }, options);
  test(`${name}: its settings and its ids are those of the table`, () => {
    assert.equal(isRefused(() => make({ node: "9f6bdeced846" })), !settings.includes("node"));
    assert.equal(isRefused(() => make({ state: new MemoryState() })), !settings.includes("state"));
    // A kind without a time ignores these, so that callers can pass the same options to all kinds.
    for (const options of [{ whenBehind: "error" }, { clock: { now: () => 0 } }]) make(options);
    const id = make({}).next();
    assert.equal(typeof id === "bigint" ? 64 : 128, bits);
    if (version) assert.equal(id[14], String(version));
  });

  test(`${name}: its bounds and its ids for rows are those of the table`, () => {
    assert.equal(isRefused(() => bounds(name, 0)), bits === 64 || !["ids", "swapped"].includes(span));
    if (bits === 64) assert.ok(shortBounds(0).first < shortBounds(0).last);
    if (span === "intervals") assert.equal([...prefixedBounds({}, 0)].length, 1);
    if (settings.includes("clock")) assert.equal(isRefused(() => idsForRows([0], make)), !rows);
  });
}

test("a state file may be of each kind of the table, and of no other", () => {
  for (const { name } of ALL) assert.equal(parseState(formatState({ kind: name, position: 7n }))?.kind, name);
  assert.equal(parseState(formatState({ kind: "v9", position: 7n })), undefined);
});
