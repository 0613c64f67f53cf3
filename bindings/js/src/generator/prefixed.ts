// A prefix that stays the same for an interval, and a tail.

import { md5 } from "@noble/hashes/legacy.js";
import { millisOf } from "../clock.js";
import { configError } from "../error.js";
import { type Bucket, type Interval, type Span, bucketAt, spanOf, startOf } from "../interval.js";
import { COMMON, checkOptions } from "../options.js";
import { PrefixKey } from "../prefix-key.js";
import { LARGEST } from "../random.js";
import { ascii } from "../secret.js";
import { releasing } from "../state.js";
import { dayOfDate, mysqlWeek } from "../timestamp.js";
import type { GeneratorOptions } from "./base.js";
import { type Counter, Counting, HIGH_FRACTION, WIDE, write32, writeEnd, writeWide } from "./counting.js";
import { stamp } from "./v4.js";

/** How an interval becomes the first 16 bits of an id. */
export type Prefix =
  /** The interval's number modulo 2^bits, 16 by default: successive intervals have successive prefixes. It does not hide the time. */
  | { kind: "sequential"; bits?: number }
  /** A keyed permutation: without the key, the prefix does not reveal the interval. Each named writer has one of its own. */
  | { kind: "keyed"; secret: Uint8Array; writer?: string }
  /** The prefix that MySQL computes as `LEFT(MD5(CONCAT(YEAR(t), WEEK(t))), 4)`, at an offset from UTC. Only weeks; it does not hide the time. */
  | { kind: "md5-week"; utcOffsetSecs?: number };

/** What follows the prefix: random bits in version 4 or 8, or a time and a counter in version 8. */
export type Tail = "random-v4" | "random-v8" | "ascending";

/** The settings and sources of a generator of prefixed ids. */
export interface PrefixedOptions extends GeneratorOptions {
  /** The prefix; sequential by default. */
  prefix?: Prefix;
  /** How long the prefix stays the same; a day by default. */
  interval?: Interval;
  /** The tail; ascending by default. */
  tail?: Tail;
}

/** The counter after a keyed prefix: byte 8 is never 0x80, which MariaDB's UUID column refuses in version 8. */
const KEYED: Counter = { bits: 22, least: 1 << 16 };

type Layout = "random" | "time" | "keyed" | "named";

/** What the options of {@link Prefixed} say, without its sources. */
export interface Plan {
  layout: Layout;
  version: number;
  span: Span;
  find: (secs: number) => [Bucket, number];
  key: PrefixKey | undefined;
  offsetBits: number;
  lastMs: number;
}

/** An interval, with what its ids share. */
export interface Current extends Bucket {
  prefix: number;
  /** What a tail of 44 bits adds to the milliseconds. */
  toNumber: number;
  /** The round in the 32 bits of a keyed tail. */
  round: number;
}

/**
 * Generates prefixed ids.
 *
 * With a random tail: `prefix 16 | random 32 | version 4 | random 12 | variant 2 | random 62`. With an ascending tail, the layout depends
 * on the prefix, and ids ascend strictly within a bucket over all its visits, so that they fill the pages of an index:
 *
 * - sequential and md5-week: `prefix 16 | unix milliseconds 32 | version 4 | milliseconds 12 | variant 2 | fraction 12 | counter 18 | random 32`;
 * - keyed: `prefix 16 | round and offset 32 | version 4 | fraction 12 | variant 2 | counter 22 | random 40`;
 * - keyed with a writer: `prefix 16 | tag 12, round and offset 20 | version 4 | offset 12 | variant 2 | fraction 12 | counter 18 | random 32`.
 *
 * The fraction of the millisecond is 64 to 4,095, in steps of 248 ns; where the clock is coarser, its bits are random.
 */
export class Prefixed extends Counting {
  readonly #plan: Plan;
  #current: Current = { number: 0, start: 0, end: 0, prefix: 0, toNumber: 0, round: 0 };

  constructor(options: PrefixedOptions = {}) {
    const plan = releasing(options, () => planOf(options));
    super("prefixed", plan.lastMs, HIGH_FRACTION, plan.layout === "keyed" ? KEYED : WIDE, options, ...OWN);
    this.#plan = plan;
    if (plan.layout !== "random") releasing(options, () => this.line.checkClock());
  }

  protected override make(bytes: Uint8Array): void {
    if (this.#plan.layout !== "random") return super.make(bytes);
    const { entropy } = this.sources;
    const { version } = this.#plan;
    let prefix = -1;
    for (let at = 0; at < bytes.length; ) {
      const count = Math.min(LARGEST, bytes.length - at);
      const from = entropy.draw(count);
      bytes.set(entropy.bytes.subarray(from, from + count), at);
      if (prefix < 0) prefix = this.#at(millisOf(this.sources.clock)).prefix;
      for (const end = at + count; at < end; at += 16) {
        stamp(bytes, at, version);
        bytes[at] = prefix >> 8;
        bytes[at + 1] = prefix;
        // MariaDB's UUID column refuses version 8 with a byte 8 of 0x80.
        if (version === 8 && bytes[at + 8] === 0x80) bytes[at + 8] = 0x81;
      }
    }
  }

  protected override write(bytes: Uint8Array, at: number, counter: number, random: Uint8Array, from: number): void {
    const { time, part } = this.line;
    const current = this.#at(time);
    if (this.#plan.layout !== "keyed") {
      writeWide(bytes, at, current.prefix, time + current.toNumber, part, counter);
      writeEnd(bytes, at, 12, random, from);
      return;
    }
    bytes[at] = current.prefix >> 8;
    bytes[at + 1] = current.prefix;
    write32(bytes, at + 2, (current.round + time - current.start * 1_000) >>> 0);
    bytes[at + 6] = 0x80 | (part >> 8);
    bytes[at + 7] = part;
    bytes[at + 8] = 0x80 | (counter >> 16);
    bytes[at + 9] = counter >> 8;
    bytes[at + 10] = counter;
    writeEnd(bytes, at, 11, random, from);
  }

  /** The bucket of a millisecond. A keyed prefix takes long to compute, so the last one is kept. */
  #at(ms: number): Current {
    const secs = Math.floor(ms / 1_000);
    const { start, end } = this.#current;
    if (start <= secs && secs < end) return this.#current;
    this.#current = enter(this.#plan, secs);
    return this.#current;
  }

