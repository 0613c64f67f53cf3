// Orders in which other systems store the 16 bytes of an id: the entry point `idgen-keys/orders`.

import { check16, checkStored, reorder } from "./codec/bytes.js";
import { decodeSwapped, encodeSwapped } from "./codec/swapped.js";

export { IdError, type IdErrorCode } from "./error.js";

/** .NET's first three fields, and both halves in Java: each is its own reverse. */
const GUID = [3, 2, 1, 0, 5, 4, 7, 6];
const JAVA_LEGACY = [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8];

/** The bytes of a GUID in .NET (`Guid.ToByteArray()`) and SQL Server, and of MongoDB's legacy form of .NET. */
export const encodeGuid = (id: Uint8Array): Uint8Array<ArrayBuffer> => {
  check16(id);
  return reorder(id, GUID);
};

/** The bytes of an id from those of a GUID. */
export const decodeGuid = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  checkStored("the bytes of a GUID", bytes);
  return reorder(bytes, GUID);
};

/** Both halves reversed: what MongoDB's old driver for Java wrote (subtype 3, `JAVA_LEGACY`), and ClickHouse's binary formats hold. */
export const encodeJavaLegacy = (id: Uint8Array): Uint8Array<ArrayBuffer> => {
  check16(id);
  return reorder(id, JAVA_LEGACY);
};

/** The bytes of an id from 16 bytes whose halves are reversed. */
export const decodeJavaLegacy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  checkStored("the legacy bytes of Java or ClickHouse", bytes);
  return reorder(bytes, JAVA_LEGACY);
};

/** Bytes that Cassandra compares with a sign. */
const flipSigns = (bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> => {
  for (let i = 8; i < 16; i++) bytes[i]! ^= 0x80;
  return bytes;
};

/**
 * The bytes that compare from left to right as Cassandra and ScyllaDB compare a `timeuuid`: the time of version 1, and then the other bytes with a sign.
 * The column takes version 1 alone.
 */
export const encodeTimeuuid = (id: Uint8Array): Uint8Array<ArrayBuffer> => flipSigns(encodeSwapped(id));

/** The bytes of an id from those of {@link encodeTimeuuid}. */
export const decodeTimeuuid = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  checkStored("the bytes of a timeuuid", bytes);
  return flipSigns(decodeSwapped(bytes));
};
