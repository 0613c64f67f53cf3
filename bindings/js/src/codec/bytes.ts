import { configError } from "../error.js";

/** Whether a value is a Uint8Array, also one of another window, context or test environment, and a Buffer. */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === "Uint8Array";

/** The type of a value, with the name of its class. */
export const typeName = (value: unknown): string =>
  (typeof value === "object" && value !== null && Object.prototype.toString.call(value).slice(8, -1)) || typeof value;

/** Refuses what is not the 16 bytes of an id. */
export const check16 = (bytes: Uint8Array): void => {
  if (!isBytes(bytes)) throw configError("not the bytes of an id, but of the type", typeName(bytes), "give a Uint8Array of 16 bytes");
  if (bytes.length !== 16) throw configError("not the bytes of an id, but so many:", bytes.length, "give a Uint8Array of 16 bytes");
};

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
