import { IdError, configError } from "./error.js";
import { timeText } from "./timestamp.js";

/** Reads the time, and can wait if that is possible. */
export interface Clock {
  /** Milliseconds since 1970. It may step back: the generators handle that. */
  now(): number;
  /** The same in units of 100 ns, for versions 1 and 6. By default they use `now`. */
  ticks?(): bigint;
  /** Waits for about so many milliseconds. A clock without it cannot wait, and the generators return an error instead. */
  sleep?(ms: number): void;
}

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

/**
 * The system's clock. It sleeps where the thread may block: in Node and in workers, but not in the window of a browser.
 *
 * @internal
 */
export const systemClock: Clock = {
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
    if (!(ms >= 0)) throw configError(`${name} cannot be`, ms, "give milliseconds, 0 or more");
  }
  if (whenBehind !== "error" && whenBehind !== "wait" && whenBehind !== "restart") {
    throw configError("whenBehind cannot be", whenBehind, "choose error, wait or restart");
  }
  return { toleranceMs, whenBehind, longestWaitMs };
};

/** @internal */
export const ticksOf = (clock: Clock): bigint => {
  if (clock.ticks) return clock.ticks();
  return BigInt(Math.floor(millisOf(clock) * 10)) * 1000n;
};

/**
 * The clock's time in whole milliseconds.
 *
 * @internal
 */
export const millisOf = (clock: Clock): number => {
  const now = clock.now();
  // Also false for NaN.
  if (!(now >= -8.64e15 && now <= 8.64e15)) {
    throw configError("the clock returned", now, "return milliseconds since 1970");
  }
  return Math.floor(now);
};

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
      if (error instanceof TypeError || error instanceof ReferenceError) return false;
      throw error;
    }
    this.#left -= Math.max(nap, 1e-6);
    return true;
  }
}
