// The permutation of the 122 bits of an id besides version and variant: FF1 of NIST SP 800-38G.

import { unsafe } from "@noble/ciphers/aes.js";
import { decodeHyphenated, encodeHyphenated } from "./codec/hyphenated.js";
import { configError } from "./error.js";
import { write32 } from "./generator/counting.js";
import { stamp } from "./generator/v4.js";

const ROUNDS = 10;
/** The high part of a half: a half has 61 bits, its low part 32. */
const HIGH_MASK = 2 ** 29 - 1;

/** The 122 bits of an id besides version and variant, as two halves of 61 bits. */
export interface Halves {
  aHigh: number;
  aLow: number;
  bHigh: number;
  bLow: number;
}

/** Algorithm 7 of NIST SP 800-38G with AES-256, radix 2 and an empty tweak: the permutation of 122 bits under one key. */
export class Permutation {
  readonly #schedule: Uint32Array;
  /** What AES makes of the constant first block of each round. */
  readonly #start: Uint8Array;

  constructor(key: Uint8Array) {
    this.#schedule = unsafe.expandKeyLE(key);
    // Step 5: version, method, addition, radix, rounds, u mod 256, n, and the length of the tweak.
    this.#start = Uint8Array.of(1, 2, 1, 0, 0, 2, ROUNDS, 61, 0, 0, 0, 122, 0, 0, 0, 0);
    unsafe.encryptBlock(this.#schedule, this.#start);
  }

  encrypt(halves: Halves): Halves {
    let { aHigh, aLow, bHigh, bLow } = halves;
    for (let round = 0; round < ROUNDS; round++) {
      const [high, low] = this.#number(round, bHigh, bLow);
      const sum = aLow + low;
      const carry = sum > 0xffff_ffff ? 1 : 0;
      [aHigh, aLow, bHigh, bLow] = [bHigh, bLow, (aHigh + high + carry) & HIGH_MASK, sum >>> 0];
    }
    return { aHigh, aLow, bHigh, bLow };
  }

  decrypt(halves: Halves): Halves {
    let { aHigh, aLow, bHigh, bLow } = halves;
    for (let round = ROUNDS - 1; round >= 0; round--) {
      const [high, low] = this.#number(round, aHigh, aLow);
      const difference = bLow - low;
      const borrow = difference < 0 ? 1 : 0;
      [aHigh, aLow, bHigh, bLow] = [(bHigh - high - borrow) & HIGH_MASK, difference >>> 0, aHigh, aLow];
    }
    return { aHigh, aLow, bHigh, bLow };
  }

  /** Steps 6.i to 6.v: 64 bits of the encrypted block, of which 61 matter. */
  #number(round: number, high: number, low: number): [number, number] {
    const block = this.#start.slice();
    block[7]! ^= round;
    const view = new DataView(block.buffer);
    view.setUint32(8, view.getUint32(8) ^ high);
    view.setUint32(12, view.getUint32(12) ^ low);
    unsafe.encryptBlock(this.#schedule, block);
    return [view.getUint32(4), view.getUint32(8)];
  }
}

const halvesOf = (id: Uint8Array): Halves => {
  const view = new DataView(id.buffer, id.byteOffset, 16);
  const time = view.getUint32(0);
  const low = view.getUint32(8);
  const middle = view.getUint16(6) & 0x0fff;
  return {
    aHigh: time >>> 3,
    aLow: (((((time & 7) << 16) | view.getUint16(4)) << 13) | (middle << 1) | ((low >>> 29) & 1)) >>> 0,
    bHigh: low & HIGH_MASK,
    bLow: view.getUint32(12),
  };
};

export const idOf = ({ aHigh, aLow, bHigh, bLow }: Halves, version: number): string => {
  const id = new Uint8Array(16);
  write32(id, 0, (aHigh << 3) | (aLow >>> 29));
  write32(id, 4, (((aLow >>> 13) & 0xffff) << 16) | ((aLow >>> 1) & 0x0fff));
  write32(id, 8, ((aLow & 1) << 29) | bHigh);
  write32(id, 12, bLow);
  stamp(id, 0, version);
  return encodeHyphenated(id);
};

/** The bits of an id of this version. */
export const freeBits = (text: string, version: number, problem: string, advice: string): Halves => {
  const id = decodeHyphenated(text);
  if (id[6]! >> 4 !== version || id[8]! >> 6 !== 2) throw configError(problem, encodeHyphenated(id), advice);
  return halvesOf(id);
};
