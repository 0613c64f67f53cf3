// SHA-256 (RFC 6234), HMAC (RFC 2104) and MD5 (RFC 1321), for keys and for MySQL's weeks. WebCrypto is asynchronous and has no MD5, and a
// general library would take as many bytes as the rest of the package. Neither has a table that is indexed by a secret.

const words = (hex: string): Uint32Array => Uint32Array.from(hex.match(/.{8}/g)!, (word) => parseInt(word, 16));

const SHA_START = /* @__PURE__ */ words("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19");
const SHA_ROUNDS = /* @__PURE__ */ words(
  "428a2f9871374491b5c0fbcfe9b5dba53956c25b59f111f1923f82a4ab1c5ed5d807aa9812835b01243185be550c7dc372be5d7480deb1fe" +
  "9bdc06a7c19bf174e49b69c1efbe47860fc19dc6240ca1cc2de92c6f4a7484aa5cb0a9dc76f988da983e5152a831c66db00327c8bf597fc7" +
  "c6e00bf3d5a7914706ca63511429296727b70a852e1b21384d2c6dfc53380d13650a7354766a0abb81c2c92e92722c85a2bfe8a1a81a664b" +
  "c24b8b70c76c51a3d192e819d6990624f40e3585106aa07019a4c1161e376c082748774c34b0bcb5391c0cb34ed8aa4a5b9cca4f682e6ff3" +
  "748f82ee78a5636f84c878148cc7020890befffaa4506cebbef9a3f7c67178f2",
);
const MD5_START = /* @__PURE__ */ words("67452301efcdab8998badcfe10325476");
const MD5_ROUNDS = /* @__PURE__ */ words(
  "d76aa478e8c7b756242070dbc1bdceeef57c0faf4787c62aa8304613fd469501698098d88b44f7afffff5bb1895cd7be6b901122fd987193" +
  "a679438e49b40821f61e2562c040b340265e5a51e9b6c7aad62f105d02441453d8a1e681e7d3fbc821e1cde6c33707d6f4d50d87455a14ed" +
  "a9e3e905fcefa3f8676f02d98d2a4c8afffa39428771f6816d9d6122fde5380ca4beea444bdecfa9f6bb4b60bebfbc70289b7ec6eaa127fa" +
  "d4ef308504881d05d9d4d039e6db99e51fa27cf8c4ac5665f4292244432aff97ab9423a7fc93a039655b59c38f0ccc92ffeff47d85845dd1" +
  "6fa87e4ffe2ce6e0a30143144e0811a1f7537e82bd3af2352ad7d2bbeb86d391",
);

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
