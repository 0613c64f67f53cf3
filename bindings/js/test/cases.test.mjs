// 100,000 random cases agree with the Rust library, whose example prints them.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { test } from "node:test";
import * as idgen from "../dist/index.js";
import { SealKey } from "../dist/seal.js";
import { example } from "./rust.mjs";
import { outcome, renamed, replay, unhex } from "./vectors.mjs";

const COUNT = 100_000;
const SEED = Number(process.env.IDGEN_CASES_SEED ?? Date.now() % 1_000_000);

const check = (vector) => {
  if (vector.steps) return assert.deepEqual(replay(vector), vector.steps);
  if (vector.secret) return assert.equal(new SealKey(unhex(vector.secret)).seal(vector.id), vector.sealed);
  const { text, format, offset, message, id } = vector;
  if (vector.nature) {
    const { text: _, ...fields } = vector;
    return assert.deepEqual(renamed(idgen.inspect(text)), fields);
  }
  if (vector.error) {
    const { code, message: said } = outcome(() => idgen.inspect(text));
    return assert.deepEqual({ code, said }, { code: vector.error, said: message });
  }
  const expected = message === undefined ? id : { code: "parse", message, offset };
  assert.deepEqual(outcome(() => idgen.encodeHyphenated(idgen.decode(format, text))), expected);
};

test(`${COUNT} cases of seed ${SEED}`, async () => {
  const rust = spawn(example("cases"), [COUNT, SEED].map(String), { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(rust, "close");
  // Awaited only after the last line.
  ended.catch(() => {});
  let cases = 0;
  for await (const line of createInterface({ input: rust.stdout })) {
    const vector = JSON.parse(line);
    cases++;
    try {
      check(vector);
    } catch (error) {
      rust.kill();
      error.message += `\nin ${line}`;
      throw error;
    }
  }
  const [status, signal] = await ended;
  assert.deepEqual({ status, signal, cases }, { status: 0, signal: null, cases: COUNT });
});
