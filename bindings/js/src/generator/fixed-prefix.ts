import { configError } from "../error.js";
import type { GeneratorOptions } from "./base.js";
import { Padded } from "./padded.js";

/**
 * Generates UUIDs of version 8 with a prefix that never changes, and an ascending tail: for tables that already hold random keys. With the
 * prefix `ffff`, new rows go to the right edge of the index.
 *
 * `prefix n | unix milliseconds 48-n | version 4 | milliseconds 12 | variant 2 | pad 6 | counter 28 | random 28`.
 */
export class FixedPrefix extends Padded {
  readonly #left: number;

  /** The prefix is 1 to 4 hexadecimal digits, such as `ffff`, or `0b` and 1 to 16 binary digits. */
  constructor(prefix = "ffff", options: GeneratorOptions = {}) {
    const binary = /^0b([01]{1,16})$/.exec(prefix);
    const bits = binary ? binary[1]!.length : 4 * prefix.length;
    if (!binary && (prefix.startsWith("0b") || !/^[0-9a-f]{1,4}$/i.test(prefix))) {
      const advice = "write 1 to 4 hexadecimal digits, such as ffff, or 0b and 1 to 16 binary digits";
      throw configError("not a fixed prefix:", prefix, advice);
    }
    super("fixed-prefix", 2 ** (60 - bits) - 1, options);
    this.#left = parseInt(binary ? binary[1]! : prefix, binary ? 2 : 16) << (16 - bits);
  }

  protected override write(
    bytes: Uint8Array,
    at: number,
    ms: number,
    counter: number,
    random: Uint8Array,
    from: number,
  ): void {
    this.writeWide(bytes, at, this.#left, ms, counter, random, from);
  }
}
