// What the generators of 128-bit ids have in common: text, bytes and batches.

import { type Clock, type ClockPolicy, type Policy, policyOf, systemClock } from "../clock.js";
import { isBytes, isDetached, typeName } from "../codec/bytes.js";
import { configError } from "../error.js";
import { COMMON, checkOptions } from "../options.js";
import { hyphenatedAt } from "../codec/hyphenated.js";
import { Entropy, type RandomSource } from "../random.js";
import type { State } from "../state.js";

/** The sources of a generator; all of them have defaults. */
export interface GeneratorOptions extends ClockPolicy {
  /** The clock; by default that of the system. */
  clock?: Clock;
  /** The randomness; by default `crypto.getRandomValues`. */
  random?: RandomSource;
  /** Continues where an earlier run stopped, so that the order holds over restarts. Without it, each start is like the first. */
  state?: State | undefined;
}

/** @internal */
export interface Sources {
  clock: Clock;
  entropy: Entropy;
  policy: Policy;
  state: State | undefined;
}

/** @internal */
export const sourcesOf = (options: GeneratorOptions, ...more: readonly string[]): Sources => {
  checkOptions(options, [...COMMON, ...more]);
  return {
    clock: options.clock ?? systemClock,
    entropy: new Entropy(options.random),
    policy: policyOf(options),
    state: options.state,
  };
};

/** As many as in Kotlin and Swift: the texts of more would not fit into memory. */
const MAX_BATCH = 2 ** 24;

/** @internal */
export const checkCount = (count: number): void => {
  if (!(Number.isInteger(count) && count >= 0 && count <= MAX_BATCH)) {
    throw configError("a batch cannot have the length", count, `give a whole number from 0 to ${MAX_BATCH}`);
  }
};

/**
 * Generates 128-bit ids of one kind.
 *
 * A generator never repeats an id. If its kind has an order, each id is greater than all earlier ones, except that the policy
 * `restart` begins again at an earlier time after the clock was set back.
 *
 * A call throws an {@link IdError}, and makes no id, if the kind cannot hold the clock's time (`time-out-of-range`), if the clock is too far
 * behind (`clock-behind`), if there is no randomness (`entropy`), or if the state cannot be saved (`state`).
 */
export abstract class Generator {
  readonly #one = new Uint8Array(16);

  /** The next id as text. */
  next(): string {
    this.fill(this.#one);
    return this.text(this.#one, 0);
  }

  /** The 16 bytes of the next id, most significant first, for a binary column. */
  nextBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(16);
    this.fill(bytes);
    return bytes;
  }

  /** So many ids as texts, in order. This is several times as fast as one at a time, because the clock is read once. */
  batch(count: number): string[] {
    checkCount(count);
    const ids: string[] = new Array<string>(count);
    const bytes = new Uint8Array(16 * count);
    this.fill(bytes);
    for (let i = 0; i < count; i++) ids[i] = this.text(bytes, 16 * i);
    return ids;
  }

  /**
   * Fills the array with the bytes of new ids, 16 each, in order. If it throws, the array holds no ids.
   */
  fill(bytes: Uint8Array): void {
    if (!isBytes(bytes)) throw configError("ids do not fit into the type", typeName(bytes), "give a Uint8Array");
    if (isDetached(bytes)) throw configError("ids do not fit into an array that is", "detached", "give one that was not transferred");
    if (bytes.length % 16 !== 0) {
      throw configError("the length of the array is not a multiple of 16:", bytes.length, "give 16 bytes for each id");
    }
    try {
      this.make(bytes);
    } catch (error) {
      bytes.fill(0);
      throw error;
    }
  }

  /** Ids without an end: `for (const id of generator)`. */
  *[Symbol.iterator](): Iterator<string> {
    for (;;) yield this.next();
  }

  /** Saves the exact position, and releases the state. The generator makes no more ids. Without a state, this is not necessary. */
  close(): void {}

  /** @internal */
  protected abstract make(bytes: Uint8Array): void;

  /** @internal */
  protected text(bytes: Uint8Array, at: number): string {
    return hyphenatedAt(bytes, at);
  }
}
