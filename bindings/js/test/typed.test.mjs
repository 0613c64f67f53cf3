// Ids with a type, sealed integers, and the functions under the names of the package `uuid`.

import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { FF1 } from "@noble/ciphers/ff1.js";
import * as uuid from "uuid";
import { IdError, decodeHyphenated, inspect, ulid, v1, v4, v6, v7 } from "../dist/index.js";
import { SealKey, TypeSeal } from "../dist/seal.js";
import { decodeTyped, encodeTyped, idType } from "../dist/typed.js";
import * as own from "../dist/uuid.js";

test("typed ids are those of their type only", () => {
  const User = idType("user");
  const id = User.next();
  assert.match(id, /^user_[0-9a-z]{26}$/);
  assert.equal(inspect(User.uuid(id)).version, 7);
  assert.equal(User.of(User.uuid(id)), id);
  assert.equal(User.parse(id), id);
  assert.equal(idType("").of("01890a5d-ac96-774b-bcce-b302099a8057"), "01h455vb4pex5vsknk084sn02q");
  for (const wrong of ["order_01h455vb4pex5vsknk084sn02q", "user_01H455vb4pex5vsknk084sn02q", "user_", "", undefined]) {
    assert.equal(User.is(wrong), false);
    assert.throws(() => User.parse(wrong), (error) => error instanceof IdError && error.code === "parse");
  }
  assert.ok(User.is(id) && !idType("users").is(id));
});

test("errors of typed ids name the character and its place", () => {
  const failure = (call) => {
    try {
      call();
    } catch ({ message, offset }) {
      return [message, offset];
    }
  };
  const [message, offset] = failure(() => decodeTyped("user_01h455vb4pexivsknk084sn02q"));
  assert.match(message, /found 'i' at offset 17/);
  assert.equal(offset, 17);
  assert.match(failure(() => idType("User"))[0], /found 'U' at offset 0/);
  assert.match(failure(() => idType("a".repeat(64)))[0], /at most 63 characters, found 64/);
  assert.match(failure(() => idType("user").parse("order_01h455vb4pex5vsknk084sn02q"))[0], /not an id with the prefix "user"/);
});

test("sealed integers are those of another FF1", () => {
  const bits = (id) => {
    const all = [...decodeHyphenated(id)].flatMap((byte) => [...byte.toString(2).padStart(8, "0")].map(Number));
    return [...all.slice(0, 48), ...all.slice(52, 64), ...all.slice(66)];
  };
  for (let i = 0; i < 20; i++) {
    const secret = randomBytes(16 + i);
    const number = randomBytes(8).readBigUInt64BE();
    const types = createHmac("sha256", secret).update("idgen seal type 1").digest();
    const key = createHmac("sha256", types).update("int user").digest();
    const plain = [...number.toString(2).padStart(64, "0").padEnd(122, "0")].map(Number);
    const seal = new TypeSeal("user", new SealKey(secret));
    const sealed = seal.sealInt(number);
    assert.deepEqual(bits(sealed), [...FF1(2, key, new Uint8Array(0)).encrypt(plain)]);
    assert.equal(inspect(sealed).version, 8);
    assert.equal(seal.openInt(sealed), number);
    assert.equal(decodeTyped(encodeTyped("user", sealed)).id, sealed);
    assert.throws(() => new TypeSeal("order", new SealKey(secret)).openInt(sealed), IdError);
  }
  const seal = new TypeSeal("user", new SealKey(randomBytes(16)));
  assert.equal(seal.openInt(seal.sealInt(42)), 42n);
  for (const wrong of [-1, 1.5, 2 ** 53, -1n, 1n << 64n, "42", undefined]) assert.throws(() => seal.sealInt(wrong), IdError);
});

test("versions 3, 5 and 8, and the other names, agree with the package uuid", () => {
  for (const name of ["", "python.org", "www.example.com", "gr\u00fc\u00dfe \u{1f600}", Uint8Array.of(0, 255)]) {
    for (const space of ["DNS", "URL"]) {
      assert.equal(own.v5(name, own.v5[space]), uuid.v5(name, uuid.v5[space]));
      assert.equal(own.v3(name, own.v3[space]), uuid.v3(name, uuid.v3[space]));
    }
  }
  assert.equal(own.v5("python.org", own.v5.DNS), "886313e1-3b8a-5372-9b90-0c9aee199e5d");
  assert.equal(own.v8(Uint8Array.from({ length: 16 }, (_, i) => 17 * i)), "00112233-4455-8677-8899-aabbccddeeff");
  assert.deepEqual([own.NIL, own.MAX], [uuid.NIL, uuid.MAX]);
  for (const text of [own.NIL, own.MAX, v1(), v4(), v6(), v7(), "nope", v4().replace(/.$/, "g"), "017f22e2-79b0-0cc3-98c4-dc0c0c07398f", 7]) {
    assert.equal(own.validate(text), uuid.validate(text), text);
    if (!own.validate(text)) continue;
    assert.equal(own.version(text), uuid.version(text));
    assert.deepEqual(own.parse(text), uuid.parse(text));
    assert.equal(own.stringify(own.parse(text)), text);
  }
  for (const call of [() => own.v5("a", "no namespace"), () => own.v5(own.v5.DNS), () => own.v5(7, own.v5.DNS), () => own.v8(new Uint8Array(15))]) {
    assert.throws(call, IdError);
  }
});

test("options of the one-line functions are refused, and arguments of callbacks are not", () => {
  for (const [make, options] of [[v7, { msecs: 0 }], [v4, { random: new Uint8Array(16) }], [v1, {}], [v6, { node: [] }], [ulid, {}]]) {
    assert.throws(() => make(options), /this function has no options/);
    assert.equal([{}, {}].map(make).length, 2);
  }
});
