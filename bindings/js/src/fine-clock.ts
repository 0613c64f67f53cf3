/** Reads the time, and can wait if that is possible. */
export interface Clock {
  /** Milliseconds since 1970, also with a fraction. It may step back: the generators handle that. */
  now(): number;
  /** The same in units of 100 ns, for kinds that hold more than milliseconds. By default they use `now`. */
  ticks?(): bigint;
  /**
   * The milliseconds between two neighboring readings of `ticks`, or without it of `now`: by default 0.0001, and 1 for `now`. Bits of an id that stand
   * for less are random, because this clock does not show an order there.
   */
  readonly stepMs?: number;
  /** Waits for about so many milliseconds. A clock without it cannot wait, and the generators return an error instead. */
  sleep?(ms: number): void;
}

/** A clock that is known to so many milliseconds needs no further bounds. */
const CLOSE = 0.01;
/** A difference of the two clocks below this is drift: a clock that is set moves farther. */
const DRIFT = 0.1;

/**
 * The time between the milliseconds of `Date.now()`, from `performance.now()`, whose start is not known as exactly: each reading of both bounds it,
 * and after some hundred of them it is known to 10 µs. `stepMs` says how well it is known, so that an id does not claim an order that
 * the clock did not show. If the clock is set, or the process sleeps, the bounds contradict each other and begin again.
 *
 * @internal
 */
export class FineClock implements Clock {
  /** `Date.now()` minus `performance.now()` is between these. */
  #low = -Infinity;
  #high = Infinity;
  readonly #wall: () => number;
  readonly #steady: () => number;

  constructor(wall: () => number = () => Date.now(), steady: () => number = () => performance.now()) {
    this.#wall = wall;
    this.#steady = steady;
  }

  get stepMs(): number {
    return Math.max(this.#high - this.#low, 0.0001);
  }

  now(): number {
    if (this.#high - this.#low > CLOSE) return this.#learn();
    const time = this.#steady() + this.#low;
    const ms = this.#wall();
    return ms <= time && time < ms + 1 ? time : this.#learn();
  }

  sleep(ms: number): void {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  }

  #learn(): number {
    // An interruption between the readings makes the bounds wider, and never wrong.
    const before = this.#steady();
    const ms = this.#wall();
    const after = this.#steady();
    const low = ms - after;
    const high = ms + 1 - before;
    // No bound ever ends that is not a number: the reading is an error of its caller, and the next one may be a time again.
    if (!Number.isFinite(high - low)) return NaN;
    if (low >= this.#high) {
      this.#high = low - this.#high < DRIFT ? Math.min(high, low + 2 * CLOSE) : high;
      this.#low = low;
    } else if (high <= this.#low) {
      this.#low = this.#low - high < DRIFT ? Math.max(low, high - 2 * CLOSE) : low;
      this.#high = high;
    } else {
      this.#low = Math.max(this.#low, low);
      this.#high = Math.min(this.#high, high);
    }
    return after + this.#low;
  }
}
