// TypeID: the type of an id and its 26 digits, as in user_01h455vb4pex5vsknk084sn02q.

import { IdError, checkText, parseError, quoted, wrongByte } from "../error.js";
import { decodeBase32, encodeBase32 } from "./base32.js";
import { decodeHyphenated, encodeHyphenated } from "./hyphenated.js";

const FORM = "a typed id";
const MAX_PREFIX = 63;
const LETTERS = "a letter from a to z, or _ between such letters";

/** The offset of the first wrong character of a prefix, 63 if it is too long, or -1. */
const prefixFault = (prefix: string): number => {
  if (/^([a-z]([a-z_]{0,61}[a-z])?)?$/.test(prefix)) return -1;
  const at = prefix.search(/[^a-z_]|^_|_$/);
  return at < 0 || at > MAX_PREFIX ? MAX_PREFIX : at;
};

const wrongPrefix = (form: string, prefix: string, text: string, at: number) =>
  at === MAX_PREFIX
    ? parseError(form, `expected a prefix of at most 63 characters, found ${new TextEncoder().encode(prefix).length}`, text)
    : wrongByte(form, LETTERS, text, at);

/** Refuses what is no prefix of a TypeID: at most 63 letters from a to z, with underscores between them. */
export const checkPrefix = (prefix: string): void => {
  const form = "a prefix of typed ids";
  checkText(form, prefix);
  const at = prefixFault(prefix);
  if (at >= 0) throw wrongPrefix(form, prefix, prefix, at);
};

/** The TypeID of an id in its usual text: the prefix, an underscore and 26 characters in lower case; without a prefix only these. */
export const encodeTyped = (prefix: string, id: string): string => {
  checkPrefix(prefix);
  const digits = encodeBase32(decodeHyphenated(id)).toLowerCase();
  return prefix === "" ? digits : `${prefix}_${digits}`;
};

/** The prefix of a TypeID, and its id in the usual text. Only what {@link encodeTyped} writes is accepted. */
export const decodeTyped = (text: string): { prefix: string; id: string } => {
  checkText(FORM, text);
  const separator = text.lastIndexOf("_");
  const prefix = text.slice(0, Math.max(separator, 0));
  const fault = prefixFault(prefix);
  if (fault >= 0) throw wrongPrefix(FORM, prefix, text, fault);
  if (separator === 0) throw wrongByte(FORM, "a prefix before the underscore, or only 26 digits", text, 0);
  const digits = text.slice(separator + 1);
  const at = digits.search(/[^0-9a-hjkmnp-tv-z]/);
  if (at >= 0) throw wrongByte(FORM, "a base32 digit in lower case (0-9 and a-z but i l o u)", text, separator + 1 + at);
  if (digits.length !== 26) {
    throw parseError(FORM, `expected 26 digits after the prefix and an underscore, found ${digits.length}`, text);
  }
  if (digits[0]! > "7") throw wrongByte(FORM, "0 to 7 (a greater first digit exceeds 128 bits)", text, separator + 1);
  return { prefix, id: encodeHyphenated(decodeBase32(digits)) };
};

/** The id of a TypeID that must have this prefix. */
export const decodeAs = (expected: string, text: string): string => {
  const { prefix, id } = decodeTyped(text);
  if (prefix !== expected) throw otherType(expected, text);
  return id;
};

const otherType = (expected: string, text: string) =>
  new IdError("parse", `not an id with the prefix "${expected}": ${quoted(text)} is of another type`);
