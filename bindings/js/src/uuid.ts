// Versions 3, 5 and 8, and functions under the names of the package `uuid`: the entry point `idgen-keys/uuid`.

import { md5, sha1 } from "@noble/hashes/legacy.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { isBytes, isDetached, typeName, utf8Of } from "./codec/bytes.js";
import { decodeHyphenated, encodeHyphenated } from "./codec/hyphenated.js";
import { configError } from "./error.js";
import { stamp } from "./generator/v4.js";

export { IdError, type IdErrorCode } from "./error.js";

/** The namespaces of RFC 9562 section 6.6. */
const NAMESPACES = {
  DNS: "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  URL: "6ba7b811-9dad-11d1-80b4-00c04fd430c8",
  OID: "6ba7b812-9dad-11d1-80b4-00c04fd430c8",
  X500: "6ba7b814-9dad-11d1-80b4-00c04fd430c8",
} as const;

const named = (version: number, hash: (bytes: Uint8Array) => Uint8Array) => (name: string | Uint8Array, namespace: string): string => {
  if (typeof name !== "string" && !isBytes(name)) {
    throw configError("a name must be a string or bytes, not", typeName(name), "pass the name first, and then the namespace");
  }
  if (typeof name !== "string" && isDetached(name)) throw configError("a name cannot be", "a detached array", "pass one that was not transferred");
  const bytes = typeof name === "string" ? utf8Of("a name", name) : Uint8Array.from(name);
  return stamped(hash(concatBytes(decodeHyphenated(namespace), bytes)).slice(0, 16), version);
};

const stamped = (bytes: Uint8Array, version: number): string => {
  stamp(bytes, 0, version);
  return encodeHyphenated(bytes);
};

/**
 * The UUID of version 5 of a name in a namespace, which is a UUID in its usual text: SHA-1. The same name always has the same id.
 *
 * ```ts
 * v5("python.org", v5.DNS); // "886313e1-3b8a-5372-9b90-0c9aee199e5d"
 * ```
 */
export const v5 = /* @__PURE__ */ Object.assign(named(5, sha1), NAMESPACES);

/** The UUID of version 3 of a name in a namespace: MD5. Prefer {@link v5}. */
export const v3 = /* @__PURE__ */ Object.assign(named(3, md5), NAMESPACES);

/** The UUID of version 8 of 16 bytes of your own, in which version and variant replace six bits. */
export const v8 = (bytes: Uint8Array): string => {
  if (!isBytes(bytes) || bytes.length !== 16) {
    throw configError("version 8 is made of 16 bytes, not", isBytes(bytes) ? `${bytes.length} bytes` : typeName(bytes), "pass a Uint8Array");
  }
  return stamped(Uint8Array.from(bytes), 8);
};

/** The UUID with all bits 0. */
export const NIL = "00000000-0000-0000-0000-000000000000";
/** The UUID with all bits 1. */
export const MAX = "ffffffff-ffff-ffff-ffff-ffffffffffff";

export { decodeHyphenated as parse, encodeHyphenated as stringify } from "./codec/hyphenated.js";

/** Whether a value is a UUID in its usual text: of a version from 1 to 8 and the variant of RFC 9562, or NIL or MAX. */
export const validate = (value: unknown): value is string =>
  typeof value === "string" &&
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}-0{4}-0{4}-0{4}-0{12}|f{8}-f{4}-f{4}-f{4}-f{12})$/i.test(value);

/** The version of a UUID in its usual text: 0 for NIL, 15 for MAX. */
export const version = (id: string): number => decodeHyphenated(id)[6]! >> 4;
