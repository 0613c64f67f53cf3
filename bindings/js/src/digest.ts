// SHA-256 (RFC 6234), HMAC (RFC 2104) and MD5 (RFC 1321), for keys and for MySQL's weeks. WebCrypto is asynchronous and has no MD5, and a
// general library would take as many bytes as the rest of the package. Neither has a table that is indexed by a secret.

/**
 * The constants of both are the first 32 bits after the point of roots of primes, and of sines. Computed, they take fewer bytes than written down. An
 * engine may compute them inaccurately, by about 10^-15, but none is closer than 10^-12 to a value with other bits.
 */
const bits = (count: number, value: (index: number) => number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, index) => (value(index) % 1) * 2 ** 32);

const PRIMES = /* @__PURE__ */ (() => {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime)) primes.push(n);
  return primes;
})();
const SHA_START = /* @__PURE__ */ bits(8, (i) => Math.sqrt(PRIMES[i]!));
const SHA_ROUNDS = /* @__PURE__ */ bits(64, (i) => Math.cbrt(PRIMES[i]!));
const MD5_START = /* @__PURE__ */ Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
const MD5_ROUNDS = /* @__PURE__ */ bits(64, (i) => Math.abs(Math.sin(i + 1)));

const right = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

/** The message, a bit, zeros, and the length in bits: whole blocks of 64 bytes. */
const padded = (message: Uint8Array, littleEndian: boolean): DataView => {
  const bytes = new Uint8Array(((message.length + 72) >> 6) << 6);
  bytes.set(message);
  bytes[message.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(bytes.length - (littleEndian ? 8 : 4), message.length * 8, littleEndian);
  return view;
};

const output = (state: Uint32Array, littleEndian: boolean): Uint8Array<ArrayBuffer> => {
  const view = new DataView(new ArrayBuffer(4 * state.length));
  state.forEach((word, i) => view.setUint32(4 * i, word, littleEndian));
  return new Uint8Array(view.buffer);
};

/** SHA-256 of a message of less than 2^29 bytes. */
export const sha256 = (message: Uint8Array): Uint8Array<ArrayBuffer> => {
  const state = SHA_START.slice();
  const blocks = padded(message, false);
  const w = new Uint32Array(64);
  for (let block = 0; block < blocks.byteLength; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = blocks.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const [a, b] = [w[i - 15]!, w[i - 2]!];
      w[i] = w[i - 16]! + (right(a, 7) ^ right(a, 18) ^ (a >>> 3)) + w[i - 7]! + (right(b, 17) ^ right(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const first = h + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) + ((e & f) ^ (~e & g)) + SHA_ROUNDS[i]! + w[i]!;
      const second = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = state[i]! + word));
  }
  return output(state, false);
};

/** The left rotations of MD5: four for each of four rounds. */
const MD5_SHIFTS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

/** MD5, which is not for secrets: a formula of MySQL has it. */
export const md5 = (message: Uint8Array): Uint8Array<ArrayBuffer> => {
  const state = MD5_START.slice();
  const blocks = padded(message, true);
  for (let block = 0; block < blocks.byteLength; block += 64) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const mixed = [(b & c) | (~b & d), (d & b) | (~d & c), b ^ c ^ d, c ^ (b | ~d)][round]!;
      const place = [i, 5 * i + 1, 3 * i + 5, 7 * i][round]! & 15;
      const sum = (a + mixed + MD5_ROUNDS[i]! + blocks.getUint32(block + 4 * place, true)) | 0;
      [a, d, c, b] = [d, c, b, (b + right(sum, 32 - MD5_SHIFTS[4 * round + (i & 3)]!)) | 0];
    }
    [a, b, c, d].forEach((word, i) => (state[i] = state[i]! + word));
  }
  return output(state, true);
};

/** HMAC-SHA-256. */
export const hmac = (key: Uint8Array, message: Uint8Array): Uint8Array<ArrayBuffer> => {
  const pad = new Uint8Array(64);
  pad.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined(pad.map((byte) => byte ^ 0x36), message));
  return sha256(joined(pad.map((byte) => byte ^ 0x5c), inner));
};

/** Two pieces of bytes as one. */
export const joined = (a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> => {
  const bytes = new Uint8Array(a.length + b.length);
  bytes.set(a);
  bytes.set(b, a.length);
  return bytes;
};
