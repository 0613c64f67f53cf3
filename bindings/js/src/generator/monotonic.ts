// Time and counter that only increase, whatever the clock does, and the range that a state has reserved.

import { type Clock, LAST_PART, type Parts, type Policy, Waits, clockBehind, millisOf, partsOf, ticksOf } from "../clock.js";
import { IdError } from "../error.js";
import { type State, closedError, loadFor, saveTo } from "../state.js";
import { timeText } from "../timestamp.js";

/** A time in units of a kind: a number of milliseconds, or a bigint of 100 ns ticks. */
export type Time = number | bigint;

/** How a kind counts its time. */
export interface Unit<T extends Time> {
  read(clock: Clock): T;
  /** Before all times. */
  never: T;
  plus(time: T, units: number): T;
  /** How far one time is after another; exact where it is small. */
  distance(later: T, earlier: T): number;
  toTicks(time: T): bigint;
  toBigint(time: T): bigint;
  fromBigint(time: bigint): T;
  perMs: number;
}

const LAST_TICK = (1n << 63n) - 1n;

export const MILLI: Unit<number> = {
  read: millisOf,
  never: -Infinity,
  plus: (time, units) => time + units,
  distance: (later, earlier) => later - earlier,
  toTicks: (time) => {
    const ticks = BigInt(time) * 10_000n;
    // As in the other languages, whose ticks have 64 bits.
    return ticks < LAST_TICK ? ticks : LAST_TICK;
  },
  toBigint: (time) => BigInt(time),
  fromBigint: Number,
  perMs: 1,
};

export const TICK: Unit<bigint> = {
  read: ticksOf,
  never: -(1n << 62n),
  plus: (time, units) => time + BigInt(units),
  distance: (later, earlier) => Number(later - earlier),
  toTicks: (time) => time,
  toBigint: (time) => time,
  fromBigint: (time) => time,
  perMs: 10_000,
};

/** The properties of one kind's sequence of ids: its name, its unit, and the times that it can hold. */
export interface Shape<T extends Time> {
  kind: string;
  unit: Unit<T>;
  first: T;
  last: T;
  /** If the kind divides the millisecond: only with the unit of milliseconds. */
  parts?: Parts;
}

/** The counters of a new time: from `first` on, below `limit`. */
export interface Counters {
  first: number;
  limit: number;
  /** 32 random bits that choose a time between this reading of a coarse clock and the next one. */
  within: number;
}

/** The parts of the rule for a clock that is behind. */
const PARTS = LAST_PART + 1;

/** How far ahead a state reserves, in milliseconds. */
const HORIZON_MS = 1_000;

/** Returns pairs of time and counter, each greater than all before. */
export class Monotonic<T extends Time> {
  /** The time of the last id, the part of its millisecond, and its counter. */
  time: T;
  part = 0;
  counter = 0;
  /** Counters of the present time are below this. 0: the first id begins a time of its own. */
  limit = 0;
  /** The node that the state holds, and that is saved with each later point. */
  node: string | undefined;
  readonly #clock: Clock;
  readonly #policy: Policy;
  readonly #tolerance: number;
  readonly #shape: Shape<T>;
  readonly #state: State | undefined;
  /** Counters for a new time: after a restart at an earlier time (true), or a later one. */
  readonly #begin: (restart: boolean) => Counters;
  /** With a state, ids are only returned up to this time. */
  #covered: T | undefined;
  #coveredPart = 0;
  /** The part of the millisecond at the last reading of the clock, and the parts until its next reading. */
  #nowPart = 0;
  #step = 1;
  /** How far ahead the next save reserves, in 128th parts of the horizon: little at first, because a program may crash again and again. */
  #share = 1;
  #closed = false;

  constructor(
    shape: Shape<T>,
    clock: Clock,
    policy: Policy,
    state: State | undefined,
    begin: (restart: boolean) => Counters,
  ) {
    this.#shape = shape;
    this.#clock = clock;
    this.#policy = policy;
    this.#tolerance = shape.parts
      ? Math.floor(policy.toleranceMs * PARTS) / PARTS
      : Math.floor(policy.toleranceMs * shape.unit.perMs);
    this.#state = state;
    this.#begin = begin;
    this.time = shape.unit.never;
    const saved = loadFor(shape.kind, state);
    if (saved) {
      this.time = shape.unit.fromBigint(BigInt.asIntN(64, saved.position >> 32n));
      this.counter = Number(saved.position & 0xffff_ffffn);
      // A state holds the millisecond, whatever layout divides it: all of it counts as used.
      if (shape.parts) this.part = LAST_PART;
      this.node = saved.node;
    }
  }

  /** The node to save with the next point. */
  setNode(node: string): void {
    this.node = node;
    this.#covered = undefined;
  }

  /** Fails if the clock is outside what the kind can hold. */
  checkClock(): void {
    this.#checkRange(this.#shape.unit.read(this.#clock));
  }

