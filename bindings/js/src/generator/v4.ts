import { Entropy, LARGEST, type RandomSource } from "../random.js";
import { configError } from "../error.js";
import { COMMON, checkOptions } from "../options.js";
import { Generator } from "./base.js";

/** Generates UUIDs of version 4: 122 random bits (RFC 9562 section 5.4). */
export class V4 extends Generator {
  readonly #entropy: Entropy;

  constructor(options: { random?: RandomSource } = {}) {
    super();
    // Sources of the other kinds may be passed to this one, too; but who passes a state expects an order.
    checkOptions(options, COMMON);
    const { state } = options as { state?: unknown };
    if (state !== undefined) throw configError("a state has no effect on version", 4, "choose a kind with an order, or no state");
    this.#entropy = new Entropy(options.random);
  }

  protected override make(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += LARGEST) {
      const count = Math.min(LARGEST, bytes.length - at);
      const from = this.#entropy.draw(count);
      bytes.set(this.#entropy.bytes.subarray(from, from + count), at);
    }
    for (let at = 0; at < bytes.length; at += 16) stamp(bytes, at, 4);
  }
}

/** Sets version and variant. */
export const stamp = (bytes: Uint8Array, at: number, version: number): void => {
  bytes[at + 6] = (version << 4) | (bytes[at + 6]! & 0x0f);
  bytes[at + 8] = 0x80 | (bytes[at + 8]! & 0x3f);
};
