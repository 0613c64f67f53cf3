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

/** The content is not shown, because it may be a secret. */
const refuse = (what: string, advice: string): never => {
  throw configError("a key file must not hold", what, advice);
};

/**
 * Refuses bytes that are the content of a key file, and not its secret: they would silently be another key than the one that
 * the command line reads from the same file. Random bytes are not text.
 */
const checkNoFile = (secret: Uint8Array): void => {
  const bytes = Array.from(secret, (byte) => String.fromCharCode(byte)).join("");
  let text = "\0";
  try {
    text = decodeURIComponent(Array.from(secret, (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""));
  } catch {
    // No UTF-8.
  }
  // In UTF-16, every other byte of Latin letters is zero.
  const wide = bytes.replace(/^(\xff\xfe|\xfe\xff)/, "");
  const zeros = [0, 0];
  for (let i = 0; i < wide.length; i++) if (wide[i] === "\0") zeros[i % 2]!++;
  const [even, odd] = zeros as [number, number];
  const units = wide.length >> 1;
  if (text.startsWith("\ufeff")) refuse("text behind a byte order mark", "save it as UTF-8 without a byte order mark");
  if (units >= 4 && ((even >= units && odd === 0) || (odd >= units && even === 0))) refuse("text in UTF-16", "save it as UTF-8");
  if (/(^|[\n\r])[ \t\f]*idgen seal ring[ \t\f]*($|[\n\r])/i.test(bytes)) refuse("a ring of keys", "read it as a ring");
  const repeated = /^([^])\1*$/;
  // One byte, repeated, is no file.
  if (/[^\P{Cc}\n\r\t]/u.test(text) || repeated.test(bytes)) return;
  const line = text.replace(/\r?\n$/, "");
  const edged = /^\p{White_Space}|\p{White_Space}$/u;
  if (line !== text && !/[\n\r]/.test(line) && !edged.test(line) && !repeated.test(line)) {
    throw configError(
      "a secret must not be",
      "the content of a key file, with its line end",
      "remove the line end, or use from_file where it exists",
    );
  }
  if (/[\n\r]/.test(text)) refuse("text of several lines, or with more than one line end", "keep one line");
  if (edged.test(text)) refuse("text that begins or ends with a space", "remove it");
};

/** The key for a purpose. The error contains the length of a secret, but not the secret. */
export const derive = (secret: Uint8Array, purpose: string): Uint8Array<ArrayBuffer> => {
  if (!isBytes(secret)) throw configError("a secret must be bytes, not", typeName(secret), "give a Uint8Array");
  if (secret.length < MIN_SECRET_BYTES) {
    throw configError("too short for a key:", `${secret.length} bytes`, "give at least 16");
  }
  checkNoFile(secret);
  // A copy: what calculates the HMAC takes only arrays of this window or context.
  return purposeHmac(Uint8Array.from(secret), purpose, new Uint8Array(0));
};
