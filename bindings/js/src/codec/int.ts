import { checkText, parseError, wrongByte, wrongLength } from "../error.js";
import { check16, fromNumber, toNumber } from "./bytes.js";

/** The number of a decimal text of at most so many bits: digits only, no sign, no leading zero. */
export const decimal = (form: string, bits: number, text: string): bigint => {
  checkText(form, text);
  if (text === "") throw wrongLength(form, "decimal digits", text);
  const bad = text.search(/[^0-9]/);
  if (bad >= 0) throw wrongByte(form, "a decimal digit", text, bad);
  if (text.length > 1 && text[0] === "0") throw wrongByte(form, "no leading zero", text, 0);
  // More than 39 digits exceed 128 bits, and would take long to read.
  const number = text.length > 39 ? 1n << 128n : BigInt(text);
  if (number >> BigInt(bits)) throw parseError(form, `the number needs more than ${bits} bits`, text);
  return number;
};

/** The id as one number of 128 bits, in decimal: 1 to 39 digits. */
export const encodeInt = (id: Uint8Array): string => {
  check16(id);
  return toNumber(id).toString();
};

/** The 16 bytes of a decimal number of at most 128 bits. */
export const decodeInt = (text: string): Uint8Array<ArrayBuffer> => fromNumber(decimal("a UUID as integer", 128, text));
