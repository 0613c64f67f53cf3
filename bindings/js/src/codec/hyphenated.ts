import { checkText, textFault } from "../error.js";
import { check16 } from "./bytes.js";
import { HEX, expectedAt, readHex } from "./hex.js";

const FORM = "a hyphenated UUID";

/** The usual text of a UUID, 36 characters in lower case: RFC 9562 section 4. */
export const encodeHyphenated = (id: Uint8Array): string => {
  check16(id);
  return hyphenatedAt(id, 0);
};

/** The 16 bytes of an id from its usual text, 8-4-4-4-12 digits of either case. */
export const decodeHyphenated = (text: string): Uint8Array => {
  checkText(FORM, text);
  const bytes = new Uint8Array(16);
  const fault = readHex(text, 0, true, bytes);
  if (fault >= 0 || text.length !== 36) throw textFault(FORM, 36, "36 characters", text, fault, expectedAt(fault));
  return bytes;
};

/** The text of the 16 bytes from an offset on. @internal */
export const hyphenatedAt = (b: Uint8Array, at: number): string =>
  HEX[b[at]!]! + HEX[b[at + 1]!]! + HEX[b[at + 2]!]! + HEX[b[at + 3]!]! + "-" +
  HEX[b[at + 4]!]! + HEX[b[at + 5]!]! + "-" + HEX[b[at + 6]!]! + HEX[b[at + 7]!]! + "-" +
  HEX[b[at + 8]!]! + HEX[b[at + 9]!]! + "-" +
  HEX[b[at + 10]!]! + HEX[b[at + 11]!]! + HEX[b[at + 12]!]! + HEX[b[at + 13]!]! + HEX[b[at + 14]!]! + HEX[b[at + 15]!]!;