  /**
   * Takes up to `want` ids of one time, and returns how many. `time` and `part` are theirs, and `counter` that of the last one.
   */
  take(want: number): number {
    if (this.#closed) throw closedError(this.#shape.kind);
    const now = this.#read();
    if (now > this.time || (now === this.time && this.#nowPart > this.part)) {
      return this.#beginNear(now, want, this.#begin(false));
    }
    if (this.#lag(now) > this.#tolerance && this.#catchUp()) {
      return this.#beginNear(this.#read(), want, this.#begin(true));
    }
    return this.takeMore(want);
  }

  /** The same without a reading of the clock: for the ids of a batch, which have the time of its first id as long as there are counters. */
  takeMore(want: number): number {
    const { unit, parts } = this.#shape;
    const next = this.counter + 1;
    if (next < this.limit) return this.#take(this.time, this.part, next, this.limit, want);
    const later = this.#begin(false);
    if (parts && this.part < LAST_PART) return this.#beginAt(this.time, this.part + 1, want, later);
    return this.#beginAt(unit.plus(this.time, 1), parts?.least ?? 0, want, later);
  }

  /** Reads the clock. */
  #read(): T {
    const { unit, parts } = this.#shape;
    if (!parts) return unit.read(this.#clock);
    const { ms, part, step } = partsOf(this.#clock, parts);
    this.#nowPart = part;
    this.#step = step;
    // Only the unit of milliseconds is divided.
    return ms as T;
  }

  /** How far the last id is ahead of a reading that was just made. */
  #lag(now: T): number {
    return this.#shape.unit.distance(this.time, now) + (this.part - this.#nowPart) / PARTS;
  }

  /** Begins at a reading of the clock, or if the clock is coarse, at a random time before its next one. */
  #beginNear(now: T, want: number, counters: Counters): number {
    const later = Math.floor((counters.within * this.#step) / 2 ** 32);
    return this.#beginAt(now, Math.min(this.#nowPart + later, LAST_PART), want, counters);
  }

  #beginAt(time: T, part: number, want: number, { first, limit }: Counters): number {
    this.#checkRange(time);
    return this.#take(time, part, first, limit, want);
  }

  #checkRange(time: T): void {
    const { kind, unit, first, last } = this.#shape;
    if (first <= time && time <= last) return;
    throw outOfRange(kind, unit.toTicks(time), timeText(unit.toTicks(first)), timeText(unit.toTicks(last)));
  }

  #take(time: T, part: number, first: number, limit: number, want: number): number {
    const count = Math.min(want, limit - first);
    const last = first + count - 1;
    if (this.#state && !this.#isCovered(time, part)) this.#cover(this.#state, time, part);
    // Changed only now, so that a step that could not be saved has no effect.
    this.time = time;
    this.part = part;
    this.counter = last;
    this.limit = limit;
    return count;
  }

  #isCovered(time: T, part: number): boolean {
    const covered = this.#covered;
    return covered !== undefined && (time < covered || (time === covered && part <= this.#coveredPart));
  }

  #cover(state: State, time: T, part: number): void {
    const { unit, parts } = this.#shape;
    const perMs = parts ? PARTS : unit.perMs;
    const ahead = Math.floor((HORIZON_MS * perMs * this.#share) / 128);
    const end = parts ? unit.plus(time, Math.floor((part + ahead) / PARTS)) : unit.plus(time, ahead);
    this.#save(state, end, 0xffff_ffff);
    this.#covered = end;
    this.#coveredPart = parts ? (part + ahead) % PARTS : 0;
    this.#share = Math.min(this.#share * 2, 128);
  }

  #save(state: State, time: T, counter: number): void {
    const { kind, unit, parts } = this.#shape;
    const position = BigInt.asUintN(128, (unit.toBigint(time) << 32n) | BigInt(parts ? 0xffff_ffff : counter));
    saveTo(state, { kind, position, node: this.node });
  }

  /** The first tick of a part. */
  #ticksAt(time: T, part: number): bigint {
    const { unit, parts } = this.#shape;
    if (!parts) return unit.toTicks(time);
    const { count, least } = parts;
    return unit.toTicks(time) + BigInt(Math.ceil((Math.max(part - least, 0) * 10_000) / count));
  }

  /** The earliest time of the clock that is not too far behind. */
  #target(): bigint {
    const { unit, parts } = this.#shape;
    if (!parts) return unit.toTicks(unit.plus(this.time, -this.#tolerance));
    const left = this.part - this.#tolerance * PARTS;
    const back = Math.floor(left / PARTS);
    return this.#ticksAt(unit.plus(this.time, back), left - back * PARTS);
  }

  /** The clock is too far behind: waits until it is not, fails, or says to restart. */
  #catchUp(): boolean {
    // A state forbids a restart: earlier times may belong to another run.
    if (this.#policy.whenBehind === "restart" && !this.#state) return true;
    if (this.#policy.whenBehind !== "wait") throw this.#behind();
    const waits = new Waits(this.#policy);
    const target = this.#target();
    for (;;) {
      if (!waits.sleep(this.#clock, Number(target - ticksOf(this.#clock)) / 10_000)) throw this.#behind();
      if (this.#lag(this.#read()) <= this.#tolerance) return false;
    }
  }

  #behind(): IdError {
    return clockBehind(ticksOf(this.#clock), this.#ticksAt(this.time, this.part), this.#policy, !!this.#state);
  }

  /** Saves the exact point, so that quick restarts do not run ahead of the clock, and releases the state. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#state && this.time !== this.#shape.unit.never) this.#save(this.#state, this.time, this.counter);
    } finally {
      this.#state?.close?.();
    }
  }
}

/** A time in ticks outside what a kind can hold. */
export const outOfRange = (kind: string, ticks: bigint, from: string, to: string): IdError =>
  new IdError("time-out-of-range", `${kind} cannot hold the time ${timeText(ticks)}: use a time in its range, ${from} to ${to}`);
