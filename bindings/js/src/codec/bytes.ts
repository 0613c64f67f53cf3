import { configError } from "../error.js";

/** Refuses what is not the 16 bytes of an id. */
export const check16 = (bytes: Uint8Array): void => {
  if (!(bytes instanceof Uint8Array) || bytes.length !== 16) {
    throw configError("not the bytes of an id, but", bytes?.length ?? typeof bytes, "give a Uint8Array of 16 bytes");
  }
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
