// The ascending tails of version 8 that begin with 44 bits of a number, and what the shorter ones share with them: a pad and a counter
// that are drawn again for each millisecond.

import { Counting, write32 } from "./counting.js";
import type { Counters } from "./monotonic.js";

const COUNTER_BITS = 28;

export abstract class Padded extends Counting {
  /** 1 to 63: MariaDB's UUID column refuses version 8 with a byte 8 of 0x80. */
  #pad = 0;
  #drawn = 0;

  protected override begin(): Counters {
    const { low, high } = this.sources.entropy.word();
    this.#drawn = Math.max(high & 0x3f, 1);
    return { first: low & (2 ** (COUNTER_BITS - 1) - 1), limit: 2 ** COUNTER_BITS };
  }

  /** A millisecond that could not be saved has not begun, and the last one keeps its pad. */
  protected override take(want: number): number {
    this.#drawn = this.#pad;
    const count = super.take(want);
    this.#pad = this.#drawn;
    return count;
  }

  protected get pad(): number {
    return this.#pad;
  }

  /**
   * `prefix 16 | number 32 | version 4 | number 12 | variant 2 | pad 6 | counter 28 | random 28`. A number of more than 44 bits reaches into
   * the zeros at the end of a shorter prefix.
   */
  protected writeWide(
    bytes: Uint8Array,
    at: number,
    prefix: number,
    number: number,
    counter: number,
    random: Uint8Array,
    from: number,
  ): void {
    const first = prefix | Math.floor(number / 2 ** 44);
    bytes[at] = first >> 8;
    bytes[at + 1] = first;
    write32(bytes, at + 2, Math.floor(number / 0x1000) >>> 0);
    bytes[at + 6] = 0x80 | ((number % 0x1000) >> 8);
    bytes[at + 7] = number % 0x100;
    bytes[at + 8] = 0x80 | this.pad;
    bytes[at + 9] = counter >> 20;
    bytes[at + 10] = counter >> 12;
    bytes[at + 11] = counter >> 4;
    bytes[at + 12] = (counter << 4) | (random[from + 4]! & 0x0f);
    bytes[at + 13] = random[from + 5]!;
    bytes[at + 14] = random[from + 6]!;
    bytes[at + 15] = random[from + 7]!;
  }
}
