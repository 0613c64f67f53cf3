import { IdError, configError, errorOf } from "./error.js";
import { type Clock, FineClock } from "./fine-clock.js";
import { timeText } from "./timestamp.js";

export type { Clock } from "./fine-clock.js";

/** What a generator does if the clock is behind the last id by more than the tolerance. */
export type WhenBehind = "error" | "wait" | "restart";

/** The one rule for a clock that is behind the last id: see {@link GeneratorOptions}. */
export interface ClockPolicy {
  /** By how many milliseconds the clock may be behind without any effect: ten seconds by default. `Infinity` is allowed. */
  toleranceMs?: number;
  /**
   * What to do beyond the tolerance. By default, the generator restarts at the clock's time: ids stay unique, but new ones sort
   * before earlier ones. A generator with a state cannot restart, because earlier times may belong to another run: it throws an error instead.
   */
  whenBehind?: WhenBehind;
  /** The longest time that one call may wait: a minute by default. */
  longestWaitMs?: number;
}

/** Browsers make their clocks coarse on purpose, and only servers have several clients with one clock. */
const isServer = typeof (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node === "string";

/**
 * The system's clock. It sleeps where the thread may block: in Node and in workers, but not in the window of a browser. In Node, Deno and Bun it
 * shows microseconds, in browsers and apps whole milliseconds.
 *
 * @internal
 */
export const systemClock: Clock = isServer
  ? new FineClock()
  : {
      now: () => Date.now(),
      sleep: (ms) => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
      },
    };

/** @internal */
export interface Policy {
  toleranceMs: number;
  whenBehind: WhenBehind;
  longestWaitMs: number;
}

/** @internal */
export const policyOf = ({ toleranceMs = 10_000, whenBehind = "restart", longestWaitMs = 60_000 }: ClockPolicy): Policy => {
  for (const [name, ms] of Object.entries({ toleranceMs, longestWaitMs })) {
    if (!(typeof ms === "number" && ms >= 0)) throw configError(`${name} cannot be`, ms, "give milliseconds, 0 or more");
  }
  if (whenBehind !== "error" && whenBehind !== "wait" && whenBehind !== "restart") {
    throw configError("whenBehind cannot be", whenBehind, "choose error, wait or restart");
  }
  return { toleranceMs, whenBehind, longestWaitMs };
};

const FARTHEST_MS = 8.64e15;
const FARTHEST_TICK = 86_400_000_000_000_000_000n;

/** What a clock returns; what it throws, as an error of this package. */
const read = (now: () => unknown): unknown => {
  try {
    return now();
  } catch (error) {
    throw errorOf("config", "the clock failed", error);
  }
};

/** @internal */
export const ticksOf = (clock: Clock): bigint => {
  if (clock.ticks) {
    const ticks: unknown = read(() => clock.ticks!());
    if (typeof ticks !== "bigint" || ticks < -FARTHEST_TICK || ticks > FARTHEST_TICK) {
      throw configError("the clock returned", ticks, "return a bigint from ticks, units of 100 ns since 1970");
    }
    return ticks;
  }
  return BigInt(Math.floor(millisOf(clock) * 10)) * 1000n;
};

/**
 * The clock's time in whole milliseconds.
 *
 * @internal
 */
export const millisOf = (clock: Clock): number => Math.floor(nowOf(clock));

const nowOf = (clock: Clock): number => {
  const now = read(() => clock.now());
  // Also false for NaN.
  if (!(typeof now === "number" && now >= -FARTHEST_MS && now <= FARTHEST_MS)) {
    throw configError("the clock returned", now, "return milliseconds since 1970");
  }
  return now;
};

/**
 * How a kind divides the millisecond: into so many parts, of which the first one has the number `least`; the last one is 4,095.
 *
 * @internal
 */
export interface Parts {
  count: number;
  least: number;
}

/** @internal */
export const LAST_PART = 4_095;

/**
 * The clock's time: whole milliseconds, the part of the millisecond, and how many parts there are until the next reading of the clock, at least 1.
 *
 * @internal
 */
export const partsOf = (clock: Clock, { count, least }: Parts): { ms: number; part: number; step: number } => {
  if (clock.ticks) {
    const ticks = ticksOf(clock);
    let ms = ticks / 10_000n;
    if (ms * 10_000n > ticks) ms -= 1n;
    const part = least + Math.floor((Number(ticks - ms * 10_000n) * count) / 10_000);
    return { ms: Number(ms), part, step: stepOf(clock.stepMs ?? 0.0001, count) };
  }
  const now = nowOf(clock);
  const ms = Math.floor(now);
  const { stepMs = 1 } = clock;
  return { ms, part: stepMs < 1 ? least + Math.floor((now - ms) * count) : least, step: stepOf(stepMs, count) };
};

const stepOf = (stepMs: number, count: number): number => Math.max(Math.floor(Math.min(stepMs, 1) * count), 1);

/** @internal */
export const clockBehind = (now: bigint, last: bigint, policy: Policy, hasState: boolean): IdError =>
  new IdError(
    "clock-behind",
    `the clock says ${timeText(now)}, but ids were already made for ${timeText(last)}, more than the tolerated ` +
      `${policy.toleranceMs} ms ahead: ` +
      (hasState
        ? "correct the clock, or wait; if an earlier run read a wrong time, restore the state of before"
        : "correct the clock, wait, or choose another clock policy"),
  );

/** The longest sleep, because someone may correct the clock in the meantime. */
const NAP = 1_000;

/**
 * The waits of one call, which together do not exceed the policy's limit.
 *
 * @internal
 */
export class Waits {
  #left: number;

  constructor(policy: Policy) {
    this.#left = policy.longestWaitMs;
  }

  /** Sleeps for at most this long, a second, and the rest of the limit. False if nothing is left of it, or the clock cannot wait. */
  sleep(clock: Clock, ms: number): boolean {
    if (this.#left <= 0 || !clock.sleep) return false;
    const nap = Math.min(Math.max(ms, 0), NAP, this.#left);
    try {
      clock.sleep(nap);
    } catch (error) {
      // A thread that must not block, such as a browser's window.
      const { name } = (error ?? {}) as { name?: unknown };
      if (name === "TypeError" || name === "ReferenceError") return false;
      throw errorOf("config", "the clock failed", error);
    }
    this.#left -= Math.max(nap, 1e-6);
    return true;
  }
}
