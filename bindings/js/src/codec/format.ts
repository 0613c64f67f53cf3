// The list of text formats, for programs that choose one at run time.

import { LONG, byteLength, checkText, configError, parseError, wrongByte, wrongLength } from "../error.js";
import { decodeBase32, encodeBase32 } from "./base32.js";
import { decodeHyphenated, encodeHyphenated } from "./hyphenated.js";
import { decodeInt, encodeInt } from "./int.js";
import { decodeBase32hex, decodeBase32human, encodeBase32hex, encodeBase32human } from "./radix32.js";
import {
  decodeBase64,
  decodeBase64url,
  decodeOrdered64,
  encodeBase64,
  encodeBase64url,
  encodeOrdered64,
} from "./radix64.js";
import { decodeSimple, encodeSimple } from "./simple.js";
import { decodeBraced, decodeUrn, encodeBraced, encodeUrn } from "./wrapped.js";

/** A format of text. */
export type Format =
  | "hyphenated"
  | "simple"
  | "urn"
  | "braced"
  | "base64"
  | "base64url"
  | "ordered64"
  | "base32"
  | "base32hex"
  | "base32human"
  | "int";

const FORMATS: Record<Format, readonly [(id: Uint8Array) => string, (text: string) => Uint8Array<ArrayBuffer>]> = {
  hyphenated: [encodeHyphenated, decodeHyphenated],
  simple: [encodeSimple, decodeSimple],
  urn: [encodeUrn, decodeUrn],
  braced: [encodeBraced, decodeBraced],
  base64: [encodeBase64, decodeBase64],
  base64url: [encodeBase64url, decodeBase64url],
  ordered64: [encodeOrdered64, decodeOrdered64],
  base32: [encodeBase32, decodeBase32],
  base32hex: [encodeBase32hex, decodeBase32hex],
  base32human: [encodeBase32human, decodeBase32human],
  int: [encodeInt, decodeInt],
};

const codec = (format: Format) => {
  if (!Object.hasOwn(FORMATS, format)) {
    throw configError("unknown format", format, `use one of ${Object.keys(FORMATS).join(", ")}`);
  }
  return FORMATS[format];
};

const HYPHENATED = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const pattern = (text: string, flags = "i") => new RegExp(`^(?:${text})$`, flags);

/** The texts that the decoders accept. The last character of a text with padding carries no bits beyond the id. */
const VALID: Record<Format, RegExp> = /* @__PURE__ */ (() => ({
  hyphenated: pattern(HYPHENATED),
  simple: pattern("[0-9a-f]{32}"),
  urn: pattern(`urn:uuid:${HYPHENATED}`),
  braced: pattern(`\\{${HYPHENATED}\\}`),
  base64: pattern("[A-Za-z0-9+/]{21}[AQgw]", ""),
  base64url: pattern("[A-Za-z0-9_-]{21}[AQgw]", ""),
  ordered64: pattern("[A-Za-z0-9_-]{21}[-FVk]", ""),
  base32: pattern("[0-7][0-9A-HJKMNP-TV-Z]{25}"),
  base32hex: pattern("[0-9A-V]{25}[048CGKOS]"),
  base32human: pattern("[0-9A-HJKMNP-TV-Z]{25}[048CGMRW]"),
  int: pattern("0|[1-9][0-9]{0,38}", ""),
}))();

/**
 * Whether a value is a text that {@link decode} accepts in this format, by default a hyphenated UUID. It makes no error, so refusing costs as little as
 * accepting: use it where most values may be none.
 */
export const isValid = (text: unknown, format: Format = "hyphenated"): text is string => {
  codec(format);
  if (typeof text !== "string" || text.length > 45 || !VALID[format].test(text)) return false;
  return format !== "int" || BigInt(text) < 1n << 128n;
};

/** Encodes the 16 bytes of an id in a format. */
export const encode = (format: Format, id: Uint8Array): string => codec(format)[0](id);

