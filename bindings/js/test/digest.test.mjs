// Our own hashes against those of OpenSSL, which Node has.

import assert from "node:assert/strict";
import { createCipheriv, createHash, createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { build } from "esbuild";

/** A module that no entry point exports. */
const load = async (name) => {
  const { outputFiles } = await build({ entryPoints: [`src/${name}.ts`], bundle: true, write: false, format: "esm" });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
};

const { hmac, md5, sha256 } = await load("digest");
const { keystream } = await load("chacha");
const hex = (bytes) => Buffer.from(bytes).toString("hex");

test("SHA-256, MD5 and HMAC of every length over three blocks", () => {
  for (let length = 0; length <= 200; length++) {
    const [message, key] = [randomBytes(length), randomBytes(200 - length)];
    assert.equal(hex(sha256(message)), createHash("sha256").update(message).digest("hex"));
    assert.equal(hex(md5(message)), createHash("md5").update(message).digest("hex"));
    assert.equal(hex(hmac(key, message)), createHmac("sha256", key).update(message).digest("hex"));
  }
});

test("the keystream of ChaCha20", () => {
  for (let i = 0; i < 20; i++) {
    const key = randomBytes(32);
    const expected = createCipheriv("chacha20", key, Buffer.alloc(16)).update(Buffer.alloc(64 * 100));
    assert.equal(hex(new Uint8Array(keystream(key, 100).buffer)), hex(expected));
  }
});
