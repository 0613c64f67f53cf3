// Seals as the FF1 of @noble/ciphers computes them: slowly, digit by digit, for any radix.

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { FF1 } from "@noble/ciphers/ff1.js";
import { decodeHyphenated, v7 } from "../dist/index.js";
import { SealKey } from "../dist/seal.js";

/** The 122 bits besides version and variant, as digits of radix 2. */
const freeBits = (id) => {
  const bits = [...decodeHyphenated(id)].flatMap((byte) => [...byte.toString(2).padStart(8, "0")].map(Number));
  return [...bits.slice(0, 48), ...bits.slice(52, 64), ...bits.slice(66)];
};

test("sealed ids are those of another FF1", () => {
  for (let i = 0; i < 50; i++) {
    const secret = randomBytes(16 + i);
    const key = createHmac("sha256", secret).update("idgen seal 1").digest();
    const reference = FF1(2, key, new Uint8Array(0));
    const id = v7();
    const sealed = new SealKey(secret).seal(id);
    assert.deepEqual(freeBits(sealed), [...reference.encrypt(freeBits(id))]);
    assert.deepEqual(freeBits(id), [...reference.decrypt(freeBits(sealed))]);
  }
});
