// 26 characters of 5 bits, padded at the end as in RFC 4648. The text of a ULID, base32, is padded at the beginning.

import { checkText, parseError, textFault } from "../error.js";
import { check16 } from "./bytes.js";

const LENGTH = 26;

interface Alphabet {
  form: string;
  expected: string;
  digits: string;
}

const HEX: Alphabet = { form: "a base32hex UUID", expected: "one of 0-9 A-V", digits: "0123456789ABCDEFGHIJKLMNOPQRSTUV" };
const HUMAN: Alphabet = {
  form: "a Base32-for-Humans UUID",
  expected: "a Crockford base32 digit (0-9 and A-Z but I L O U)",
  digits: "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
};

const encode = ({ digits }: Alphabet, id: Uint8Array): string => {
  check16(id);
  let text = "";
  let bits = 0;
  let count = 0;
  for (let i = 0; i < 16; i++) {
    bits = ((bits << 8) | id[i]!) & 0xfff;
    for (count += 8; count >= 5; count -= 5) text += digits[(bits >> (count - 5)) & 31]!;
  }
  return text + digits[(bits << 2) & 31]!;
};

const decode = ({ form, expected, digits }: Alphabet, text: string): Uint8Array<ArrayBuffer> => {
  checkText(form, text);
  const bytes = new Uint8Array(16);
  let bits = 0;
  let count = 0;
  let fault = -1;
  let at = 0;
  for (let i = 0; i < LENGTH && i < text.length && fault < 0; i++) {
    // Some other letters have these digits as their upper case.
    const value = text.charCodeAt(i) < 128 ? digits.indexOf(text[i]!.toUpperCase()) : -1;
    if (value < 0) fault = i;
    bits = ((bits << 5) | value) & 0xfff;
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes[at++] = bits >> count;
    }
  }
  if (fault >= 0 || text.length !== LENGTH) {
    throw textFault(form, LENGTH, "26 characters, without padding", text, fault, expected);
  }
  if ((bits & 3) !== 0) {
    const problem = "the character at offset 25 carries bits beyond the id, which no encoder sets";
    throw parseError(form, problem, text, LENGTH - 1);
  }
  return bytes;
};

/**
 * base32hex of RFC 4648, 26 characters without padding: PostgreSQL's `rtrim(encode(uuid_send(id), 'base32hex'), '=')`, from version 19 on. The
 * texts sort like the bytes. A text of 26 characters is detected as base32, so this format has to be named.
 */
export const encodeBase32hex = (id: Uint8Array): string => encode(HEX, id);
/** The 16 bytes of 26 digits of base32hex, of either case. */
export const decodeBase32hex = (text: string): Uint8Array<ArrayBuffer> => decode(HEX, text);

/**
 * "Base32 for Humans" (draft-crockford-davis-base32-for-humans), 26 characters: the digits of base32, but another text for the same id, because the
 * padding is at the end. The texts sort like the bytes. This format has to be named, too.
 */
export const encodeBase32human = (id: Uint8Array): string => encode(HUMAN, id);
/** The 16 bytes of 26 digits of either case. The draft lets decoders read I, L and O, and skip hyphens; this one refuses them. */
export const decodeBase32human = (text: string): Uint8Array<ArrayBuffer> => decode(HUMAN, text);
