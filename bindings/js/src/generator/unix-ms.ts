// What version 7 and ULID share: 48 bits of Unix milliseconds, and a counter of 26 bits from a random start in each millisecond.

import type { GeneratorOptions } from "./base.js";
import { Counting } from "./counting.js";
import type { Counters } from "./monotonic.js";

const COUNTER_BITS = 26;

export abstract class UnixMs extends Counting {
  constructor(kind: string, options: GeneratorOptions) {
    super(kind, 2 ** 48 - 1, options);
  }

  /** In the lower half, which leaves at least 33 million ids for the millisecond. */
  protected override begin(): Counters {
    return { first: this.sources.entropy.word().low & (2 ** (COUNTER_BITS - 1) - 1), limit: 2 ** COUNTER_BITS };
  }
}
