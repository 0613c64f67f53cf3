// UUID versions 1 and 6: the same sequence of values, with the fields in two orders.

import { IdError } from "../error.js";
import { type NodeAddress, nodeText, parseNode, randomNode } from "../node-address.js";
import { releasing } from "../state.js";
import { GREGORIAN_TO_UNIX } from "../timestamp.js";
import { Generator, type GeneratorOptions, type Sources, sourcesOf } from "./base.js";
import { write32 } from "./counting.js";
import { type Counters, Monotonic, TICK } from "./monotonic.js";

/** The sources of a generator of version 1 or 6. */
export interface GregorianOptions extends GeneratorOptions {
  /**
   * The node, which other generators may share: each id then takes a tick of its own, and each restart after the clock stepped back
   * takes another of the 16,384 clock sequences. By default the node is random.
   */
  node?: NodeAddress;
}

const SEQUENCES = 1 << 14;

/**
 * A random node belongs to this generator alone, so the 14 bits of the clock sequence serve as a counter within the tick of 100 ns. A fixed
 * node may be shared with other generators, from which only the clock sequence distinguishes this one: it stays the same.
 */
abstract class Gregorian extends Generator {
  readonly #sources: Sources;
  readonly #line: Monotonic<bigint>;
  readonly #fixed: Uint8Array | undefined;
  #node: Uint8Array | undefined;
  /** The first clock sequence of each tick. */
  #sequence = 0;
  #origin = 0;
  #restarts = 0;

  constructor(kind: string, options: GregorianOptions) {
    super();
    [this.#sources, this.#fixed, this.#line] = releasing(options, () => {
      const sources = sourcesOf(options, "node");
      const fixed = options.node === undefined ? undefined : parseNode(options.node);
      const shape = { kind, unit: TICK, first: -GREGORIAN_TO_UNIX, last: (1n << 60n) - 1n - GREGORIAN_TO_UNIX };
      const { clock, policy, state } = sources;
      return [sources, fixed, new Monotonic(shape, clock, policy, state, (restart) => this.#begin(restart))];
    });
  }

  override close(): void {
    this.#line.close();
  }

  #begin(restart: boolean): Counters {
    if (restart) this.#restart();
    return { first: this.#sequence, limit: this.#fixed ? this.#sequence + 1 : SEQUENCES, within: 0 };
  }

  /** After the clock was set back: another random node, or another clock sequence of a fixed one. */
  #restart(): void {
    const { entropy } = this.#sources;
    if (!this.#fixed) {
      this.#node = randomNode(entropy);
      this.#sequence = this.#firstSequence();
      return;
    }
    this.#restarts++;
    if (this.#restarts >= SEQUENCES) {
      throw new IdError(
        "exhausted",
        "this node has used all 16,384 clock sequences: each restart after the clock stepped back uses one; start the program again, or let " +
          "idgen choose the node",
      );
    }
    this.#sequence = (this.#origin + this.#restarts) & (SEQUENCES - 1);
  }

  /** A random start in the lower half, which leaves at least 8,192 ids for each tick. */
  #firstSequence(): number {
    return this.#sources.entropy.word().low & (SEQUENCES / 2 - 1);
  }

  protected override make(bytes: Uint8Array): void {
    if (!this.#node) {
      const saved = this.#line.node ?? this.#sources.state?.freshNode?.();
      const node = this.#fixed ?? (saved === undefined ? randomNode(this.#sources.entropy) : parseNode(saved));
      this.#line.setNode(nodeText(node));
      this.#sequence = this.#origin = this.#firstSequence();
      this.#node = node;
    }
    for (let at = 0; at < bytes.length; ) {
      const count = this.#line.take((bytes.length - at) / 16);
      const ticks = this.#line.time + GREGORIAN_TO_UNIX;
      const low = Number(ticks & 0xffff_ffffn);
      const high = Number(ticks >> 32n);
      for (let counter = this.#line.counter - count + 1; counter <= this.#line.counter; counter++, at += 16) {
        this.writeTime(bytes, at, low, high);
        bytes[at + 8] = 0x80 | (counter >> 8);
        bytes[at + 9] = counter;
        bytes.set(this.#node, at + 10);
      }
    }
  }

  /** Writes the first 8 bytes, from the low 32 bits and the high 28 of the Gregorian time. */
  protected abstract writeTime(bytes: Uint8Array, at: number, low: number, high: number): void;
}

/**
 * Generates UUIDs of version 1: Gregorian time with its low bits first, clock sequence, node (RFC 9562 section 5.1). Their order is not the
 * order of time: prefer {@link V6} or {@link V7}, or store them with their time fields swapped.
 */
export class V1 extends Gregorian {
  constructor(options: GregorianOptions = {}) {
    super("v1", options);
  }

  protected override writeTime(bytes: Uint8Array, at: number, low: number, high: number): void {
    write32(bytes, at, low);
    write32(bytes, at + 4, (high << 16) | 0x1000 | (high >>> 16));
  }
}

/** Generates UUIDs of version 6: the fields of version 1 with the high bits of the time first, so that ids sort by time (RFC 9562 section 5.6). */
export class V6 extends Gregorian {
  constructor(options: GregorianOptions = {}) {
    super("v6", options);
  }

  protected override writeTime(bytes: Uint8Array, at: number, low: number, high: number): void {
    write32(bytes, at, (high << 4) | (low >>> 28));
    write32(bytes, at + 4, ((low << 4) & 0xffff_0000) | 0x6000 | (low & 0x0fff));
  }
}
