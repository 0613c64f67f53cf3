// Prefixes and tags as OpenSSL computes them, which Node has.

import assert from "node:assert/strict";
import { createCipheriv, createHash, createHmac, randomBytes, randomInt } from "node:crypto";
import { test } from "node:test";
import { PrefixKey, md5WeekPrefix } from "../dist/prefixed.js";

const ROUND = 65_536;

const hmac = (key, ...parts) => {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(part);
  return mac.digest();
};

const keyOf = (secret, writer) => {
  const key = hmac(secret, "idgen prefix 2");
  return writer === undefined ? key : hmac(key, "writer ", writer);
};

/** All prefixes of a round, in the order of its intervals: where the whole shuffle moves each of them. */
const shuffled = (key, round) => {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(round));
  const cipher = createCipheriv("chacha20", hmac(key, "round ", number), Buffer.alloc(16));
  const stream = cipher.update(Buffer.alloc(8 * ROUND));
  const intervals = Array.from({ length: ROUND }, (_, i) => i);
  for (let last = ROUND - 1, at = 0; last > 0; last--, at += 8) {
    const other = Number((stream.readBigUInt64LE(at) * BigInt(last + 1)) >> 64n);
    [intervals[last], intervals[other]] = [intervals[other], intervals[last]];
  }
  const prefixes = [];
  intervals.forEach((interval, prefix) => (prefixes[interval] = prefix));
  return prefixes;
};

test("keyed prefixes, of secrets of all lengths around a block of the hash", () => {
  for (const length of [16, 31, 32, 63, 64, 65, 200]) {
    const secret = randomBytes(length);
    const writer = length % 2 ? `écrivain ${length}` : undefined;
    const round = randomInt(-3, 1_000);
    const prefixes = shuffled(keyOf(secret, writer), round);
    const key = new PrefixKey(secret, writer);
    for (const place of [0, ROUND - 1, ...Array.from({ length: 20 }, () => randomInt(ROUND))]) {
      assert.equal(key.prefix(round * ROUND + place), prefixes[place], `place ${place} of round ${round}`);
    }
  }
});

test("tags of writers", () => {
  for (let i = 0; i < 100; i++) {
    const [secret, writer, prefix] = [randomBytes(16 + i), "w".repeat(i), randomInt(ROUND)];
    const mac = hmac(keyOf(secret, writer), "tag ", Buffer.of(prefix >> 8, prefix & 0xff));
    assert.equal(new PrefixKey(secret, writer).writerTag(prefix), mac.readUInt16BE() >> 4);
  }
});

test("MD5 of weeks", () => {
  for (let year = 1970; year < 2100; year++) {
    for (let week = 0; week < 54; week++) {
      const digest = createHash("md5").update(`${year}${week}`).digest();
      assert.equal(md5WeekPrefix(year, week), digest.readUInt16BE());
    }
  }
});
