// Spans of time of callers, and the ids between them.

import { configError } from "./error.js";
import { outOfRange } from "./generator/monotonic.js";
import { floorDiv, timeText } from "./timestamp.js";

/** A time: a Date, milliseconds since 1970 that may have a fraction, or a `bigint` in units of 100 ns since 1970. */
export type Time = Date | number | bigint;

/** The smallest and the largest id of a time; both belong to the range. */
export interface Bounds<Id = string> {
  first: Id;
  last: Id;
}

/** A first and a last tick. */
export interface Span {
  from: bigint;
  to: bigint;
}

/** The last tick of 64 bits, as in the other languages. */
export const LAST_TICK = 2n ** 63n - 1n;
export const TICKS_OF_MS = 10_000n;
export const TICKS_OF_SECOND = 10_000_000n;

/** A time of a caller in units of 100 ns since 1970. */
export const ticksAt = (time: Time): bigint => {
  // A Date of another window or context, too, but not an empty list, whose number is 0.
  const given: unknown = Object.prototype.toString.call(time) === "[object Date]" ? Number(time) : time;
  const ticks = typeof given === "number" && Number.isFinite(given) ? millisecondsToTicks(given) : given;
  if (typeof ticks !== "bigint" || ticks < -LAST_TICK || ticks > LAST_TICK) {
    throw configError("not a time:", time, "give a Date, milliseconds since 1970, or a bigint in units of 100 ns");
  }
  return ticks;
};

const millisecondsToTicks = (ms: number): bigint => {
  const whole = Math.floor(ms);
  return BigInt(whole) * TICKS_OF_MS + BigInt(Math.floor((ms - whole) * 10_000));
};

/** The times from `start` to the one before `end`; only `start` without an end. */
export const spanOfTimes = (start: Time, end: Time | undefined): Span => {
  const from = ticksAt(start);
  const until = end === undefined ? from + 1n : ticksAt(end);
  if (until <= from) {
    throw configError("the times do not begin before they end:", `${timeText(from)} to ${timeText(until)}`, "give a later end");
  }
  return { from, to: until - 1n };
};

/** First and last number of a span in this unit, if both are numbers of the kind's own times. */
export const numbersOf = ({ from, to }: Span, unit: bigint, kind: string, first: bigint, last: bigint): [bigint, bigint] => {
  for (const ticks of [from, to]) {
    const number = floorDiv(ticks, unit);
    if (number < floorDiv(first, unit) || number > floorDiv(last, unit)) throw outOfRange(kind, ticks, timeText(first), timeText(last));
  }
  return [floorDiv(from, unit), floorDiv(to, unit)];
};

const MASK = 2n ** 64n - 1n;
const VARIANT = 1n << 63n;

/** The 16 bytes of two halves as text. */
export const pairText = (top: bigint, low: bigint): string => {
  const digits = (((top & MASK) << 64n) | low).toString(16).padStart(32, "0");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/** The lower halves of the smallest and of the largest id after the variant. In version 8, byte 8 is never 0x80, which MariaDB's UUID column refuses. */
export const LEAST_LOW = VARIANT;
export const LEAST_LOW_V8 = VARIANT | (1n << 56n);
export const LARGEST_LOW = VARIANT | (MASK >> 2n);

/** The upper half of an id of version 8 with this prefix at its left, whose tail begins with a number of 44 bits. */
export const wideTop = (prefix: bigint, number: bigint): bigint => prefix | 0x8000n | ((number >> 12n) << 16n) | (number & 0xfffn);
