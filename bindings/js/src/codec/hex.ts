// Hexadecimal digits.

const digits = (shift: number): Uint8Array =>
  Uint8Array.from({ length: 256 }, (_, byte) => "0123456789abcdef".charCodeAt((byte >> shift) & 15));

/** The character codes of the first and the second lower-case digit of each byte. */
export const FIRST = /* @__PURE__ */ digits(4);
export const SECOND = /* @__PURE__ */ digits(0);

/** What stands at a faulty place of a text. */
export const DIGIT = "a hexadecimal digit";
export const HYPHEN = "a hyphen";

/** The value of a digit of either case; -1 where it is none. */
const hexValue = (code: number): number =>
  code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : code >= 65 && code <= 70 ? code - 55 : -1;

/** Whether there is a hyphen before this byte of a hyphenated UUID. */
const afterHyphen = (byte: number): boolean => byte === 4 || byte === 6 || byte === 8 || byte === 10;

/**
 * Reads the digits from `at` on into `bytes`, with hyphens at the places of a hyphenated UUID or without. Returns the offset of the
 * first fault, or -1.
 */
export const readHex = (text: string, at: number, hyphens: boolean, bytes: Uint8Array): number => {
  for (let i = 0; i < 16; i++) {
    if (hyphens && afterHyphen(i) && text.charCodeAt(at++) !== 45) return at - 1;
    const high = hexValue(text.charCodeAt(at));
    const low = hexValue(text.charCodeAt(at + 1));
    if ((high | low) < 0) return high < 0 ? at : at + 1;
    bytes[i] = (high << 4) | low;
    at += 2;
  }
  return -1;
};

/** What belongs to an offset of a hyphenated UUID. */
export const expectedAt = (offset: number): string =>
  offset === 8 || offset === 13 || offset === 18 || offset === 23 ? HYPHEN : DIGIT;
