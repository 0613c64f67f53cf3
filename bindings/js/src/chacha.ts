// The keystream of ChaCha20 (RFC 8439 section 2.4) with a nonce of zeros. A general library has four times the size of the rest of keyed prefixes.

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

const quarter = (s: Uint32Array, a: number, b: number, c: number, d: number): void => {
  s[a] = s[a]! + s[b]!;
  s[d] = rotate(s[d]! ^ s[a]!, 16);
  s[c] = s[c]! + s[d]!;
  s[b] = rotate(s[b]! ^ s[c]!, 12);
  s[a] = s[a]! + s[b]!;
  s[d] = rotate(s[d]! ^ s[a]!, 8);
  s[c] = s[c]! + s[d]!;
  s[b] = rotate(s[b]! ^ s[c]!, 7);
};

/** So many blocks of 16 words, for a key of 32 bytes. */
export const keystream = (key: Uint8Array, blocks: number): Uint32Array => {
  const start = new Uint32Array(16);
  start.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  const bytes = new DataView(key.buffer, key.byteOffset, 32);
  for (let i = 0; i < 8; i++) start[4 + i] = bytes.getUint32(4 * i, true);
  const stream = new Uint32Array(16 * blocks);
  const s = new Uint32Array(16);
  for (let block = 0; block < blocks; block++) {
    start[12] = block;
    s.set(start);
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 4; i++) quarter(s, i, 4 + i, 8 + i, 12 + i);
      for (let i = 0; i < 4; i++) quarter(s, i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3));
    }
    for (let i = 0; i < 16; i++) stream[16 * block + i] = s[i]! + start[i]!;
  }
  return stream;
};
