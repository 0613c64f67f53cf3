import { checkText, textFault } from "../error.js";
import { check16 } from "./bytes.js";

const FORM = "a base32 UUID or ULID";
const LENGTH = 26;
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The character code of each digit. */
const CODES = /* @__PURE__ */ Uint8Array.from(DIGITS, (digit) => digit.charCodeAt(0));

const VALUES = /* @__PURE__ */ (() => {
  const values = new Int8Array(128).fill(-1);
  for (let i = 0; i < 32; i++) {
    values[DIGITS.charCodeAt(i)] = i;
    values[DIGITS.toLowerCase().charCodeAt(i)] = i;
  }
  return values;
})();

/** Crockford's base 32, the text of a ULID: 26 characters in upper case, which sort like the bytes. */
export const encodeBase32 = (id: Uint8Array): string => {
  check16(id);
  return base32At(id, 0);
};

/** The text of the 16 bytes from an offset on, with two zero bits before them. In one call, so that the text is flat. @internal */
export const base32At = (b: Uint8Array, at: number): string =>
  String.fromCharCode(
    CODES[b[at]! >> 5]!,
    CODES[b[at]! & 31]!,
    CODES[(b[at + 1]! >> 3) & 31]!,
    CODES[((b[at + 1]! << 2) | (b[at + 2]! >> 6)) & 31]!,
    CODES[(b[at + 2]! >> 1) & 31]!,
    CODES[((b[at + 2]! << 4) | (b[at + 3]! >> 4)) & 31]!,
    CODES[((b[at + 3]! << 1) | (b[at + 4]! >> 7)) & 31]!,
    CODES[(b[at + 4]! >> 2) & 31]!,
    CODES[((b[at + 4]! << 3) | (b[at + 5]! >> 5)) & 31]!,
    CODES[b[at + 5]! & 31]!,
    CODES[(b[at + 6]! >> 3) & 31]!,
    CODES[((b[at + 6]! << 2) | (b[at + 7]! >> 6)) & 31]!,
    CODES[(b[at + 7]! >> 1) & 31]!,
    CODES[((b[at + 7]! << 4) | (b[at + 8]! >> 4)) & 31]!,
    CODES[((b[at + 8]! << 1) | (b[at + 9]! >> 7)) & 31]!,
    CODES[(b[at + 9]! >> 2) & 31]!,
    CODES[((b[at + 9]! << 3) | (b[at + 10]! >> 5)) & 31]!,
    CODES[b[at + 10]! & 31]!,
    CODES[(b[at + 11]! >> 3) & 31]!,
    CODES[((b[at + 11]! << 2) | (b[at + 12]! >> 6)) & 31]!,
    CODES[(b[at + 12]! >> 1) & 31]!,
    CODES[((b[at + 12]! << 4) | (b[at + 13]! >> 4)) & 31]!,
    CODES[((b[at + 13]! << 1) | (b[at + 14]! >> 7)) & 31]!,
    CODES[(b[at + 14]! >> 2) & 31]!,
    CODES[((b[at + 14]! << 3) | (b[at + 15]! >> 5)) & 31]!,
    CODES[b[at + 15]! & 31]!,
  );

/** The 16 bytes of 26 digits of either case. I, L, O and U, hyphens and check symbols are refused, because two texts would then mean one id. */
export const decodeBase32 = (text: string): Uint8Array<ArrayBuffer> => {
  checkText(FORM, text);
  const bytes = new Uint8Array(16);
  let bits = 0;
  let count = -2;
  let fault = -1;
  let at = 0;
  for (let i = 0; i < LENGTH && fault < 0; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? -1;
    if (value < 0) fault = i;
    bits = ((bits << 5) | value) & 0x1fff;
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes[at++] = bits >> count;
    }
  }
  if (fault >= 0 || text.length !== LENGTH) {
    throw textFault(FORM, LENGTH, "26 characters", text, fault, "a Crockford base32 digit (0-9 and A-Z but I L O U)");
  }
  if (VALUES[text.charCodeAt(0)]! > 7) {
    throw textFault(FORM, LENGTH, "26 characters", text, 0, "0 to 7 (a greater first digit exceeds 128 bits)");
  }
  return bytes;
};
