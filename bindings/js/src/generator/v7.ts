import type { GeneratorOptions } from "./base.js";
import { writeEnd, writeMs } from "./counting.js";
import { UnixMs } from "./unix-ms.js";

/**
 * Generates UUIDs of version 7: Unix milliseconds, a counter of 26 bits from a random start, and 48 random bits. Ids ascend strictly
 * within a generator (RFC 9562 sections 5.7 and 6.2, method 1).
 */
export class V7 extends UnixMs {
  constructor(options: GeneratorOptions = {}) {
    super("v7", options);
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
    bytes[at + 6] = 0x70 | (counter >> 22);
    bytes[at + 7] = counter >> 14;
    bytes[at + 8] = 0x80 | ((counter >> 8) & 0x3f);
    bytes[at + 9] = counter;
    writeEnd(bytes, at, 10, random, from);
  }
}
