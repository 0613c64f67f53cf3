// The vectors that all implementations share.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as idgen from "../dist/index.js";
import { formatState, parseState } from "../dist/node.js";
import { bounds, shortBounds } from "../dist/bounds.js";
import * as orders from "../dist/orders.js";
import { PrefixKey, inspectKeyed, prefixedBounds } from "../dist/prefixed.js";
import { foreignNumbers, foreignTexts } from "../dist/foreign.js";
import { SealKey, SealRing, TypeSeal } from "../dist/seal.js";
import { decodeTyped, encodeTyped } from "../dist/typed.js";
import { leaseOf, outcome, prefixedSettings, renamed, replay, unhex, vectors } from "./vectors.mjs";

const hex = (bytes) => Buffer.from(bytes).toString("hex");
const { decodeHyphenated, encodeHyphenated } = idgen;

/** What a call throws. */
const failure = (call) => {
  const thrown = outcome(call);
  assert.ok(thrown?.code, "no error");
  return thrown;
};

for (const [number, vector] of vectors("generators.json").generators.entries()) {
  // The ids of a server's UUID_SHORT() have no place in an app.
  if (vector.kind === "mysql-short") continue;
  test(`generator ${number}: ${vector.kind}, ${vector.name}`, () => {
    assert.deepEqual(replay(vector), vector.steps);
  });
}

for (const vector of vectors("leases.json").generators) {
  test(`lease: ${vector.name}`, () => {
    assert.deepEqual(replay(vector), vector.steps);
  });
}

test("leases, at their boundary seconds", () => {
  for (const { first_sec: first, last_sec: last, error, message, ...given } of vectors("leases.json").leases) {
    const lease = leaseOf(given);
    const at = (sec, ms) => outcome(() => new idgen.Short({ lease, clock: { now: () => sec * 1_000 + ms } }).next());
    if (error) {
      for (const call of [() => new idgen.Short({ lease }), () => new idgen.Short().setLease(lease)]) {
        assert.deepEqual(failure(call), { code: error, message, offset: null });
      }
      continue;
    }
    for (const id of [at(first, 0), at(last, 999)]) assert.equal(idgen.shortFields(id).node, given.number);
    for (const [sec, ms] of [[first - 1, 999], [last + 1, 0]]) {
      if (sec > 0 && sec < 2 ** 32) assert.equal(at(sec, ms).code, "outside-lease");
    }
  }
});

test("ids in all formats", () => {
  for (const { binary, swapped, ...texts } of vectors("codecs.json").ids) {
    const id = unhex(binary);
    assert.equal(hex(idgen.encodeSwapped(id)), swapped);
    assert.deepEqual(idgen.decodeSwapped(unhex(swapped)), id);
    for (const [format, text] of Object.entries(texts)) {
      assert.equal(idgen.encode(format, id), text);
      assert.deepEqual(idgen.decode(format, text), id, text);
    }
  }
});

test("accepted, refused and detected texts", () => {
  const { accepted, refused, detected } = vectors("codecs.json");
  for (const { format, text, id } of accepted) assert.equal(encodeHyphenated(idgen.decode(format, text)), id);
  for (const { format, text, offset, message } of refused) {
    assert.deepEqual(failure(() => idgen.decode(format, text)), { code: "parse", message, offset });
  }
  for (const { text, format, id, offset, message } of detected) {
    if (message === undefined) {
      assert.deepEqual(idgen.decodeAny(text), { format, id: decodeHyphenated(id) });
    } else {
      assert.deepEqual(failure(() => idgen.decodeAny(text)), { code: "parse", message, offset });
    }
  }
});

test("encodings of RFC 4648, the ULID specification and drafts", () => {
  const { valid, invalid } = vectors("encodings.json");
  // The drafts' name for the format that is ordered64 here.
  const named = (format) => (format === "base64sort" ? "ordered64" : format);
  for (const { section, uuid, ...texts } of valid) {
    for (const [format, text] of Object.entries(texts)) {
      assert.equal(idgen.encode(named(format), decodeHyphenated(uuid)), text, `${section} ${format}`);
      assert.equal(encodeHyphenated(idgen.decode(named(format), text)), uuid, `${section} ${format}`);
    }
  }
  for (const { format, text, offset } of invalid) {
    const thrown = failure(() => idgen.decode(named(format), text));
    assert.deepEqual([thrown.code, thrown.offset], ["parse", offset ?? null], `${format} ${text}`);
  }
});

