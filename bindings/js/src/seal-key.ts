// Sealed ids: a keyed permutation turns version 7 into what looks like version 4, and back.

import { configError } from "./error.js";
import { type Halves, Permutation, freeBits, idOf } from "./permutation.js";
import { derive } from "./secret.js";
import { timeText } from "./timestamp.js";

const sealable = (id: string): Halves =>
  freeBits(id, 7, "only ids of version 7 can be sealed, not", "pass an id of version 7");
const openable = (id: string): Halves =>
  freeBits(id, 4, "sealed ids are of version 4, unlike", "pass an id that was sealed before");

/**
 * A secret that seals ids: version 7 in the database, and an id that looks like version 4 for everybody outside.
 *
 * The 122 bits besides version and variant are permuted by FF1 of NIST SP 800-38G with AES-256. So two ids never have the same sealed id,
 * the key opens each of them, and nothing has to be stored. Without the key, sealed ids reveal neither when an id was created nor which of two is
 * older. They are not access tokens, and there is no authentication: every version 4 opens to some version 7, so look up the result.
 *
 * Keep the key on your server. An app that has it reveals it.
 *
 * All calls are synchronous. WebCrypto would be asynchronous, and has no single AES block.
 */
export class SealKey {
  readonly #permutation: Permutation;
  readonly #types: Uint8Array;

  /** From a secret of at least 16 bytes, of which HMAC-SHA-256 makes the key. The content of a key file with its line end is refused. */
  constructor(secret: Uint8Array) {
    this.#permutation = new Permutation(derive(secret, "idgen seal 1"));
    this.#types = derive(secret, "idgen seal type 1");
  }

  /** The version 4 that stands for a version 7; both in the usual text. */
  seal(id: string): string {
    return idOf(this.#permutation.encrypt(sealable(id)), 4);
  }

  /** The version 7 for which a version 4 stands. An id that was never sealed, or was sealed with another key, is not detected. */
  open(sealed: string): string {
    return idOf(this.#permutation.decrypt(openable(sealed)), 7);
  }

  /** @internal */
  get permutation(): Permutation {
    return this.#permutation;
  }

  /** The key from which those of types are derived. @internal */
  get types(): Uint8Array {
    return this.#types;
  }
}

/** The times of ids are below this, so that the top four bits choose one of 16 forms. */
const TIMES = 2 ** 44;
const FORMS = 16;

const timeOf = ({ aHigh, aLow }: Halves): number => aHigh * 2 ** 19 + (aLow >>> 13);
/** The form is in the first four bits. */
const inForm = (halves: Halves, form: number): Halves => ({ ...halves, aHigh: halves.aHigh | (form << 25) });

/** The permutation of a key, also one of another copy of this package, such as that for `require`. */
const permutationOf = (key: SealKey): Permutation => {
  const permutation: unknown = (key as Partial<SealKey> | null | undefined)?.permutation;
  if (typeof permutation !== "object" || permutation === null) throw configError("not a key:", key, "give a SealKey");
  return permutation as Permutation;
};

/**
 * Keys for sealed ids that follow each other in time: each seals the ids of version 7 that were created from a moment on, until that of the
 * next key. The time in the id chooses the key, so each id has exactly one sealed id, which stays the same when a key is added.
 *
 * Add a key at a moment in the future, and give the new ring to every process before that moment. All keys must stay in the ring.
 */
export class SealRing {
  readonly #keys: { from: number; permutation: Permutation }[];
  /** The keys as they were passed. @internal */
  readonly parts: readonly [SealKey, readonly (readonly [number, SealKey])[]];

  /** A ring with one key, which seals all ids, and later keys with the Unix milliseconds from which on each is used. */
  constructor(first: SealKey, later: readonly (readonly [fromUnixMs: number, key: SealKey])[] = []) {
    if (!Array.isArray(later)) throw configError("the later keys of a ring cannot be", later, "give a list of pairs of a time and a key");
    this.parts = [first, [...later]];
    this.#keys = [{ from: 0, permutation: permutationOf(first) }];
    for (const pair of later) {
      if (!Array.isArray(pair)) throw configError("not a time and a key:", pair, "give a list of pairs");
      const [from, key] = pair as unknown as readonly [number, SealKey];
      if (!(Number.isInteger(from) && from > this.#keys.at(-1)!.from && from < TIMES)) {
        throw configError(
          "the time is not after that of the key before, or is beyond the year 2527:",
          Number.isInteger(from) ? timeText(BigInt(from) * 10_000n) : from,
          "add the keys of a ring in the order of their times",
        );
      }
      this.#keys.push({ from, permutation: permutationOf(key) });
    }
  }

  /** The version 4 that stands for a version 7. */
  seal(id: string): string {
    const halves = sealable(id);
    const time = timeOf(halves);
    if (time >= TIMES) {
      throw configError("beyond the year 2527, so it cannot be sealed:", id, "seal ids whose time is not later");
    }
    let own = this.#keys.length - 1;
    while (this.#keys[own]!.from > time) own--;
    for (let form = 0; form < FORMS; form++) {
      const sealed = this.#freeForm(own, halves, form);
      if (sealed) return idOf(sealed, 4);
    }
    throw configError("older keys claim each sealed form of", id, "begin a new ring");
  }

  /** The version 7 for which a version 4 stands. Only about 15 of 16 ids that were not sealed with this ring are detected, so look up the result. */
  open(sealed: string): string {
    const halves = openable(sealed);
    for (let key = 0; key < this.#keys.length; key++) {
      const opened = this.#claimed(key, halves);
      if (!opened) continue;
      const form = opened.aHigh >>> 25;
      const id = { ...opened, aHigh: opened.aHigh & (2 ** 25 - 1) };
      // An id has no second sealed id: the first free form is the only one.
      for (let earlier = 0; earlier < form; earlier++) if (this.#freeForm(key, id, earlier)) throw notSealed(sealed);
      return idOf(id, 7);
    }
    throw notSealed(sealed);
  }

  /** The number of keys. */
  get length(): number {
    return this.#keys.length;
  }

  /** An id sealed in this form, if no older key claims it. */
  #freeForm(key: number, halves: Halves, form: number): Halves | undefined {
    const sealed = this.#keys[key]!.permutation.encrypt(inForm(halves, form));
    for (let older = 0; older < key; older++) if (this.#claimed(older, sealed)) return undefined;
    return sealed;
  }

  /** The id that a key opens a sealed id to, if the key claims it. */
  #claimed(key: number, sealed: Halves): Halves | undefined {
    const opened = this.#keys[key]!.permutation.decrypt(sealed);
    const time = timeOf(opened) % TIMES;
    const end = this.#keys[key + 1]?.from ?? TIMES;
    return this.#keys[key]!.from <= time && time < end ? opened : undefined;
  }
}

const notSealed = (sealed: string) =>
  configError("no key of this ring sealed", sealed, "open ids that were sealed with this ring");
