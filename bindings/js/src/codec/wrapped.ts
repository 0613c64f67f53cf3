// The usual text with a fixed part around it: URNs, and Microsoft's GUIDs in braces.

import { checkText, textFault } from "../error.js";
import { encodeHyphenated } from "./hyphenated.js";
import { expectedAt, readHex } from "./hex.js";

const decode = (form: string, text: string, before: string, after: string, expected: [string, string]): Uint8Array<ArrayBuffer> => {
  checkText(form, text);
  const length = before.length + 36 + after.length;
  const fail = (offset: number, wanted: string) => textFault(form, length, `${length} characters`, text, offset, wanted);
  for (let i = 0; i < before.length; i++) if (text[i]?.toLowerCase() !== before[i]) throw fail(i, expected[0]);
  const bytes = new Uint8Array(16);
  const fault = readHex(text, before.length, true, bytes);
  if (fault >= 0) throw fail(fault, expectedAt(fault - before.length));
  const end = before.length + 36;
  if (text.slice(end) !== after) throw fail(text.length === length ? end : -1, expected[1]);
  return bytes;
};

/** A URN, 45 characters: `urn:uuid:` and the usual text (RFC 9562 section 4). */
export const encodeUrn = (id: Uint8Array): string => "urn:uuid:" + encodeHyphenated(id);

/** The 16 bytes of an id from a URN: prefix and digits of either case (RFC 8141 section 3.1). */
export const decodeUrn = (text: string): Uint8Array<ArrayBuffer> =>
  decode("a UUID as URN", text, "urn:uuid:", "", ["the prefix urn:uuid:", ""]);

/** The usual text in braces, 38 characters. */
export const encodeBraced = (id: Uint8Array): string => `{${encodeHyphenated(id)}}`;

/** The 16 bytes of an id from its text in braces, with digits of either case. */
export const decodeBraced = (text: string): Uint8Array<ArrayBuffer> =>
  decode("a braced UUID", text, "{", "}", ["an opening brace", "a closing brace"]);
