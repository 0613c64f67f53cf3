import { base32At } from "../codec/base32.js";
import type { GeneratorOptions } from "./base.js";
import { Counting, LAST_UNIX_MS, writeEnd, writeMs } from "./counting.js";

/**
 * Generates ULIDs: Unix milliseconds, a counter of 26 bits from a random start, and 54 random bits. Their text has 26 characters and
 * sorts like the bytes. They ascend strictly within a generator.
 *
 * Unlike version 7, they hold no fraction of the millisecond, because the specification calls all 80 bits random.
 *
 * The random bits are new for each id, so that an id does not reveal the next one. The ULID specification adds one instead.
 */
export class Ulid extends Counting {
  constructor(options: GeneratorOptions = {}) {
    super("ulid", LAST_UNIX_MS, undefined, { bits: 26, least: 0 }, options);
  }

  protected override write(bytes: Uint8Array, at: number, counter: number, random: Uint8Array, from: number): void {
    writeMs(bytes, at, this.line.time);
    bytes[at + 6] = counter >> 18;
    bytes[at + 7] = counter >> 10;
    bytes[at + 8] = counter >> 2;
    bytes[at + 9] = (counter << 6) | (random[from + 1]! & 0x3f);
    writeEnd(bytes, at, 10, random, from);
  }

  protected override text(bytes: Uint8Array, at: number): string {
    return base32At(bytes, at);
  }
}
