// Kinds with a time, a counter within it, and fresh random bits at the end of each id.

import { LARGEST } from "../random.js";
import { Generator, type GeneratorOptions, type Sources, sourcesOf } from "./base.js";
import { type Counters, MILLI, Monotonic, type Shape } from "./monotonic.js";

/** Ids that count up from a random start in each millisecond. */
export abstract class Counting extends Generator {
  protected readonly sources: Sources;
  protected readonly line: Monotonic<number>;

  constructor(kind: string, lastMs: number, options: GeneratorOptions) {
    super();
    this.sources = sourcesOf(options);
    const shape: Shape<number> = { kind, unit: MILLI, first: 0, last: lastMs };
    const { clock, policy, state } = this.sources;
    this.line = new Monotonic(shape, clock, policy, state, () => this.begin());
  }

  override close(): void {
    this.line.close();
  }

  protected override make(bytes: Uint8Array): void {
    const { entropy } = this.sources;
    for (let at = 0; at < bytes.length; ) {
      const count = this.take((bytes.length - at) / 16);
      let counter = this.line.counter - count + 1;
      for (const end = at + 16 * count; at < end; ) {
        const piece = Math.min(LARGEST / 8, (end - at) / 16);
        let from = entropy.draw(8 * piece);
        for (let i = 0; i < piece; i++, at += 16, from += 8) {
          this.write(bytes, at, this.line.time, counter++, entropy.bytes, from);
        }
      }
    }
  }

  /** Takes up to so many ids of one time. */
  protected take(want: number): number {
    return this.line.take(want);
  }

  /** The counters of a new millisecond, from random bits. */
  protected abstract begin(): Counters;

  /** Writes one id, with the 8 random bytes from an offset on. */
  protected abstract write(
    bytes: Uint8Array,
    at: number,
    ms: number,
    counter: number,
    random: Uint8Array,
    from: number,
  ): void;
}

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