/** The 16 bytes of an id from a text in a format. */
export const decode = (format: Format, text: string): Uint8Array<ArrayBuffer> => codec(format)[1](text);

const ANY = "an id of a known format";
const LENGTHS = "22, 26, 32, 36, 38 or 45 characters, or a decimal number";

/**
 * Decodes a text whose format is not known. It is detected by length, then by characters:
 *
 * - 22 characters are one of the three base64 formats, which differ in the last character; if a text is valid in the standard and in the
 *   URL-safe one, it means the same id in both.
 * - 26 characters are base32, and 32 hexadecimal digits are the simple format.
 * - A decimal number is an integer, except where it could be a text of another format, or one that lost characters: 22, 26, 31 and 33 to 36
 *   digits are refused. 26 digits that begin with 0 are base32, because integers have no leading zeros.
 */
export const decodeAny = (text: string): { format: Format; id: Uint8Array<ArrayBuffer> } => {
  checkText(ANY, text);
  const format = detect(text);
  return { format, id: decode(format, text) };
};

const detect = (text: string): Format => {
  if (text.length > LONG && !/^[0-9]/.test(text) && !looksLike(text)) throw wrongLength(ANY, LENGTHS, text);
  const bytes = byteLength(text);
  const number = bytes === text.length && /^[0-9]+$/.test(text);
  if (bytes === 32) return "simple";
  const ambiguous = (candidates: string) => parseError(ANY, `it could be ${candidates}: name the format`, text);
  if (bytes === 26 && number && text[0]! > "7") {
    throw ambiguous("a ULID beyond its range, whose first digit is at most 7, or a decimal number (int)");
  }
  if (bytes === 26 && number && text[0]! > "0") {
    throw ambiguous("a ULID (base32) without a letter, or a decimal number (int)");
  }
  if (bytes > 30 && bytes <= 36 && number && text[0]! > "0") {
    throw ambiguous("hexadecimal digits of a UUID with one missing or too many, or a decimal number (int)");
  }
  if (bytes === 22 && number) throw ambiguous("base64 with bits beyond the id, or a decimal number (int)");
  if (bytes === 26) return "base32";
  if (number) return "int";
  if (bytes === 36) return "hyphenated";
  if (bytes === 45) return "urn";
  if (bytes === 22) return detectRadix64(text);
  if (bytes === 16) throw ambiguous("binary or swapped");
  const like = looksLike(text);
  if (like !== undefined) throw parseError(ANY, `it looks like ${like}`, text);
  if (bytes === 38 && text.length === 38) return "braced";
  // Word processors write hyphens and quotation marks that are not ASCII.
  const at = text.search(/[^\0-\x7f]/);
  if (at >= 0) throw wrongByte(ANY, "only ASCII characters", text, at);
  throw wrongLength(ANY, LENGTHS, text);
};

/** What a text is that is in no format, but whose writer is known, and what to do. */
const looksLike = (text: string): string | undefined => {
  if (/^(["'])[^]*\1$/.test(text)) return "a quoted text, such as a field of a CSV file: remove the quotation marks";
  if (text.length === 24 && text.endsWith("==")) {
    return "padded base64, as MySQL's TO_BASE64() writes it: remove the padding, == at the end";
  }
  if (/^(0[xX][^]{32}|\\x[^]{32}|[xX]'[^]{32}')$/.test(text)) {
    return "a hexadecimal literal, as servers print it: keep only its 32 digits, or read it with codec::literal";
  }
  return undefined;
};

/** Which of the three formats of 22 characters; if none fits, the one whose error message helps most. */
const detectRadix64 = (text: string): Format => {
  const all = ["base64", "base64url", "ordered64"] as const;
  const alphabets = [/^[A-Za-z0-9+/]*$/, /^[\w-]*$/, /^[\w-]*$/];
  return all.find((format) => isValid(text, format)) ?? all.find((_, i) => alphabets[i]!.test(text)) ?? "base64";
};
