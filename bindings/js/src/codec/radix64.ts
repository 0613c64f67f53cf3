// 22 characters of 6 bits. Three alphabets: standard and URL-safe base64 (RFC 4648), and one that sorts like the bytes.

import { checkText, parseError, textFault } from "../error.js";
import { check16 } from "./bytes.js";

const LENGTH = 22;

interface Alphabet {
  form: string;
  expected: string;
  digits: string;
  values: Int8Array;
}

const alphabet = (form: string, expected: string, digits: string): Alphabet => {
  const values = new Int8Array(128).fill(-1);
  for (let i = 0; i < 64; i++) values[digits.charCodeAt(i)] = i;
  return { form, expected, digits, values };
};

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const STANDARD = /* @__PURE__ */ alphabet("a base64 UUID", "one of A-Z a-z 0-9 + /", LETTERS + "+/");
const URL_SAFE = /* @__PURE__ */ alphabet("a URL-safe base64 UUID", "one of A-Z a-z 0-9 - _", LETTERS + "-_");
const ORDERED = /* @__PURE__ */ alphabet(
  "an ordered base64 UUID",
  "one of - 0-9 A-Z _ a-z",
  "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz",
);

const encode = ({ digits }: Alphabet, id: Uint8Array): string => {
  check16(id);
  let text = "";
  for (let i = 0; i < 15; i += 3) {
    const bits = (id[i]! << 16) | (id[i + 1]! << 8) | id[i + 2]!;
    text += digits[bits >> 18]! + digits[(bits >> 12) & 63]! + digits[(bits >> 6) & 63]! + digits[bits & 63]!;
  }
  return text + digits[id[15]! >> 2]! + digits[(id[15]! & 3) << 4]!;
};

const decode = ({ form, expected, values }: Alphabet, text: string): Uint8Array<ArrayBuffer> => {
  checkText(form, text);
  const bytes = new Uint8Array(16);
  let bits = 0;
  let fault = -1;
  for (let i = 0; i < LENGTH && fault < 0; i++) {
    // Undefined beyond ASCII, and beyond the end.
    const value = values[text.charCodeAt(i)] ?? -1;
    if (value < 0) fault = i;
    bits = (bits << 6) | value;
    if (i % 4 !== 0) bytes[(i >> 2) * 3 + (i % 4) - 1] = bits >> (6 - 2 * (i % 4));
  }
  if (fault >= 0 || text.length !== LENGTH) {
    throw textFault(form, LENGTH, "22 characters, without padding", text, fault, expected);
  }
  if ((bits & 15) !== 0) {
    const problem = "the character at offset 21 carries bits beyond the id, which no encoder sets";
    throw parseError(form, problem, text, LENGTH - 1);
  }
  return bytes;
};

/**
 * Standard base64, 22 characters without padding: MySQL's `TO_BASE64()` without the two `=`. Store it in a column with a binary
 * collation: another one treats different ids as equal. It does not sort like the bytes.
 */
export const encodeBase64 = (id: Uint8Array): string => encode(STANDARD, id);
/** The 16 bytes of 22 characters of standard base64. */
export const decodeBase64 = (text: string): Uint8Array<ArrayBuffer> => decode(STANDARD, text);

/** Base64 for URLs and file names, 22 characters without padding. */
export const encodeBase64url = (id: Uint8Array): string => encode(URL_SAFE, id);
/** The 16 bytes of 22 characters of base64 for URLs. */
export const decodeBase64url = (text: string): Uint8Array<ArrayBuffer> => decode(URL_SAFE, text);

/** 22 characters that are safe in a URL and sort like the bytes, with a binary collation. This is not a standard: other base64 decoders return other bytes. */
export const encodeOrdered64 = (id: Uint8Array): string => encode(ORDERED, id);
/** The 16 bytes of 22 characters in the ordered alphabet. */
export const decodeOrdered64 = (text: string): Uint8Array<ArrayBuffer> => decode(ORDERED, text);
