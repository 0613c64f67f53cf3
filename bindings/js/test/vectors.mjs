// Reads tests/vectors and replays generators: its README describes the files.

import fs from "node:fs";
import { FixedPrefix, IdError, MemoryState, Short, Ulid, V1, V4, V6, V7 } from "../dist/index.js";
import { Prefixed } from "../dist/prefixed.js";

export const vectors = (name) =>
  JSON.parse(fs.readFileSync(new URL(`../../../tests/vectors/${name}`, import.meta.url), "utf8"));

export const unhex = (text) => Uint8Array.from(Buffer.from(text, "hex"));

/** A clock that stands still until a step or a sleep moves it. */
export class FixedClock {
  at = 0n;

  now() {
    return Number(this.at / 10_000n) - (this.at % 10_000n < 0n ? 1 : 0);
  }

  ticks() {
    return this.at;
  }

  sleep(ms) {
    this.at += BigInt(Math.round(ms * 10_000));
  }
}

/** The bytes again and again. */
export const repeating = (bytes) => {
  // The cases with millions of ids have one byte.
  if (bytes.length === 1) return (out) => out.fill(bytes[0]);
  let at = 0;
  return (out) => {
    for (let i = 0; i < out.length; i++, at++) out[i] = bytes[at % bytes.length];
  };
};

/** The generator of a case. */
export const build = ({ kind, settings: given }, sources) => {
  const options = { ...sources };
  if (given.when_behind) options.whenBehind = given.when_behind;
  if (given.tolerance_ms !== undefined) options.toleranceMs = given.tolerance_ms;
  if (given.longest_wait_ms !== undefined) options.longestWaitMs = given.longest_wait_ms;
  if (given.node) options.node = given.node;
  const kinds = { v1: V1, v4: V4, v6: V6, v7: V7, ulid: Ulid, short: Short };
  if (kind === "fixed-prefix") return new FixedPrefix(given.prefix, options);
  if (kind !== "prefixed") return new kinds[kind](options);
  return new Prefixed({ ...options, ...prefixedSettings(given) });
};

/** Prefix, interval and tail of a case. */
export const prefixedSettings = (given) => {
  const prefix = { kind: given.prefix };
  if (given.bits !== undefined) prefix.bits = given.bits;
  if (given.secret) prefix.secret = unhex(given.secret);
  if (given.writer !== undefined && given.writer !== null) prefix.writer = given.writer;
  if (given.utc_offset_secs !== undefined) prefix.utcOffsetSecs = given.utc_offset_secs;
  return { prefix, interval: given.interval, tail: given.tail };
};

const skip = (generator, count) => {
  const piece = 1 << 16;
  const bytes = new Uint8Array(16 * Math.min(count, piece));
  for (let left = count; left > 0; left -= piece) {
    if (generator instanceof Short) generator.batch(Math.min(left, piece));
    else generator.fill(bytes.subarray(0, 16 * Math.min(left, piece)));
  }
};

const run = (generator, { op, count }) => {
  if (op === "skip") return skip(generator, count);
  const ids = op === "fill" ? generator.batch(count) : Array.from({ length: count }, () => generator.next());
  return ids.map(String);
};

/** A lease of a case. */
export const leaseOf = ({ number, not_before, not_after }) => ({ number, notBefore: BigInt(not_before), notAfter: BigInt(not_after) });

/** Runs the steps of a case, and returns the steps with their results in the form of the file. */
export const replay = (test) => {
  const clock = new FixedClock();
  const state = test.state ? new MemoryState() : undefined;
  const random = repeating(unhex(test.entropy));
  let generator;
  let lease;
  return test.steps.map(({ clock: time, op, count, lease: renewed }) => {
    const step = { op };
    if (time !== undefined) clock.at = BigInt(step.clock = time);
    if (count !== undefined) step.count = count;
    if (renewed !== undefined) step.lease = renewed;
    const before = clock.at;
    try {
      if (op === "close") generator?.close();
      if (op === "close" || op === "crash") {
        generator = undefined;
      } else {
        if (renewed) {
          // A refused one changes nothing, neither here nor in a generator.
          const next = leaseOf(renewed);
          if (generator) generator.setLease(next);
          else new Short({ lease: next });
          lease = next;
        }
        generator ??= build(test, lease ? { clock, random, state, lease } : { clock, random, state });
        const ids = run(generator, step);
        if (ids) step.ids = ids;
      }
    } catch (error) {
      if (!(error instanceof IdError)) throw error;
      Object.assign(step, { error: error.code, message: error.message });
    }
    if (clock.at !== before) step.clock_after = String(clock.at);
    if (state) {
      const { position, node } = state.saved ?? {};
      step.saved = state.saved ? { position: String(position), node: node ?? null } : null;
    }
    return step;
  });
};

/** What a call returns, or what it throws as the files write it. */
export const outcome = (call) => {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof IdError)) throw error;
    return { code: error.code, message: error.message, offset: error.offset ?? null };
  }
};

/** The names of the files for the fields of an inspection. */
const NAMES = { clockSequence: "clock_sequence", tailTime: "tail_time", offsetMs: "offset_ms", fractionNs: "fraction_ns", writerTag: "writer_tag" };

/** An inspection as the files write it. */
export const renamed = (seen) =>
  Object.fromEntries(Object.entries(seen).map(([name, value]) => [NAMES[name] ?? name, value]));