test("byte orders of other systems", () => {
  const names = { guid: "Guid", java_legacy: "JavaLegacy", timeuuid: "Timeuuid" };
  for (const vector of vectors("orders.json").orders) {
    const id = decodeHyphenated(vector.uuid);
    for (const [field, name] of Object.entries(names)) {
      const [encode, decode] = [orders[`encode${name}`], orders[`decode${name}`]];
      // Cassandra refuses other versions than 1 in this column.
      if (vector[field] !== null) assert.equal(hex(encode(id)), vector[field], `${field} ${vector.uuid}`);
      assert.deepEqual(decode(encode(id)), id);
    }
  }
  for (const bad of [new Uint8Array(15), "x".repeat(16), new Uint16Array(16), null]) {
    for (const name of Object.values(names)) {
      assert.equal(failure(() => orders[`encode${name}`](bad)).code, "config");
      assert.equal(failure(() => orders[`decode${name}`](bad)).code, "parse");
    }
  }
});

test("decimal texts of 64-bit ids", () => {
  for (const { text, device, offset, message } of vectors("codecs.json").short) {
    if (message !== undefined) {
      assert.deepEqual(failure(() => idgen.parseShort(text)), { code: "parse", message, offset });
      continue;
    }
    const { unix_secs: unixSecs, node, counter } = device;
    assert.deepEqual(idgen.shortFields(idgen.parseShort(text)), { unixSecs, node, counter });
  }
});

test("inspections", () => {
  const { inspections, keyed } = vectors("inspections.json");
  for (const { text, error, message, ...fields } of inspections) {
    if (error) assert.equal(failure(() => idgen.inspect(text)).message, message);
    else assert.deepEqual(renamed(idgen.inspect(text)), fields);
  }
  for (const { text, interval, named, error, message, ...fields } of keyed) {
    if (error) assert.equal(failure(() => inspectKeyed(text, interval, { named })).message, message);
    else assert.deepEqual(renamed(inspectKeyed(text, interval, { named })), fields, text);
  }
});

const checkAnswers = (key, answers) => {
  for (const { do: call, id, sealed, error, message } of answers) {
    const given = call === "seal" ? id : sealed;
    if (error) {
      const { code, message: said } = failure(() => key[call](given));
      assert.deepEqual({ code, said }, { code: error, said: message });
      continue;
    }
    assert.equal(key[call](given), call === "seal" ? sealed : id);
    assert.equal(key.open(sealed), id);
  }
};

test("sealed ids", () => {
  const { keys, rings } = vectors("seals.json");
  for (const { secret, message, answers } of keys) {
    if (message) assert.equal(failure(() => new SealKey(unhex(secret))).message, message);
    else checkAnswers(new SealKey(unhex(secret)), answers);
  }
  for (const { secrets, from_unix_ms: from, message, answers } of rings) {
    const [first, ...later] = secrets.map((secret) => new SealKey(unhex(secret)));
    const ring = () => new SealRing(first, from.map((ms, i) => [ms, later[i]]));
    if (message) assert.equal(failure(ring).message, message);
    else checkAnswers(ring(), answers);
  }
});

test("sealed ids of types", () => {
  for (const { prefix, secrets, from_unix_ms: from, message, answers } of vectors("seals.json").types) {
    const [first, ...later] = secrets.map((secret) => new SealKey(unhex(secret)));
    const ring = new SealRing(first, from.map((ms, i) => [ms, later[i]]));
    if (message) {
      assert.equal(failure(() => new TypeSeal(prefix, ring)).message, message);
      continue;
    }
    const seal = new TypeSeal(prefix, ring);
    for (const { do: call, int, sealed, text, error, message } of answers.filter(({ do: call }) => call.endsWith("_int"))) {
      if (call === "seal_int") {
        assert.equal(seal.sealInt(BigInt(int)), sealed);
        assert.equal(encodeTyped(prefix, sealed), text);
      } else if (error) {
        const { code, message: said } = failure(() => seal.openInt(sealed));
        assert.deepEqual({ code, said }, { code: error, said: message });
      } else {
        assert.equal(seal.openInt(sealed), BigInt(int));
      }
    }
    checkAnswers(seal, answers.filter(({ do: call }) => !call.endsWith("_int")));
  }
});

