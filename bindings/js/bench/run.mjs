// The speed table of docs/offline.md: this package beside others, interleaved, medians. `--write FILE` replaces the table in a file.

import fs from "node:fs";
import os from "node:os";
import { ulid as npmUlid, monotonicFactory } from "ulid";
import { v4 as uuidV4, v7 as uuidV7 } from "uuid";
import { uuidv7 } from "uuidv7";
import { ulid, ulidBatch, v4, v4Batch, v7, v7Batch } from "../dist/index.js";

const COUNT = 1_000;
const ROUNDS = 40;
const ascendingUlid = monotonicFactory();

const each = (make) => () => Array.from({ length: COUNT }, make);
/** The kind, what is measured, one id, and a batch of 1,000: others have none, so a loop fills an array. */
const CASES = [
  ["v4", "crypto.randomUUID", () => crypto.randomUUID()],
  ["v4", "uuid", () => uuidV4()],
  ["v4", "**idgen-keys**", v4, () => v4Batch(COUNT)],
  ["v7", "uuid", () => uuidV7()],
  ["v7", "uuidv7", () => uuidv7()],
  ["v7", "**idgen-keys**", v7, () => v7Batch(COUNT)],
  ["ULID", "ulid", () => npmUlid()],
  ["ULID", "ulid, monotonic", () => ascendingUlid()],
  ["ULID", "**idgen-keys**", ulid, () => ulidBatch(COUNT)],
];

/** So that the texts exist as texts: some engines concatenate lazily, and the reader of an id would pay. */
let sink = 0;
const use = (ids) => {
  for (const id of ids) sink ^= id.charCodeAt(35 % id.length);
};

/** Nanoseconds of processor time for each id, in all threads of the process: other programs do not matter much. */
const time = (run) => {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return ((user + system) * 1_000) / COUNT;
};

const measured = CASES.map(([kind, name, one, batch = each(one)]) => ({ kind, name, one, batch, single: [], many: [] }));
for (let round = -10; round < ROUNDS; round++) {
  for (const { one, batch, single, many } of measured) {
    const singles = time(() => {
      for (let i = 0; i < COUNT; i++) sink ^= one().charCodeAt(25);
    });
    const batches = time(() => use(batch()));
    if (round >= 0) {
      single.push(singles);
      many.push(batches);
    }
  }
}

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
const lines = [
  `Node ${process.versions.node}, ${os.cpus()[0].model}, nanoseconds of processor time, median of ${ROUNDS} interleaved rounds of ${COUNT} ids; each id is read.`,
  "",
  "| kind | package | one id | batch of 1,000, per id |",
  "|---|---|---|---|",
  ...measured.map(({ kind, name, single, many }) => `| ${kind} | ${name} | ${Math.round(median(single))} | ${Math.round(median(many))} |`),
];
console.log(lines.join("\n"));

const target = process.argv.indexOf("--write");
if (target > 0) {
  const file = process.argv[target + 1];
  const old = fs.readFileSync(file, "utf8");
  const marks = /(<!-- begin speed -->\n)[^]*(<!-- end speed -->)/;
  if (!marks.test(old)) throw new Error(`${file} has no place for the table`);
  fs.writeFileSync(file, old.replace(marks, (_, begin, end) => `${begin}${lines.join("\n")}\n${end}`));
}
if (sink === 0.5) console.log(sink);
