// 64-bit ids of devices.

import { type Clock, type ClockPolicy, type Policy, Waits, clockBehind, millisOf, policyOf, systemClock, ticksOf } from "../clock.js";
import { check64 } from "../codec/bytes.js";
import { decimal } from "../codec/int.js";
import { IdError } from "../error.js";
import { type NodeAddress, nodeText, parseNode, randomNode } from "../node-address.js";
import { COMMON, checkOptions } from "../options.js";
import { Entropy, type RandomSource } from "../random.js";
import { type Saved, type State, closedError, loadFor, releasing, saveTo } from "../state.js";
import { checkCount } from "./base.js";
import { type DeviceLease, type LeasedSeconds, checkLease, leasedSeconds } from "./device-lease.js";
import { outOfRange } from "./monotonic.js";

/** The sources of a generator of 64-bit ids; all of them have defaults. */
export interface ShortOptions extends ClockPolicy {
  /** The clock; by default that of the system. */
  clock?: Clock;
  /** The randomness for the node and the first counter; by default `crypto.getRandomValues`. */
  random?: RandomSource;
  /** Continues where an earlier run stopped, also within the same second. */
  state?: State | undefined;
  /** The node, of which the low two bytes are used. By default it is random, and kept in the state. */
  node?: NodeAddress;
  /** A leased number, which is the node: see {@link Short.setLease}. */
  lease?: DeviceLease | undefined;
}

/** Ids that a state reserves at a time. */
const BLOCK = 4_096;
const LAST_OF_SECOND = 0xffff;

/** The last id: its second, its number within that second, and its counter. */
interface Word {
  secs: number;
  number: number;
  counter: number;
}

const position = ({ secs, number, counter }: Word): bigint =>
  (BigInt(secs) << 32n) | BigInt(number * 0x1_0000 + counter);

/**
 * Generates 64-bit ids: `unix_secs << 32 | node << 16 | counter`.
 *
 * The value is a `bigint`, and {@link nextText} returns its decimal text. It exceeds 2^53, the largest integer that a JavaScript number and
 * most readers of JSON hold exactly, so **send it as text**: `JSON.stringify` throws a TypeError for a bigint, and `JSON.parse` of a plain number
 * returns another id. Store it as `BIGINT UNSIGNED`, because it exceeds a signed 64-bit integer from 2038-01-19 on.
 *
 * The counter starts at random and wraps within its 16 bits. After 65,536 ids in a second the generator waits for the next one, where the
 * thread may wait, or throws `exhausted`. Two devices repeat each other's id only if second, node and counter all coincide.
 */
export class Short {
  readonly #clock: Clock;
  readonly #policy: Policy;
  readonly #state: State | undefined;
  #nodeIsRandom: boolean;
  #node: Uint8Array;
  #low16: number;
  #lease: LeasedSeconds | undefined;
  #word: Word;
  #restarts = 0;
  /** Words up to this one are saved as taken. */
  #covered = 0n;
  #closed = false;

  constructor(options: ShortOptions = {}) {
    const { clock, policy, word, node, nodeIsRandom, lease } = releasing(options, () => begin(options));
    this.#clock = clock;
    this.#policy = policy;
    this.#state = options.state;
    this.#word = word;
    this.#node = node;
    this.#nodeIsRandom = nodeIsRandom;
    this.#low16 = this.#nodeAfter(0);
    if (lease) this.#hold(lease);
  }

  /**
   * Uses the number of a lease as the node, and makes no id of a second outside of the lease: such a call throws `outside-lease`. Call it again with the renewed
   * lease. If the lease is refused, the one before it stays.
   *
   * Keep a state beside the lease: without it, a restart after the clock was set back may repeat ids of this device itself. With a lease, a
   * clock that steps back further than the tolerance is an error also under the policy `restart`, because a restart takes another node.
   */
  setLease(lease: DeviceLease): void {
    this.#hold(leasedSeconds(lease));
  }

