// What an id shows.

import { check16, toNumber } from "./codec/bytes.js";
import { type Format, decodeAny } from "./codec/format.js";
import { encodeHyphenated } from "./codec/hyphenated.js";
import { nodeText } from "./node-address.js";
import { GREGORIAN_TO_UNIX, timeText } from "./timestamp.js";

/** What an id is, as far as its bits show. */
export type Nature =
  | "nil"
  | "max"
  | "v1"
  | "v4"
  | "v6"
  | "v7"
  | "v8"
  | "other-version"
  | "other-variant"
  | "ulid"
  | "short";

/**
 * What can be read from an id. A field that does not apply is missing. Fractions, counters and all of version 8 are this library's own
 * layouts: for ids of other programs or earlier layouts, they are meaningless.
 */
export interface Inspection {
  /** The id in its usual text; a 64-bit id in decimal. */
  id: string;
  /** The format of the text that it was read from. */
  format?: Format;
  nature: Nature;
  version?: number;
  /** When it was generated, as an RFC 3339 text in UTC. */
  time?: string;
  /** The clock sequence of versions 1 and 6. */
  clockSequence?: number;
  /** The node of versions 1 and 6. */
  node?: string;
  /**
   * How many nanoseconds after the whole millisecond of its time an id of version 7 or 8 was generated, as this library, PostgreSQL and others with method 3 of
   * RFC 9562 section 6.2 show it. Other generators have a counter or random bits there.
   */
  fractionNs?: number;
  counter?: number;
  /** The first 16 bits of versions 4 and 8: a prefix, if it is a prefixed id. */
  prefix?: number;
  /** When a version 8 was generated, if it is a prefixed id with an ascending tail and its prefix is not keyed. */
  tailTime?: string;
}

/**
 * Inspects a text in any format: see {@link decodeAny}. A decimal number below 2^64 is treated as a 64-bit id, and a text in base32 as a
 * ULID, unless its bits show a version that this library generates.
 */
export const inspect = (text: string): Inspection => {
  const { format, id } = decodeAny(text);
  const number = toNumber(id);
  if (format === "int" && number < 1n << 64n) return { id: number.toString(), nature: "short" };
  const seen = inspectBytes(id);
  const known = seen.nature !== "other-version" && seen.nature !== "other-variant";
  return { ...(format === "base32" && !known ? inspectUlid(id) : seen), format };
};

/** Inspects the 16 bytes of a UUID. */
export const inspectBytes = (bytes: Uint8Array): Inspection => {
  const id = encodeHyphenated(bytes);
  const number = toNumber(bytes);
  if (number === 0n) return { id, nature: "nil" };
  if (number === (1n << 128n) - 1n) return { id, nature: "max" };
  if (bytes[8]! >> 6 !== 2) return { id, nature: "other-variant" };
  const version = bytes[6]! >> 4;
  const top = number >> 64n;
  const low = number & 0xffff_ffff_ffff_ffffn;
  const prefix = Number(top >> 48n);
  switch (version) {
    case 1:
      return gregorian(id, "v1", (top >> 32n) | (((top >> 16n) & 0xffffn) << 32n) | ((top & 0xfffn) << 48n), bytes);
    case 6:
      return gregorian(id, "v6", ((top >> 16n) << 12n) | (top & 0xfffn), bytes);
    case 4:
      return { id, nature: "v4", version, prefix };
    case 7: {
      const fractionNs = 100 * Math.ceil((Number(top & 0xfffn) * 10_000) / 4_096);
      const counter = Number((low >> 48n) & 0x3fffn);
      return { id, nature: "v7", version, time: timeText((top >> 16n) * 10_000n), fractionNs, counter };
    }
    case 8: {
      const [time, counter] = top >> 32n === 0xffff_ffffn ? longTail(top, low) : wideTail(top, low);
      return { id, nature: "v8", version, ...highFraction(time), counter, prefix, tailTime: timeText((time >> 12n) * 10_000n) };
    }
    default:
      return { id, nature: "other-version", version };
  }
};

/** Milliseconds and fraction, and the counter, after most prefixes. */
const wideTail = (top: bigint, low: bigint): [bigint, number] => {
  const ms = (((top >> 16n) & 0xffff_ffffn) << 12n) | (top & 0xfffn);
  return [(ms << 12n) | ((low >> 50n) & 0xfffn), Number((low >> 32n) & 0x3_ffffn)];
};

/** The same after a fixed prefix of 32 bits. */
const longTail = (top: bigint, low: bigint): [bigint, number] => {
  const high = (((top >> 16n) & 0xffffn) << 12n) | (top & 0xfffn);
  return [(high << 26n) | ((low >> 35n) & 0x3ff_ffffn), Number((low >> 24n) & 0x7ffn)];
};

/** The fraction in the last 12 bits of a tail's time, if they are one: it begins with 64. */
export const highFraction = (time: bigint): { fractionNs?: number } => {
  const part = Number(time & 0xfffn) - 64;
  return part < 0 ? {} : { fractionNs: 100 * Math.ceil((part * 10_000) / 4_032) };
};

const gregorian = (id: string, nature: "v1" | "v6", ticks: bigint, bytes: Uint8Array): Inspection => ({
  id,
  nature,
  version: nature === "v1" ? 1 : 6,
  time: timeText(ticks - GREGORIAN_TO_UNIX),
  clockSequence: ((bytes[8]! & 0x3f) << 8) | bytes[9]!,
  node: nodeText(bytes.subarray(10)),
});

/** Inspects the 16 bytes of a ULID. Its 80 bits after the time may look like those of any version. */
export const inspectUlid = (bytes: Uint8Array): Inspection => {
  check16(bytes);
  const number = toNumber(bytes);
  const time = timeText((number >> 80n) * 10_000n);
  return { id: encodeHyphenated(bytes), nature: "ulid", time, counter: Number((number >> 54n) & 0x3ff_ffffn) };
};
