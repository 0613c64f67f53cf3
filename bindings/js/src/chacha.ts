// The keystream of ChaCha20 (RFC 8439 section 2.4) with a nonce of zeros. A general library has four times the size of the rest of keyed prefixes.

const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

const quarter = (s: Int32Array, a: number, b: number, c: number, d: number): void => {
  let [va, vb, vc, vd] = [s[a]!, s[b]!, s[c]!, s[d]!];
  va = (va + vb) | 0;
  vd = rotate(vd ^ va, 16);
  vc = (vc + vd) | 0;
  vb = rotate(vb ^ vc, 12);
  va = (va + vb) | 0;
  vd = rotate(vd ^ va, 8);
  vc = (vc + vd) | 0;
  s[a] = va;
  s[b] = rotate(vb ^ vc, 7);
  s[c] = vc;
  s[d] = vd;
};

/** So many blocks of 16 words, for a key of 32 bytes. */
export const keystream = (key: Uint8Array, blocks: number): Uint32Array => {
  // With a sign: engines compute with these in one register.
  const start = new Int32Array(16);
  start.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  const bytes = new DataView(key.buffer, key.byteOffset, 32);
  for (let i = 0; i < 8; i++) start[4 + i] = bytes.getInt32(4 * i, true);
  const stream = new Uint32Array(16 * blocks);
  const s = new Int32Array(16);
  for (let block = 0; block < blocks; block++) {
    start[12] = block;
    s.set(start);
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 4; i++) quarter(s, i, 4 + i, 8 + i, 12 + i);
      for (let i = 0; i < 4; i++) quarter(s, i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3));
    }
    for (let i = 0; i < 16; i++) stream[16 * block + i] = (s[i]! + start[i]!) | 0;
  }
  return stream;
};
