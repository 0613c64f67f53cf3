import { checkText, textFault } from "../error.js";
import { check16 } from "./bytes.js";
import { FIRST, SECOND, expectedAt, readHex } from "./hex.js";

const FORM = "a hyphenated UUID";

/** The usual text of a UUID, 36 characters in lower case: RFC 9562 section 4. */
export const encodeHyphenated = (id: Uint8Array): string => {
  check16(id);
  return hyphenatedAt(id, 0);
};

/** The 16 bytes of an id from its usual text, 8-4-4-4-12 digits of either case. */
export const decodeHyphenated = (text: string): Uint8Array<ArrayBuffer> => {
  checkText(FORM, text);
  const bytes = new Uint8Array(16);
  const fault = readHex(text, 0, true, bytes);
  if (fault >= 0 || text.length !== 36) throw textFault(FORM, 36, "36 characters", text, fault, expectedAt(fault));
  return bytes;
};

/**
 * The text of the 16 bytes from an offset on. One call returns a flat text: concatenation builds a tree, which engines flatten when the text is
 * read.
 *
 * @internal
 */
export const hyphenatedAt = (b: Uint8Array, at: number): string =>
  String.fromCharCode(
    FIRST[b[at]!]!, SECOND[b[at]!]!,
    FIRST[b[at + 1]!]!, SECOND[b[at + 1]!]!,
    FIRST[b[at + 2]!]!, SECOND[b[at + 2]!]!,
    FIRST[b[at + 3]!]!, SECOND[b[at + 3]!]!,
    45,
    FIRST[b[at + 4]!]!, SECOND[b[at + 4]!]!,
    FIRST[b[at + 5]!]!, SECOND[b[at + 5]!]!,
    45,
    FIRST[b[at + 6]!]!, SECOND[b[at + 6]!]!,
    FIRST[b[at + 7]!]!, SECOND[b[at + 7]!]!,
    45,
    FIRST[b[at + 8]!]!, SECOND[b[at + 8]!]!,
    FIRST[b[at + 9]!]!, SECOND[b[at + 9]!]!,
    45,
    FIRST[b[at + 10]!]!, SECOND[b[at + 10]!]!,
    FIRST[b[at + 11]!]!, SECOND[b[at + 11]!]!,
    FIRST[b[at + 12]!]!, SECOND[b[at + 12]!]!,
    FIRST[b[at + 13]!]!, SECOND[b[at + 13]!]!,
    FIRST[b[at + 14]!]!, SECOND[b[at + 14]!]!,
    FIRST[b[at + 15]!]!, SECOND[b[at + 15]!]!,
  );
