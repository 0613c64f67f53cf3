import { isDetached } from "./codec/bytes.js";
import { IdError, errorOf } from "./error.js";

/**
 * A source of randomness: fills the array with cryptographically random bytes, as `crypto.getRandomValues` does.
 */
export type RandomSource = (bytes: Uint8Array<ArrayBuffer>) => unknown;

/** Bytes that are drawn from the system at a time. `getRandomValues` fills at most 65,536. */
const POOL = 4096;

/** The system's randomness. There is no fallback: `Math.random` repeats itself. */
const systemRandom: RandomSource = (bytes) => {
  const crypto = (globalThis as { crypto?: { getRandomValues?: (array: Uint8Array<ArrayBuffer>) => unknown } }).crypto;
  if (typeof crypto?.getRandomValues !== "function") {
    throw new IdError(
      "entropy",
      "no random bytes: crypto.getRandomValues does not exist here; pass a random source, such as that of expo-crypto, " +
        "or import react-native-get-random-values first",
    );
  }
  crypto.getRandomValues(bytes);
  // A stub of a test would make all ids equal.
  if (bytes.every((byte) => byte === 0)) {
    throw new IdError("entropy", "no random bytes: crypto.getRandomValues returned only zeros");
  }
};

/**
 * What an array holds before a source fills it: from another place on each time, and hardly ever the same value at the same place, so that the fixed bytes of a
 * test, which repeat themselves, are not taken for it.
 */
const UNTOUCHED = /* @__PURE__ */ Uint8Array.from({ length: POOL + 256 }, (_, i) => 0xa5 + i * 0x9d);

/**
 * Recognizes sources that leave a part of each array as it was, such as all beyond the first 256 bytes, each second byte, or the end of a length that
 * is not a multiple of four.
 *
 * A byte that is still untouched counts 5, and each other one takes 0.19 away: the logarithms of how much more and less probable they are where
 * one of eight bytes is never filled. A sum of 60 is reached by chance about once in 2^60 bytes, and by a source that fills all but the last two of 16
 * bytes after nine arrays.
 */
class Untouched {
  #sum = 0;
  #from = 0;

  /** Prepares an array of at most {@link POOL} bytes. */
  prepare(bytes: Uint8Array): void {
    this.#from = (this.#from + 0x35) & 0xff;
    bytes.set(UNTOUCHED.subarray(this.#from, this.#from + bytes.length));
  }

  /** Whether the array is as it was prepared. */
  isAll(bytes: Uint8Array): boolean {
    return bytes.every((byte, i) => byte === UNTOUCHED[this.#from + i]);
  }

  /** Whether the array, with those before, was filled only in part. */
  sees(bytes: Uint8Array): boolean {
    const from = this.#from;
    let sum = this.#sum;
    let most = 0;
    let run = 0;
    for (let i = 0; i < bytes.length; i++) {
      if (bytes[i] === UNTOUCHED[from + i]) {
        run++;
        sum += 5;
        if (sum > most) most = sum;
      } else {
        run = 0;
        sum = sum > 0.19 ? sum - 0.19 : 0;
      }
    }
    this.#sum = sum;
    return most >= 60 || run >= 8 || endsInOneByte(bytes);
  }
}

/** Whether the last eight bytes or more are one value, of which the others are not: a shorter array that was copied, with zeros after it. */
const endsInOneByte = (bytes: Uint8Array): boolean => {
  const last = bytes.length - 1;
  let from = last;
  while (from > 0 && bytes[from - 1] === bytes[last]) from--;
  return from > 1 && last - from >= 7;
};

/** Lets a source fill an array, and refuses the mistakes that would make ids predictable or equal. */
const ask = (source: RandomSource, bytes: Uint8Array<ArrayBuffer>, untouched: Untouched): void => {
  const refuse = (problem: string, advice: string) =>
    new IdError("entropy", `no random bytes: the source ${problem}; ${advice}`);
  untouched.prepare(bytes);
  let answer: unknown;
  try {
    answer = source(bytes);
  } catch (error) {
    throw errorOf("entropy", "no random bytes: the source failed", error);
  }
  if (isPromise(answer)) throw refuse("is asynchronous", "pass one that is not");
  if (isDetached(bytes)) throw refuse("transferred the array", "pass one that fills it in place");
  if (untouched.isAll(bytes)) {
    throw refuse("left the array as it was", "pass one that fills it");
  }
  if (untouched.sees(bytes)) throw refuse("left a part of the array as it was", "pass one that fills all of it");
};

/** Whether a call that must be synchronous was not. */
export const isPromise = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === "function";

/**
 * Random bytes, in the order of the source.
 *
 * The system's are drawn ahead, because a call of it takes longer than an id. Those of a source of your own are drawn when they are needed.
 *
 * @internal
 */
export class Entropy {
  /** The bytes that {@link draw} returned are here. */
  bytes: Uint8Array<ArrayBuffer>;
  readonly #source: RandomSource;
  readonly #ahead: boolean;
  readonly #untouched = new Untouched();
  #used: number;

  constructor(source: RandomSource | undefined) {
    this.#source = source ?? systemRandom;
    this.#ahead = source === undefined;
    this.bytes = new Uint8Array(this.#ahead ? POOL : 16);
    this.#used = this.bytes.length;
  }

  /** The offset in `bytes` of so many fresh ones: at most {@link LARGEST}. */
  draw(count: number): number {
    const at = this.#used;
    if (this.#ahead && at + count <= POOL) {
      this.#used = at + count;
      return at;
    }
    return this.#refill(count);
  }

  #refill(count: number): number {
    if (this.#ahead) {
      // Nothing is used twice if the source throws.
      this.#used = POOL;
      ask(this.#source, this.bytes, this.#untouched);
      this.#used = count;
    } else {
      if (this.bytes.length < count) this.bytes = new Uint8Array(count);
      ask(this.#source, this.bytes.subarray(0, count), this.#untouched);
    }
    return 0;
  }

  /** The low 32 bits and the next 32 of a little-endian number of 8 bytes. */
  word(): { low: number; high: number } {
    const at = this.draw(8);
    return { low: read32(this.bytes, at), high: read32(this.bytes, at + 4) };
  }
}

/** The most bytes of one draw. */
export const LARGEST = POOL;

const read32 = (bytes: Uint8Array, at: number): number =>
  (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
