import type { GeneratorOptions } from "./base.js";
import { Counting, writeEnd, writeMs } from "./counting.js";
import type { Counters } from "./monotonic.js";

/** The counter of version 7 and of ULIDs. A new millisecond starts in the lower half, which leaves at least 33 million ids for it. */
export const COUNTER_BITS = 26;

/** The last millisecond that 48 bits can hold. */
export const LAST_MS = 2 ** 48 - 1;

/**
 * Generates UUIDs of version 7: Unix milliseconds, a counter of 26 bits from a random start, and 48 random bits. Ids ascend strictly
 * within a generator (RFC 9562 sections 5.7 and 6.2, method 1).
 */
export class V7 extends Counting {
  constructor(options: GeneratorOptions = {}) {
    super("v7", LAST_MS, options);
  }

  protected override begin(): Counters {
    return { first: this.sources.entropy.word().low & (2 ** (COUNTER_BITS - 1) - 1), limit: 2 ** COUNTER_BITS };
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
