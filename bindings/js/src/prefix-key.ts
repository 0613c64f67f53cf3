import { chacha20 } from "@noble/ciphers/chacha.js";
import { utf8Of } from "./codec/bytes.js";
import { configError } from "./error.js";
import { derive, purposeHmac } from "./secret.js";

/** The intervals of a round, and the prefixes. */
const ROUND = 1 << 16;

/** The bits of a writer's tag. */
const TAG_BITS = 12;

/**
 * The secret of a keyed prefix: at least 16 bytes.
 *
 * The intervals are counted in rounds of 65,536. Within a round each interval has a prefix of its own: the prefixes are a permutation, drawn
 * by a Fisher-Yates shuffle from a ChaCha20 keystream. The key of the keystream is the HMAC-SHA-256 of the round's number under this
 * secret. Without the key, a prefix does not reveal its interval.
 */
export class PrefixKey {
  readonly #key: Uint8Array;
  /** Whether the key is that of a named writer. */
  readonly hasWriter: boolean;

  /** With the name of a writer, the key has permutations and tags of its own. */
  constructor(secret: Uint8Array, writer?: string) {
    if (writer !== undefined && typeof writer !== "string") throw configError("the name of a writer cannot be", writer, "give a text");
    const key = derive(secret, "idgen prefix 2");
    this.hasWriter = writer !== undefined;
    this.#key = writer === undefined ? key : purposeHmac(key, "writer ", utf8Of("the name of a writer", writer));
  }

  /** The 12 bits that stand for a named writer after this prefix; 0 for a key without a name. */
  writerTag(prefix: number): number {
    if (!(Number.isInteger(prefix) && prefix >= 0 && prefix < ROUND)) throw configError("no prefix of 16 bits:", prefix, "give 0 to 65535");
    if (!this.hasWriter) return 0;
    const mac = purposeHmac(this.#key, "tag ", Uint8Array.of(prefix >> 8, prefix));
    return ((mac[0]! << 8) | mac[1]!) >> (16 - TAG_BITS);
  }

  /**
   * The prefix of the interval with this number. It follows the interval through the shuffle of its round, which takes a few milliseconds:
   * generators call it once per interval.
   */
  prefix(interval: number): number {
    if (!Number.isSafeInteger(interval)) throw configError("no number of an interval:", interval, "give a whole number");
    const round = Math.floor(interval / ROUND);
    const number = new DataView(new ArrayBuffer(8));
    number.setBigInt64(0, BigInt(round));
    const key = purposeHmac(this.#key, "round ", new Uint8Array(number.buffer));
    // The keystream is what zeros are encrypted to. Each draw takes two words of it.
    const stream = chacha20(key, new Uint8Array(12), new Uint8Array(8 * ROUND));
    const words = new DataView(stream.buffer, stream.byteOffset);
    let place = interval - round * ROUND;
    for (let last = ROUND - 1, at = 0; last > 0; last--, at += 8) {
      // The top 64 bits of the product of a 64-bit number and a 17-bit one: no partial product exceeds 2^53.
      const low = (words.getUint32(at, true) * (last + 1)) / 2 ** 32;
      const other = Math.floor((words.getUint32(at + 4, true) * (last + 1) + Math.floor(low)) / 2 ** 32);
      if (place === last) place = other;
      // Later swaps are all below.
      else if (place === other) return last;
    }
    return place;
  }
}
