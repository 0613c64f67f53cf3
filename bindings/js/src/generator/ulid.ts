import { base32At } from "../codec/base32.js";
import type { GeneratorOptions } from "./base.js";
import { writeEnd, writeMs } from "./counting.js";
import { UnixMs } from "./unix-ms.js";

/**
 * Generates ULIDs: Unix milliseconds, a counter of 26 bits from a random start, and 54 random bits. Their text has 26 characters and
 * sorts like the bytes. They ascend strictly within a generator.
 *
 * The random bits are new for each id, so that an id does not reveal the next one. The ULID specification adds one instead.
 */
export class Ulid extends UnixMs {
  constructor(options: GeneratorOptions = {}) {
    super("ulid", options);
  }

  protected override write(
    bytes: Uint8Array,
    at: number,
    ms: number,
    counter: number,
    random: Uint8Array,
    from: number,
  ): void {
    writeMs(bytes, at, ms);
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
