import { checkText, textFault } from "../error.js";
import { DIGIT, readHex } from "./hex.js";
import { encodeHyphenated } from "./hyphenated.js";

const FORM = "a simple UUID";

/** 32 hexadecimal digits in lower case, without hyphens. */
export const encodeSimple = (id: Uint8Array): string => {
  return encodeHyphenated(id).replaceAll("-", "");
};

/** The 16 bytes of 32 hexadecimal digits of either case. */
export const decodeSimple = (text: string): Uint8Array<ArrayBuffer> => {
  checkText(FORM, text);
  const bytes = new Uint8Array(16);
  const fault = readHex(text, 0, false, bytes);
  if (fault >= 0 || text.length !== 32) throw textFault(FORM, 32, "32 hexadecimal digits", text, fault, DIGIT);
  return bytes;
};
