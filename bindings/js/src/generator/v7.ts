import type { GeneratorOptions } from "./base.js";
import { Counting, FRACTION, LAST_UNIX_MS, writeEnd, writeMs } from "./counting.js";

/**
 * Generates UUIDs of version 7: `unix milliseconds 48 | version 4 | fraction 12 | variant 2 | counter 14 | random 48`. Ids ascend strictly within a
 * generator (RFC 9562 sections 5.7 and 6.2, methods 3 and 1).
 *
 * The fraction counts 1/4,096 of a millisecond, so that ids of several processes with one clock are in the order in which they were generated. Where the clock
 * is coarser, as in browsers, its bits are random, and counted up. The counter starts at random in each fraction. The ids of a batch continue
 * from one reading of the clock, so that they stay together.
 */
export class V7 extends Counting {
  constructor(options: GeneratorOptions = {}) {
    super("v7", LAST_UNIX_MS, FRACTION, { bits: 14, least: 0 }, options);
  }

  protected override write(bytes: Uint8Array, at: number, counter: number, random: Uint8Array, from: number): void {
    const { time, part } = this.line;
    writeMs(bytes, at, time);
    bytes[at + 6] = 0x70 | (part >> 8);
    bytes[at + 7] = part;
    bytes[at + 8] = 0x80 | (counter >> 8);
    bytes[at + 9] = counter;
    writeEnd(bytes, at, 10, random, from);
  }
}
