// The smallest and the largest id of a time: the entry point `idgen-keys/bounds`.

import { encodeBase32 } from "./codec/base32.js";
import { decodeHyphenated } from "./codec/hyphenated.js";
import { configError } from "./error.js";
import { LAST_UNIX_MS } from "./generator/counting.js";
import { parsePrefix } from "./generator/fixed-prefix.js";
import { checkOptions } from "./options.js";
import {
  type Bounds,
  LARGEST_LOW,
  LAST_TICK,
  LEAST_LOW,
  LEAST_LOW_V8,
  type Span,
  TICKS_OF_MS,
  TICKS_OF_SECOND,
  type Time,
  numbersOf,
  pairText,
  spanOfTimes,
  wideTop,
} from "./times.js";
import { GREGORIAN_TO_UNIX } from "./timestamp.js";

export { IdError, type IdErrorCode } from "./error.js";
export type { Bounds, Time } from "./times.js";

/** A kind of 128-bit ids that begin with their time. Prefixed ids have `prefixedBounds` in `idgen-keys/prefixed`. */
export type BoundsKind = "v7" | "ulid" | "v6" | "v1" | "fixed-prefix";

/**
 * The smallest and the largest id of a time, for queries such as `WHERE id BETWEEN ? AND ?`.
 *
 * ```ts
 * const { first, last } = bounds("v7", new Date("2026-11-21"), new Date("2026-11-22"));
 * // 01a1fb67-1800-7000-8000-000000000000 and 01a2008d-73ff-7fff-bfff-ffffffffffff
 * ```
 *
 * Every id with a time from `start` to `end` is in the range; so are the other ids of the first and the last millisecond (100 ns for versions 1 and 6).
 * The end itself does not belong to the times; without it, only `start` does. The ids of version 1 bound a column of swapped bytes: pass them through
 * `encodeSwapped`. `prefix` is that of `fixed-prefix`, `ffffffff` by default.
 *
 * @throws {@link IdError} `config` if the times end before they begin, `time-out-of-range` if the kind cannot hold them.
 */
export const bounds = (kind: BoundsKind, start: Time, end?: Time, options: { prefix?: string } = {}): Bounds => {
  if (!Object.hasOwn(KINDS, kind)) {
    throw configError("no kind that begins with its time has the name", kind, `choose ${Object.keys(KINDS).join(", ")}, prefixedBounds or shortBounds`);
  }
  // The prefix of this kind is a text, and is read where it is used.
  checkOptions(typeof options === "object" && options !== null ? { ...options, prefix: undefined } : options, ["prefix"]);
  const { prefix } = options;
  if (prefix === null) throw configError("not a prefix:", prefix, "leave it out, or give digits such as ffffffff");
  if (kind !== "fixed-prefix" && prefix !== undefined) throw configError("a prefix has no effect on", kind, "leave it out");
  return KINDS[kind](spanOfTimes(start, end), prefix ?? "ffffffff");
};

/** The smallest and the largest 64-bit id of a time: those of the first second, and of the last one. */
export const shortBounds = (start: Time, end?: Time): Bounds<bigint> => {
  const last = 2n ** 32n * TICKS_OF_SECOND - TICKS_OF_SECOND;
  const [from, to] = numbersOf(spanOfTimes(start, end), TICKS_OF_SECOND, "short", 0n, last);
  return { first: from << 32n, last: (to << 32n) | 0xffff_ffffn };
};

/** The last millisecond of the ticks has no end within 64 bits. */
const millis = (span: Span, kind: string, lastMs: bigint): [bigint, bigint] =>
  numbersOf(span, TICKS_OF_MS, kind, 0n, (lastMs + 1n) * TICKS_OF_MS > LAST_TICK ? LAST_TICK : lastMs * TICKS_OF_MS);

const ticks = (span: Span, kind: string): [bigint, bigint] => {
  const [from, to] = numbersOf(span, 1n, kind, -GREGORIAN_TO_UNIX, 2n ** 60n - 1n - GREGORIAN_TO_UNIX);
  return [from + GREGORIAN_TO_UNIX, to + GREGORIAN_TO_UNIX];
};

const KINDS: Record<BoundsKind, (span: Span, prefix: string) => Bounds> = {
  v7: (span) => {
    const [from, to] = millis(span, "v7", BigInt(LAST_UNIX_MS));
    return { first: pairText((from << 16n) | 0x7000n, LEAST_LOW), last: pairText((to << 16n) | 0x7fffn, LARGEST_LOW) };
  },
  ulid: (span) => {
    const [from, to] = millis(span, "ulid", BigInt(LAST_UNIX_MS));
    const text = (top: bigint, low: bigint) => encodeBase32(decodeHyphenated(pairText(top, low)));
    return { first: text(from << 16n, 0n), last: text((to << 16n) | 0xffffn, 2n ** 64n - 1n) };
  },
  v6: (span) => {
    const [from, to] = ticks(span, "v6");
    const top = (time: bigint) => ((time >> 12n) << 16n) | 0x6000n | (time & 0xfffn);
    return { first: pairText(top(from), LEAST_LOW), last: pairText(top(to), LARGEST_LOW) };
  },
  v1: (span) => {
    const [from, to] = ticks(span, "v1");
    const top = (time: bigint) => ((time & 0xffff_ffffn) << 32n) | (((time >> 32n) & 0xffffn) << 16n) | 0x1000n | (time >> 48n);
    return { first: pairText(top(from), LEAST_LOW), last: pairText(top(to), LARGEST_LOW) };
  },
  "fixed-prefix": (span, text) => {
    const { bits, value, lastMs } = parsePrefix(text);
    const [from, to] = millis(span, "fixed-prefix", BigInt(lastMs));
    const prefix = BigInt(value) << BigInt(64 - bits);
    if (bits <= 16) return { first: pairText(wideTop(prefix, from), LEAST_LOW_V8), last: pairText(wideTop(prefix, to), LARGEST_LOW) };
    // The low 14 bits of the milliseconds follow the variant and a one, and after them the fraction, the counter and the random bits.
    const pair = (ms: bigint, behind: bigint) =>
      pairText(wideTop(prefix, ms >> 14n), LEAST_LOW | (1n << 61n) | ((ms & 0x3fffn) << 47n) | behind);
    return { first: pair(from, 0n), last: pair(to, 2n ** 47n - 1n) };
  },
};