test("the published cases of TypeID", () => {
  const { valid, invalid } = vectors("typeid.json");
  for (const { typeid, prefix, uuid } of valid) {
    assert.deepEqual(decodeTyped(typeid), { prefix, id: uuid });
    assert.equal(encodeTyped(prefix, uuid), typeid);
  }
  for (const { typeid } of invalid) assert.equal(failure(() => decodeTyped(typeid)).code, "parse", typeid);
});

test("ids of other generators", () => {
  const { foreign_texts, foreign_numbers } = vectors("inspections.json");
  for (const { text, readings } of foreign_texts) assert.deepEqual(foreignTexts(text), readings, text);
  for (const { number, now, readings } of foreign_numbers) {
    assert.deepEqual(foreignNumbers(BigInt(number), Date.parse(now)), readings, number);
  }
});

test("the bounds of times", () => {
  const { bounds: single, prefixed } = vectors("bounds.json");
  const check = (vector, call) => {
    const { error, message } = vector;
    if (!error) return false;
    const { code, message: said } = failure(call);
    assert.deepEqual({ code, said }, { code: error, said: message });
    return true;
  };
  for (const vector of single) {
    const { kind, settings, start, end, first, last } = vector;
    // The ids of a server's UUID_SHORT() have no place in an app.
    if (kind === "mysql-short") continue;
    const call = () => (kind === "short" ? shortBounds(BigInt(start), BigInt(end)) : bounds(kind, BigInt(start), BigInt(end), settings));
    if (check(vector, call)) continue;
    const found = call();
    assert.deepEqual([String(found.first), String(found.last)], [first, last], JSON.stringify(vector));
    if (BigInt(end) - BigInt(start) === 1n) {
      assert.deepEqual(kind === "short" ? shortBounds(BigInt(start)) : bounds(kind, BigInt(start), undefined, settings), found);
    }
  }
  for (const vector of prefixed) {
    const call = () => [...prefixedBounds(prefixedSettings(vector.settings), BigInt(vector.start), BigInt(vector.end))];
    if (check(vector, call)) continue;
    assert.deepEqual(call().map(({ first, last }) => [first, last]), vector.ranges, JSON.stringify(vector.settings));
  }
});

test("state files", () => {
  const { written, damaged } = vectors("states.json");
  for (const { text, kind, position, node } of written) {
    const saved = { kind, position: BigInt(position), node: node ?? undefined };
    assert.equal(formatState(saved), text);
    assert.deepEqual(parseState(text), saved);
  }
  for (const { text } of damaged) assert.equal(parseState(text), undefined, text);
});

test("keyed prefixes of the reference implementation", () => {
  const { keyed_prefix, writer_tag } = vectors("prefixed.json");
  const key = ({ secret, writer }) => new PrefixKey(new TextEncoder().encode(secret), writer ?? undefined);
  for (const vector of keyed_prefix) assert.equal(key(vector).prefix(vector.number), vector.prefix);
  for (const vector of writer_tag) assert.equal(key(vector).writerTag(vector.prefix), vector.tag);
});

test("the examples of RFC 9562", () => {
  for (const { uuid, version, utc, node, clock_sequence } of vectors("rfc9562.json").vectors) {
    const seen = idgen.inspect(uuid);
    assert.equal(seen.version, version);
    if (utc) assert.equal(seen.time, utc);
    if (version === 1 || version === 6) assert.deepEqual([seen.node, seen.clockSequence], [node, clock_sequence]);
  }
});

test("the functions of MySQL", () => {
  for (const { uuid, base64, bin, bin_swapped } of vectors("mysql-9.7.json").codec) {
    const id = decodeHyphenated(uuid);
    assert.equal(idgen.encodeBase64(id), base64);
    assert.deepEqual([hex(id), hex(idgen.encodeSwapped(id))], [bin, bin_swapped].map((text) => text.toLowerCase()));
  }
});
