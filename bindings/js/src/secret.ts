// Keys from secrets: HMAC-SHA-256 (RFC 2104), with a purpose for each key.

import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { concatBytes } from "@noble/hashes/utils.js";
import { isBytes, typeName } from "./codec/bytes.js";
import { configError } from "./error.js";

/** The smallest length of a secret, in bytes. */
export const MIN_SECRET_BYTES = 16;

export const ascii = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** The HMAC of a purpose followed by a message. No purpose may be the beginning of another one. */
export const purposeHmac = (key: Uint8Array, purpose: string, message: Uint8Array): Uint8Array<ArrayBuffer> =>
  hmac(sha256, key, concatBytes(ascii(purpose), message));

/** The key for a purpose. The error contains the length of a secret, but not the secret. */
export const derive = (secret: Uint8Array, purpose: string): Uint8Array<ArrayBuffer> => {
  if (!isBytes(secret)) throw configError("a secret must be bytes, not", typeName(secret), "give a Uint8Array");
  if (secret.length < MIN_SECRET_BYTES) {
    throw configError("too short for a key:", `${secret.length} bytes`, "give at least 16");
  }
  // A copy: what calculates the HMAC takes only arrays of this window or context.
  return purposeHmac(Uint8Array.from(secret), purpose, new Uint8Array(0));
};
