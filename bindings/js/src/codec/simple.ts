import { checkText, textFault } from "../error.js";
import { check16 } from "./bytes.js";
import { DIGIT, HEX, readHex } from "./hex.js";

const FORM = "a simple UUID";

/** 32 hexadecimal digits in lower case, without hyphens. */
export const encodeSimple = (id: Uint8Array): string => {
  check16(id);
  let text = "";
  for (const byte of id) text += HEX[byte]!;
  return text;
};

/** The 16 bytes of 32 hexadecimal digits of either case. */
export const decodeSimple = (text: string): Uint8Array => {
  checkText(FORM, text);
  const bytes = new Uint8Array(16);
  const fault = readHex(text, 0, false, bytes);
  if (fault >= 0 || text.length !== 32) throw textFault(FORM, 32, "32 hexadecimal digits", text, fault, DIGIT);
  return bytes;
};
