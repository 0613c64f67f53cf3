import { type IdError, errorOf, stateError } from "./error.js";
import type { NodeAddress } from "./node-address.js";
import { isPromise } from "./random.js";

/** A saved state: this node may have generated ids of this kind up to `position`. */
export interface Saved {
  /** The kind of the ids, such as `v7`. */
  kind: string;
  /** A position in the kind's ascending order (time and counter), below 2^128. */
  position: bigint;
  /** The node that a new run continues with, if the kind has one. */
  node?: NodeAddress | undefined;
}

/**
 * A place to save a state, so that it survives a restart: implement it over SQLite or MMKV on a phone.
 *
 * A generator reserves a range of ids: it saves the end of the range, and returns ids of the range only after `save` has
 * returned. After a crash, it continues after the range. So `save` must be synchronous and durable, and no two generators may use
 * one state at a time.
 */
export interface State {
  /** Where the state is, such as the path of a file: errors name it. */
  readonly place?: string;
  /** The state that was saved last, or `undefined` if nothing was ever saved. */
  load(): Saved | undefined;
  /** A node for a generator that starts without a saved one, if the place has one that differs from those of its neighbors. */
  freshNode?(): NodeAddress;
  /** Saves the state, or throws. When it returns, the state survives a crash. */
  save(saved: Saved): void;
  /** Releases the place, after a generator is closed. */
  close?(): void;
}

/** Keeps the state in memory, for tests of restarts. */
export class MemoryState implements State {
  /** The state that was saved last. */
  saved: Saved | undefined;

  load(): Saved | undefined {
    return this.saved;
  }

  save(saved: Saved): void {
    this.saved = saved;
  }
}

/**
 * Loads what a state holds, and refuses what is no state, or that of another kind.
 *
 * @internal
 */
export const loadFor = (kind: string, state: State | undefined): Saved | undefined => {
  const saved: unknown = state && failing(kind, "be loaded", () => state.load());
  if (saved === undefined || saved === null) return undefined;
  if (isPromise(saved)) throw asynchronous(kind, "load");
  const { kind: other, position, node } = saved as Partial<Saved>;
  const isNumber = typeof position === "bigint" && position >= 0n && position < 1n << 128n;
  if (typeof other !== "string" || !isNumber || !(node === undefined || (typeof node === "string" && /^[0-9a-f]{12}$/i.test(node)))) {
    throw stateError(placeOf(state, kind), "is damaged", "load must return undefined or what was saved");
  }
  if (other !== kind) {
    throw stateError(
      placeOf(state, other),
      "belongs to another kind of id",
      `this generator is of the kind ${kind}; give each kind a state of its own`,
    );
  }
  return { kind, position, node };
};

/** Saves a state, and refuses a place that does so later. @internal */
export const saveTo = (state: State, saved: Saved): void => {
  if (isPromise(failing(saved.kind, "be saved", () => state.save(saved)))) throw asynchronous(saved.kind, "save");
};

const failing = <T>(kind: string, what: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw errorOf("state", `the state "${kind}" cannot ${what}`, error);
  }
};

/** The place that a state names, or else the kind of its ids. */
const placeOf = (state: State | undefined, kind: string): string => (typeof state?.place === "string" ? state.place : kind);

/**
 * Runs a part of a constructor, and releases the state if it fails: nobody gets a generator that could be closed, so the lock would be kept for as long
 * as the process lives.
 *
 * @internal
 */
export const releasing = <T>(options: unknown, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    try {
      (options as { state?: Partial<State> } | null | undefined)?.state?.close?.();
    } catch {
      // The first error says more.
    }
    throw error;
  }
};

const asynchronous = (kind: string, call: string): IdError =>
  stateError(kind, "is asynchronous", `${call} must return only when it is done`);

/** Why a closed generator makes no ids. @internal */
export const closedError = (kind: string): IdError =>
  stateError(kind, "is closed", "another generator may continue it; create a new generator");