  #hold(lease: LeasedSeconds): void {
    const { number } = lease;
    this.#node = Uint8Array.of(...this.#node.subarray(0, 4), number >> 8, number & 0xff);
    this.#nodeIsRandom = false;
    this.#low16 = number;
    this.#lease = lease;
    // The state has another node.
    this.#covered = 0n;
  }

  /** The next id. */
  next(): bigint {
    this.#take(1);
    return this.#id(this.#word.counter);
  }

  /** The next id as decimal text, for JSON. */
  nextText(): string {
    return this.next().toString();
  }

  /** So many ids, in order. */
  batch(count: number): bigint[] {
    checkCount(count);
    const ids: bigint[] = [];
    while (ids.length < count) {
      const taken = this.#take(count - ids.length);
      for (let i = taken - 1; i >= 0; i--) ids.push(this.#id((this.#word.counter - i) & 0xffff));
    }
    return ids;
  }

  /** Ids without an end: `for (const id of generator)`. */
  *[Symbol.iterator](): Iterator<bigint> {
    for (;;) yield this.next();
  }

  /** Saves the exact position, and releases the state. The generator makes no more ids. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#state) saveTo(this.#state, this.#saved(position(this.#word)));
    } finally {
      this.#state?.close?.();
    }
  }

  #id(counter: number): bigint {
    return BigInt(this.#word.secs) * 0x1_0000_0000n + BigInt(this.#low16 * 0x1_0000 + counter);
  }

  /** The two bytes of the node after so many restarts. */
  #nodeAfter(restarts: number): number {
    const low = (this.#node[4]! << 8) | this.#node[5]!;
    return this.#nodeIsRandom ? (low + restarts) & 0xffff : low;
  }

  /** Takes up to `want` ids of one second, once the state covers them. */
  #take(want: number): number {
    if (this.#closed) throw closedError("short");
    for (;;) {
      const old = this.#word;
      const secs = this.#seconds();
      let count: number;
      let word: Word;
      if (secs > old.secs) {
        count = Math.min(want, LAST_OF_SECOND + 1);
        word = { secs, number: count - 1, counter: (old.counter + count) & 0xffff };
      } else if (old.secs - secs > Math.floor(this.#policy.toleranceMs / 1_000)) {
        this.#catchUp();
        continue;
      } else if (old.number === LAST_OF_SECOND) {
        this.#waitForNextSecond();
        continue;
      } else {
        count = Math.min(want, LAST_OF_SECOND - old.number);
        word = { secs: old.secs, number: old.number + count, counter: (old.counter + count) & 0xffff };
      }
      if (this.#lease) checkLease(this.#lease, word.secs);
      this.#word = word;
      this.#cover(word);
      return count;
    }
  }

  #cover(last: Word): void {
    if (!this.#state || position(last) <= this.#covered) return;
    const more = Math.min(LAST_OF_SECOND - last.number, BLOCK);
    const end = position({ secs: last.secs, number: last.number + more, counter: (last.counter + more) & 0xffff });
    saveTo(this.#state, this.#saved(end));
    this.#covered = end;
  }

  #saved(end: bigint): Saved {
    return { kind: "short", position: end, node: nodeText(this.#node) };
  }

  #seconds(): number {
    const secs = Math.floor(millisOf(this.#clock) / 1_000);
    // Second 0 counts as full in a new generator.
    if (secs < 1 || secs > 0xffff_ffff) {
      throw outOfRange("short", ticksOf(this.#clock), "1970-01-01T00:00:01Z", "2106-02-07T06:28:15Z");
    }
    return secs;
  }

  /** The clock is too far behind: restarts with the next node, waits or fails. */
  #catchUp(): void {
    const { whenBehind, toleranceMs } = this.#policy;
    if (whenBehind === "wait") {
      this.#waitUntil(
        (secs) => this.#word.secs <= secs + Math.floor(toleranceMs / 1_000),
        () => this.#behind(),
      );
    } else if (whenBehind === "restart" && this.#nodeIsRandom && !this.#state) {
      this.#restart();
    } else {
      throw this.#behind();
    }
  }

  #restart(): void {
    if (this.#restarts >= 0xffff) {
      throw new IdError(
        "exhausted",
        "this device has used all 65,536 nodes: each restart after the clock stepped back uses one; start the program again",
      );
    }
    this.#low16 = this.#nodeAfter(++this.#restarts);
    this.#word = { secs: 0, number: LAST_OF_SECOND, counter: this.#word.counter };
  }

  #waitForNextSecond(): void {
    const full = (advice: string): IdError => new IdError("exhausted", `short has used all 65,536 ids of this second: ${advice}`);
    if (this.#policy.whenBehind === "error") throw full("wait, or choose a policy that waits");
    this.#waitUntil(
      (secs) => secs > this.#word.secs,
      (waited) => full(waited ? "the clock did not reach the next one in the longest wait: correct the clock" : "wait, or choose a policy that waits"),
    );
  }

  #waitUntil(enough: (secs: number) => boolean, tooLate: (waited: boolean) => IdError): void {
    const waits = new Waits(this.#policy);
    let waited = false;
    while (!enough(this.#seconds())) {
      const now = Number(ticksOf(this.#clock) % 10_000_000n) / 10_000;
      if (!waits.sleep(this.#clock, 1_000 - now)) throw tooLate(waited);
      waited = true;
    }
  }

  #behind(): IdError {
    return clockBehind(ticksOf(this.#clock), BigInt(this.#word.secs) * 10_000_000n, this.#policy, !!this.#state);
  }
}

/** What a generator begins with. */
const begin = (options: ShortOptions) => {
  checkOptions(options, [...COMMON, "node", "lease"]);
  const lease = options.lease && leasedSeconds(options.lease);
  const { clock = systemClock, state } = options;
  const policy = policyOf(options);
  const entropy = new Entropy(options.random);
  let node = randomNode(entropy);
  // Before the first id, second 0 counts as full, and the counter of the next second starts at random.
  let word: Word = { secs: 0, number: LAST_OF_SECOND, counter: entropy.word().low & 0xffff };
  const nodeIsRandom = options.node === undefined;
  if (options.node !== undefined) node = parseNode(options.node);
  const saved = loadFor("short", state);
  if (saved) {
    // The later one of the saved word and that of a new generator, of which second 0 is full.
    const last = BigInt.asUintN(64, saved.position);
    if (last > position(word)) {
      const low = Number(last & 0xffff_ffffn);
      word = { secs: Number(last >> 32n), number: low >>> 16, counter: low & 0xffff };
    }
  }
  const kept = saved?.node ?? state?.freshNode?.();
  if (kept !== undefined && nodeIsRandom) node = parseNode(kept);
  return { clock, policy, word, node, nodeIsRandom, lease };
};

/** What a 64-bit id shows, in the layout of {@link Short}. Every number can be read this way, because the layout has no marker. */
export interface ShortFields {
  /** Seconds since 1970. */
  unixSecs: number;
  /** The low two bytes of the node. */
  node: number;
  /** Starts at random, and wraps. */
  counter: number;
}

/** The fields of a 64-bit id. */
export const shortFields = (id: bigint): ShortFields => {
  check64(id);
  return { unixSecs: Number(id >> 32n), node: Number((id >> 16n) & 0xffffn), counter: Number(id & 0xffffn) };
};

/** The 64-bit id of a decimal text: digits only, no sign, no leading zero, at most 64 bits. */
export const parseShort = (text: string): bigint => decimal("a 64-bit id", 64, text);
