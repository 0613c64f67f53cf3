// Sealed ids of one type: of version 7, and of 64-bit integers.

import { decodeHyphenated } from "./codec/hyphenated.js";
import { checkPrefix } from "./codec/typed.js";
import { configError } from "./error.js";
import { type Halves, Permutation, freeBits, idOf } from "./permutation.js";
import { SealKey, SealRing } from "./seal-key.js";
import { ascii, purposeHmac } from "./secret.js";

/** The low 26 bits of the high part of the second half, and all of its low part, are zero before an integer is sealed: 58 bits. */
const ZEROS = 2 ** 26 - 1;

/**
 * Seals the ids of one type: version 7, and integers below 2^64 such as those of `AUTO_INCREMENT`.
 *
 * A sealed id is a UUID, which {@link encodeTyped} of `idgen-keys/typed` writes as a text. It shows neither number, nor time, nor order, and the
 * same number has unrelated sealed ids in different types. A wrong key, a wrong type or a changed character is an error, except for one of 16 sealed
 * ids of version 7, which must therefore be looked up, and for one of 2^58 sealed integers.
 *
 * ```ts
 * const users = new TypeSeal("user", key);
 * const text = encodeTyped("user", users.sealInt(42)); // "user_…", and a URL can show it
 * users.openInt(decodeTyped(text).id); // 42n
 * ```
 */
export class TypeSeal {
  readonly #ids: SealRing;
  /** The keys of integers, from the oldest to the newest. */
  readonly #ints: readonly Permutation[];

  /** The seal of the type with this prefix, with keys that are derived from those of the ring; a key counts as a ring of one. */
  constructor(prefix: string, keys: SealRing | SealKey) {
    checkPrefix(prefix);
    // Not `instanceof`: the ring may be of another copy of this package, such as that for `require`.
    const { parts, types } = (keys ?? {}) as Partial<SealRing & SealKey>;
    if (!parts && !types) throw configError("not a key or a ring:", keys, "give a SealKey or a SealRing");
    const [first, later] = parts ?? ([keys as SealKey, []] as const);
    const derived = (key: SealKey, purpose: string) => new Permutation(purposeHmac(key.types, purpose, ascii(prefix)));
    // All that a ring uses of a key.
    const forIds = (key: SealKey) => ({ permutation: derived(key, "id ") }) as unknown as SealKey;
    this.#ids = new SealRing(
      forIds(first),
      later.map(([from, key]) => [from, forIds(key)] as const),
    );
    this.#ints = [first, ...later.map(([, key]) => key)].map((key) => derived(key, "int "));
  }

  /** The version 4 that stands for a version 7. */
  seal(id: string): string {
    return this.#ids.seal(id);
  }

  /** The version 7 for which a version 4 stands. Only about 15 of 16 ids that were not sealed with this type and its keys are detected, so look up the result. */
  open(sealed: string): string {
    return this.#ids.open(sealed);
  }

  /**
   * The version 8 that stands for an integer from 0 to 2^64 - 1, sealed with the newest key of the ring. A number must be a safe integer. Give a ring
   * with a new key to all processes that open integers before one of them seals with it.
   */
  sealInt(number: bigint | number): string {
    const value = typeof number === "number" && Number.isSafeInteger(number) ? BigInt(number) : number;
    if (typeof value !== "bigint" || value < 0n || value >> 64n) {
      throw configError("no integer of 64 bits:", number, "pass a bigint from 0 to 2^64 - 1, or a safe integer");
    }
    const halves: Halves = {
      aHigh: Number(value >> 35n),
      aLow: Number((value >> 3n) & 0xffff_ffffn),
      bHigh: Number(value & 7n) * 2 ** 26,
      bLow: 0,
    };
    return idOf(this.#ints.at(-1)!.encrypt(halves), 8);
  }

  /** The integer for which a version 8 stands, whichever key of the ring sealed it. */
  openInt(sealed: string): bigint {
    const halves = freeBits(sealed, 8, "sealed integers are of version 8, unlike", "pass the sealed id of an integer");
    for (const key of [...this.#ints].reverse()) {
      const { aHigh, aLow, bHigh, bLow } = key.decrypt(halves);
      if (bLow === 0 && (bHigh & ZEROS) === 0) return (BigInt(aHigh) << 35n) | (BigInt(aLow) << 3n) | BigInt(bHigh >>> 26);
    }
    throw configError(
      "no key of this type sealed",
      sealed,
      "check that it was copied whole, and that type and key are those with which it was sealed",
    );
  }

  /** Whether a sealed id stands for an integer rather than for a version 7, as far as its version says so. */
  static isInt(sealed: string): boolean {
    const id = decodeHyphenated(sealed);
    return id[6]! >> 4 === 8 && id[8]! >> 6 === 2;
  }
}
