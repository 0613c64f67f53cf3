import { configError, parseError } from "../error.js";

/** Whether a value is a Uint8Array, also one of another window, context or test environment, and a Buffer. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";

/** Whether the memory of an array was transferred, as by `postMessage`, or taken away: it has no bytes any more. */
export const isDetached = (bytes: Uint8Array): boolean => {
  if (bytes.byteLength > 0) return false;
  try {
    new Uint8Array(bytes.buffer, bytes.byteOffset);
    return false;
  } catch {
    return true;
  }
};

/** The type of a value, with the name of its class. */
export const typeName = (value: unknown): string =>
  (typeof value === "object" && value !== null && Object.prototype.toString.call(value).slice(8, -1)) || typeof value;

/** The bytes of a text in UTF-8. A surrogate that is alone has none: all of them would be one replacement character, so two texts would be the same. */
export const utf8Of = (what: string, text: string): Uint8Array<ArrayBuffer> => {
  if (/\p{Surrogate}/u.test(text)) throw configError(`${what} has half of a character:`, text, "give a text that UTF-8 can hold");
  return Uint8Array.from(new TextEncoder().encode(text));
};

/** Refuses what is not a number of 64 bits. */
export const check64 = (number: bigint): void => {
  if (typeof number !== "bigint" || number < 0n || number >> 64n) {
    throw configError("no number of 64 bits:", number, "give a bigint from 0 to 2^64 - 1");
  }
};

/** Refuses what is not the 16 bytes of an id. */
export const check16 = (bytes: Uint8Array): void => {
  if (!isBytes(bytes)) throw configError("not the bytes of an id, but of the type", typeName(bytes), "give a Uint8Array of 16 bytes");
  if (bytes.length !== 16) throw configError("not the bytes of an id, but so many:", bytes.length, "give a Uint8Array of 16 bytes");
};

/** Refuses what cannot be an id in a binary form. */
export const checkStored = (form: string, bytes: Uint8Array): void => {
  if (!isBytes(bytes)) throw parseError(form, `expected a Uint8Array, found ${typeName(bytes)}`, typeName(bytes));
  if (bytes.length !== 16) throw parseError(form, `expected 16 bytes, found ${bytes.length}`, bytes);
};

/** The bytes in another order: for each place the place from which its byte comes. The last places may be missing, and stay. */
export const reorder = (bytes: Uint8Array, order: readonly number[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: 16 }, (_, i) => bytes[order[i] ?? i]!);

/** The big-endian number in 16 bytes. */
export const toNumber = (bytes: Uint8Array): bigint => {
  let number = 0n;
  for (let i = 0; i < 16; i += 4) {
    const word = ((bytes[i]! << 24) | (bytes[i + 1]! << 16) | (bytes[i + 2]! << 8) | bytes[i + 3]!) >>> 0;
    number = (number << 32n) | BigInt(word);
  }
  return number;
};

/** The 16 bytes of a number below 2^128. */
export const fromNumber = (number: bigint): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(16);
  for (let i = 15; i >= 0; i--) {
    bytes[i] = Number(number & 0xffn);
    number >>= 8n;
  }
  return bytes;
};
