import { toNumber } from "./codec/bytes.js";
import { checkOptions } from "./options.js";
import { offsetBitsOf } from "./generator/prefixed.js";
import { type Inspection, highFraction, inspect } from "./inspect.js";
import { type Interval, spanOf } from "./interval.js";

/** What can be read from a prefixed id with an ascending tail after a keyed prefix. */
export interface KeyedInspection extends Omit<Inspection, "tailTime"> {
  /** The round of 65,536 intervals. */
  round?: number;
  /** How many milliseconds after the start of its interval it was generated. */
  offsetMs?: number;
  /** The tag of the named writer. */
  writerTag?: number;
}

/**
 * Inspects a text of an id whose prefix is known to be keyed, to change once every `interval`, and to belong to a named writer or
 * not: the bits do not show it. If the offset that results is longer than the interval, the id has another layout, and round, offset, fraction and counter are
 * missing. Other versions are as {@link inspect} returns them.
 */
export const inspectKeyed = (text: string, interval: Interval, options: { named?: boolean } = {}): KeyedInspection => {
  checkOptions(options, ["named"]);
  const span = spanOf(interval);
  const offsetBits = offsetBitsOf(span);
  const whole = inspect(text);
  if (whole.nature !== "v8") return whole;
  const { tailTime: _, counter: __, fractionNs: ___, ...seen } = whole;
  const number = toNumber(Uint8Array.from(seen.id.replaceAll("-", "").match(/../g)!, (pair) => parseInt(pair, 16)));
  const bits = (from: number, count: number): number => Number((number >> BigInt(from)) & ((1n << BigInt(count)) - 1n));
  const middle = options.named ? bits(80, 20) * 0x1000 + bits(64, 12) : bits(80, 32);
  const offsetMs = middle % 2 ** offsetBits;
  if (offsetMs >= span.longestSecs * 1_000) return seen;
  const round = Math.floor(middle / 2 ** offsetBits);
  const fraction = highFraction(BigInt(options.named ? bits(50, 12) : bits(64, 12)));
  if (options.named) return { ...seen, round, offsetMs, ...fraction, counter: bits(32, 18), writerTag: bits(100, 12) };
  return { ...seen, round, offsetMs, ...fraction, counter: bits(40, 22) };
};