  /** How long the prefix stays the same. */
  get interval(): Interval {
    return this.#plan.span.name;
  }
}

/** The options that only this kind has. */
const OWN = ["prefix", "interval", "tail"];

/** The interval of a second, and what its ids share. */
export const enter = ({ layout, find, key, offsetBits }: Plan, secs: number): Current => {
  const [bucket, prefix] = find(secs);
  const round = Math.floor(bucket.number / 0x1_0000) * 2 ** offsetBits;
  const tag = layout === "named" ? key!.writerTag(prefix) : 0;
  const toNumber = layout === "named" ? tag * 2 ** 32 + round - bucket.start * 1_000 : 0;
  return { ...bucket, prefix, toNumber, round };
};

/** @internal */
export const planOf = (options: PrefixedOptions): Plan => {
  checkOptions(options, [...COMMON, ...OWN]);
  const { prefix = { kind: "sequential" }, interval = "day", tail = "ascending", state } = options;
  const span = spanOf(interval);
  const [find, key] = finder(prefix, span);
  if (tail !== "random-v4" && tail !== "random-v8" && tail !== "ascending") {
    throw configError("not a tail", tail, "choose random-v4, random-v8 or ascending");
  }
  const random = tail !== "ascending";
  const version = tail === "random-v4" ? 4 : 8;
  if (random && state) {
    const advice = "choose an ascending tail, or no state";
    throw configError("a state has no effect on a random tail of version", version, advice);
  }
  const offsetBits = !random && key ? offsetBitsOf(span) : 0;
  const lastMs = !random && key ? startOf(span, 2 ** (48 - offsetBits)) * 1_000 - 1 : 2 ** 44 - 1;
  const layout = random ? "random" : !key ? "time" : key.hasWriter ? "named" : "keyed";
  return { layout, version, span, find, key, offsetBits, lastMs };
};

/** How many of 32 bits hold the milliseconds of an interval after a keyed prefix. */
export const offsetBitsOf = (span: Span): number => {
  const longest = span.longestSecs * 1_000;
  if (longest > 2 ** 32) {
    throw configError(
      "an ascending tail after a keyed prefix cannot count the milliseconds of",
      span.name,
      "choose an interval of at most 49 days",
    );
  }
  return Math.ceil(Math.log2(longest));
};

/** Finds the bucket and the prefix of a second; also the key, if the prefix has one. */
const finder = (prefix: Prefix, span: Span): [(secs: number) => [Bucket, number], PrefixKey | undefined] => {
  switch (prefix.kind) {
    case "sequential": {
      checkOptions(prefix, ["kind", "bits"]);
      const bits = prefix.bits ?? 16;
      if (!(Number.isInteger(bits) && bits >= 1 && bits <= 16)) {
        throw configError("a sequential prefix cannot have this many bits:", bits, "give 1 to 16");
      }
      const count = 2 ** bits;
      const find = (secs: number): [Bucket, number] => {
        const bucket = bucketAt(span, secs);
        return [bucket, ((bucket.number % count) + count) % count];
      };
      return [find, undefined];
    }
    case "keyed": {
      checkOptions(prefix, ["kind", "secret", "writer"]);
      const key = new PrefixKey(prefix.secret, prefix.writer);
      const find = (secs: number): [Bucket, number] => {
        const bucket = bucketAt(span, secs);
        return [bucket, key.prefix(bucket.number)];
      };
      return [find, key];
    }
    case "md5-week": {
      checkOptions(prefix, ["kind", "utcOffsetSecs"]);
      const offset = prefix.utcOffsetSecs ?? 0;
      if (span.name !== "week") {
        const advice = "choose the interval week, or the prefix sequential or keyed";
        throw configError("the md5-week prefix cannot change every", span.name, advice);
      }
      if (!(Number.isInteger(offset) && Math.abs(offset) <= 14 * 3_600)) {
        throw configError("no time zone has the offset from UTC", `${offset} s`, "give at most 14 hours");
      }
      return [(secs) => weekAt(span, secs, offset), undefined];
    }
    default:
      throw configError(
        "no kind of prefix has the name",
        (prefix as { kind?: unknown }).kind,
        "choose md5-week, sequential or keyed",
      );
  }
};

/** A week of MySQL's formula: it ends with Saturday or with the year. */
const weekAt = (span: Span, secs: number, offset: number): [Bucket, number] => {
  const local = secs + offset;
  const { year, week } = mysqlWeek(local);
  const sundays = bucketAt(span, local);
  const start = Math.max(sundays.start, dayOfDate(year, 1, 1) * 86_400) - offset;
  const end = Math.min(sundays.end, dayOfDate(year + 1, 1, 1) * 86_400) - offset;
  return [{ number: sundays.number, start, end }, md5WeekPrefix(year, week)];
};

/** The prefix of a year and a week: `LEFT(MD5(CONCAT(year, week)), 4)`. */
export const md5WeekPrefix = (year: number, week: number): number => {
  const digest = md5(ascii(`${year}${week}`));
  return (digest[0]! << 8) | digest[1]!;
};
