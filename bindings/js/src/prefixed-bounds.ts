import { type PrefixedOptions, type Current, type Plan, enter, planOf } from "./generator/prefixed.js";
import {
  type Bounds,
  LARGEST_LOW,
  LEAST_LOW,
  LEAST_LOW_V8,
  TICKS_OF_MS,
  TICKS_OF_SECOND,
  type Time,
  numbersOf,
  pairText,
  spanOfTimes,
  wideTop,
} from "./times.js";
import { floorDiv } from "./timestamp.js";

/**
 * The bounds of prefixed ids, as those of `bounds` in `idgen-keys/bounds`: a pair for each interval of the times, in their order.
 *
 * After an ascending tail, a range has the ids of these times only. After a random tail it has all ids of the interval, and those of all other
 * intervals with the same prefix. A keyed prefix takes a few milliseconds for each interval, so the pairs are computed as they are read.
 *
 * ```ts
 * const days = [...prefixedBounds({ interval: "day" }, new Date("2026-11-21"), new Date("2026-11-23"))]; // two pairs
 * ```
 *
 * @throws {@link IdError} `config` if the times end before they begin, or if the options are wrong; `time-out-of-range` for other times than those
 * of an ascending tail.
 */
export const prefixedBounds = (options: Pick<PrefixedOptions, "prefix" | "interval" | "tail">, start: Time, end?: Time): Iterable<Bounds> => {
  const plan = planOf(options);
  const { from, to } = spanOfTimes(start, end);
  if (plan.layout !== "random") numbersOf({ from, to }, TICKS_OF_MS, "prefixed", 0n, BigInt(plan.lastMs) * TICKS_OF_MS);
  return ranges(plan, from, to);
};

function* ranges(plan: Plan, from: bigint, to: bigint): Generator<Bounds, void> {
  for (let next = from; next <= to; ) {
    const current = enter(plan, Number(floorDiv(next, TICKS_OF_SECOND)));
    const lastOfInterval = BigInt(current.end) * TICKS_OF_SECOND - 1n;
    const until = lastOfInterval < to ? lastOfInterval : to;
    yield rangeOf(plan, current, Number(floorDiv(next, TICKS_OF_MS)), Number(floorDiv(until, TICKS_OF_MS)));
    next = until + 1n;
  }
}

/** The smallest id of a millisecond of an interval, and the largest one of another. */
const rangeOf = ({ layout, version }: Plan, { prefix, start, round, toNumber }: Current, firstMs: number, lastMs: number): Bounds => {
  const left = BigInt(prefix) << 48n;
  if (layout === "random") {
    const top = left | BigInt(version << 12);
    const last = pairText(top | 0xffff_ffff_0fffn, LARGEST_LOW);
    return { first: pairText(top, version === 8 ? LEAST_LOW_V8 : LEAST_LOW), last };
  }
  if (layout === "keyed") {
    const top = (ms: number) => left | 0x8000n | (BigInt(round + ms - start * 1_000) << 16n);
    return { first: pairText(top(firstMs), LEAST_LOW_V8), last: pairText(top(lastMs) | 0xfffn, LARGEST_LOW) };
  }
  const top = (ms: number) => wideTop(left, BigInt(ms + toNumber));
  return { first: pairText(top(firstMs), LEAST_LOW_V8), last: pairText(top(lastMs), LARGEST_LOW) };
};
