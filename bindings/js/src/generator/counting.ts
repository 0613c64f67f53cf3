// Kinds with a time, a counter within it, and fresh random bits at the end of each id.

import type { Parts } from "../clock.js";
import { type Entropy, LARGEST } from "../random.js";
import { releasing } from "../state.js";
import { Generator, type GeneratorOptions, type Sources, sourcesOf } from "./base.js";
import { type Counters, MILLI, Monotonic, type Shape } from "./monotonic.js";

/** A counter of so many bits; it starts at random in its lower half, and not below `least`, which is 0 or a power of two. */
export interface Counter {
  bits: number;
  least: number;
}

/** The last millisecond of version 7 and of ULIDs. */
export const LAST_UNIX_MS = 2 ** 48 - 1;

/** The parts of version 7: 244 ns. */
export const FRACTION: Parts = { count: 4_096, least: 0 };
/** The parts of ascending tails: 248 ns. Where they follow the variant, the first 6 of 12 bits are never zero. */
export const HIGH_FRACTION: Parts = { count: 4_032, least: 64 };

/** Ids that count up from a random start in each millisecond, or in each part of it. */
export abstract class Counting extends Generator {
  protected readonly sources: Sources;
  protected readonly line: Monotonic<number>;

  /** `more`: the names of options that only this kind has. */
  constructor(
    kind: string,
    lastMs: number,
    parts: Parts | undefined,
    counter: Counter,
    options: GeneratorOptions,
    ...more: readonly string[]
  ) {
    super();
    [this.sources, this.line] = releasing(options, () => {
      const sources = sourcesOf(options, ...more);
      const shape: Shape<number> = { kind, unit: MILLI, first: 0, last: lastMs };
      if (parts) shape.parts = parts;
      const { clock, policy, state, entropy } = sources;
      return [sources, new Monotonic(shape, clock, policy, state, () => begin(entropy, counter))];
    });
  }

  override close(): void {
    this.line.close();
  }

  protected override make(bytes: Uint8Array): void {
    const { entropy } = this.sources;
    for (let at = 0; at < bytes.length; ) {
      const want = (bytes.length - at) / 16;
      // All ids of a batch have one reading of the clock.
      const count = at === 0 ? this.line.take(want) : this.line.takeMore(want);
      let counter = this.line.counter - count + 1;
      for (const end = at + 16 * count; at < end; ) {
        const piece = Math.min(LARGEST / 8, (end - at) / 16);
        let from = entropy.draw(8 * piece);
        for (let i = 0; i < piece; i++, at += 16, from += 8) {
          this.write(bytes, at, counter++, entropy.bytes, from);
        }
      }
    }
  }

  /** Writes one id of the line's time, with the 8 random bytes from an offset on. */
  protected abstract write(bytes: Uint8Array, at: number, counter: number, random: Uint8Array, from: number): void;
}

/** The counters of a new time, from random bits. */
const begin = (entropy: Entropy, { bits, least }: Counter): Counters => {
  const { low, high } = entropy.word();
  const seed = low & (2 ** (bits - 1) - 1);
  return { first: seed < least ? seed | least : seed, limit: 2 ** bits, within: high };
};

/** 48 bits of Unix milliseconds. */
export const writeMs = (bytes: Uint8Array, at: number, ms: number): void => {
  const high = Math.floor(ms / 0x1_0000_0000);
  bytes[at] = high >> 8;
  bytes[at + 1] = high;
  write32(bytes, at + 2, ms >>> 0);
};

/** 32 bits, most significant first. */
export const write32 = (bytes: Uint8Array, at: number, word: number): void => {
  bytes[at] = word >>> 24;
  bytes[at + 1] = word >>> 16;
  bytes[at + 2] = word >>> 8;
  bytes[at + 3] = word;
};

/** Copies random bytes to the end of an id, from byte `first` on. */
export const writeEnd = (bytes: Uint8Array, at: number, first: number, random: Uint8Array, from: number): void => {
  for (let i = first; i < 16; i++) bytes[at + i] = random[from + i - 8]!;
};

/**
 * The ascending tail after most prefixes, except its end: `prefix 16 | number 32 | version 4 | number 12 | variant 2 | fraction 12 | counter 18 | random 32`. A
 * number of more than 44 bits reaches into the zeros at the end of a shorter prefix.
 */
export const writeWide = (
  bytes: Uint8Array,
  at: number,
  prefix: number,
  number: number,
  part: number,
  counter: number,
): void => {
  const first = prefix | Math.floor(number / 2 ** 44);
  bytes[at] = first >> 8;
  bytes[at + 1] = first;
  write32(bytes, at + 2, Math.floor(number / 0x1000) >>> 0);
  bytes[at + 6] = 0x80 | ((number % 0x1000) >> 8);
  bytes[at + 7] = number % 0x100;
  write32(bytes, at + 8, 0x8000_0000 | (part << 18) | counter);
};

/** The counter of {@link writeWide}. */
export const WIDE: Counter = { bits: 18, least: 0 };
