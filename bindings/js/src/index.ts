/**
 * Unique ids for database keys, for apps that generate them offline.
 *
 * ```ts
 * import { v7, inspect } from "idgen-keys";
 *
 * const id = v7(); // ascending within this thread, random elsewhere
 * inspect(id).time; // "2026-11-21T12:00:00.123Z"
 * ```
 *
 * @packageDocumentation
 */

export type { Clock, ClockPolicy, WhenBehind } from "./clock.js";
export { decodeBase32, encodeBase32 } from "./codec/base32.js";
export { type Format, decode, decodeAny, encode, isValid } from "./codec/format.js";
export { decodeHyphenated, encodeHyphenated } from "./codec/hyphenated.js";
export { decodeInt, encodeInt } from "./codec/int.js";
export { decodeBase32hex, decodeBase32human, encodeBase32hex, encodeBase32human } from "./codec/radix32.js";
export {
  decodeBase64,
  decodeBase64url,
  decodeOrdered64,
  encodeBase64,
  encodeBase64url,
  encodeOrdered64,
} from "./codec/radix64.js";
export { decodeSimple, encodeSimple } from "./codec/simple.js";
export { decodeSwapped, encodeSwapped } from "./codec/swapped.js";
export { decodeBraced, decodeUrn, encodeBraced, encodeUrn } from "./codec/wrapped.js";
export { IdError, type IdErrorCode } from "./error.js";
export { ulid, ulidBatch, v1, v4, v4Batch, v6, v7, v7Batch } from "./facade.js";
export { Generator, type GeneratorOptions } from "./generator/base.js";
export type { DeviceLease } from "./generator/device-lease.js";
export { FixedPrefix } from "./generator/fixed-prefix.js";
export { type GregorianOptions, V1, V6 } from "./generator/gregorian.js";
export { Short, type ShortFields, type ShortOptions, parseShort, shortFields } from "./generator/short.js";
export { Ulid } from "./generator/ulid.js";
export { V4 } from "./generator/v4.js";
export { V7 } from "./generator/v7.js";
export { type Inspection, type Nature, inspect, inspectBytes, inspectUlid } from "./inspect.js";
export type { NodeAddress } from "./node-address.js";
export type { RandomSource } from "./random.js";
export { MemoryState, type Saved, type State } from "./state.js";
export type { Time } from "./times.js";
