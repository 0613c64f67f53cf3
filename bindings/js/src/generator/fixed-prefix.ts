import { configError } from "../error.js";
import { releasing } from "../state.js";
import type { GeneratorOptions } from "./base.js";
import { type Counter, Counting, HIGH_FRACTION, WIDE, write32, writeEnd, writeWide } from "./counting.js";

/** The counter after more than 16 bits. */
const LONG: Counter = { bits: 11, least: 0 };
/** As in the other languages, whose ticks of 100 ns have 64 bits. */
const LAST_MS = 922_337_203_685_477;
/** The bits of the time after the variant, behind more than 16 bits. */
const LOW = 2 ** 26;

/**
 * Generates UUIDs of version 8 with a prefix that never changes, and an ascending tail: for tables that already hold random keys. With the
 * prefix `ffffffff`, new rows go to the right edge of the index, as long as it has fewer than 80 billion random keys; with `ffff`, a million.
 *
 * With 17 to 32 bits: `prefix n | time 48-n | version 4 | time 12 | variant 2 | one 1 | time 26 | counter 11 | random 24`, where the time has Unix
 * milliseconds and 12 bits of their fraction. With up to 16 bits:
 * `prefix n | unix milliseconds 48-n | version 4 | milliseconds 12 | variant 2 | fraction 12 | counter 18 | random 32`.
 */
export class FixedPrefix extends Counting {
  readonly #bits: number;
  /** The prefix at the left of 32 bits. */
  readonly #left: number;

  /** The prefix is 1 to 8 hexadecimal digits, such as `ffffffff`, or `0b` and 1 to 32 binary digits. */
  constructor(prefix = "ffffffff", options: GeneratorOptions = {}) {
    const { bits, value, lastMs } = releasing(options, () => parsePrefix(prefix));
    super("fixed-prefix", lastMs, HIGH_FRACTION, bits > 16 ? LONG : WIDE, options);
    this.#bits = bits;
    this.#left = value * 2 ** (32 - bits);
  }

  protected override write(bytes: Uint8Array, at: number, counter: number, random: Uint8Array, from: number): void {
    const { time, part } = this.line;
    if (this.#bits <= 16) {
      writeWide(bytes, at, Math.floor(this.#left / 0x1_0000), time, part, counter);
      writeEnd(bytes, at, 12, random, from);
      return;
    }
    // Milliseconds and fraction together may exceed 2^53.
    const high = Math.floor(time / 2 ** 14);
    const low = (time % 2 ** 14) * 2 ** 12 + part;
    write32(bytes, at, this.#left + Math.floor(high / 2 ** 28));
    const middle = high % 2 ** 28;
    bytes[at + 4] = middle >> 20;
    bytes[at + 5] = middle >> 12;
    bytes[at + 6] = 0x80 | ((middle >> 8) & 0x0f);
    bytes[at + 7] = middle;
    const behind = (LOW | low) * 2 ** 11 + counter;
    bytes[at + 8] = 0x80 | Math.floor(behind / 2 ** 32);
    write32(bytes, at + 9, behind % 2 ** 32);
    writeEnd(bytes, at, 13, random, from);
  }
}

/** Reads a prefix, of which the last millisecond behind it follows. */
export const parsePrefix = (prefix: string): { bits: number; value: number; lastMs: number } => {
  const binary = /^0b([01]{1,32})$/.exec(prefix);
  if (binary) return prefixOf(binary[1]!.length, parseInt(binary[1]!, 2));
  if (typeof prefix !== "string" || prefix.startsWith("0b") || !/^[0-9a-f]{1,8}$/i.test(prefix)) {
    const advice = "write 1 to 8 hexadecimal digits, such as ffffffff, or 0b and 1 to 32 binary digits";
    throw configError("not a fixed prefix:", prefix, advice);
  }
  return prefixOf(4 * prefix.length, parseInt(prefix, 16));
};

/** Behind more than 16 bits, the low 26 bits of the time follow the variant, and 14 of them are milliseconds. */
const prefixOf = (bits: number, value: number) => ({ bits, value, lastMs: Math.min(2 ** (bits > 16 ? 74 - bits : 60 - bits) - 1, LAST_MS) });
