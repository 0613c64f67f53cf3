// The fraction of the millisecond: the order of several generators, batches, coarse clocks, and states of the layout before.

import assert from "node:assert/strict";
import fs from "node:fs";
import test from "node:test";
import { transformSync } from "esbuild";
import { FixedPrefix, MemoryState, Ulid, V7, inspect } from "../dist/index.js";
import { Prefixed } from "../dist/prefixed.js";

// The package does not export its clock.
const source = fs.readFileSync(new URL("../src/fine-clock.ts", import.meta.url), "utf8");
const { code } = transformSync(source, { loader: "ts", format: "esm", target: "es2022" });
const { FineClock } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

const MS = 1_795_262_400_123;

/** A clock in units of 100 ns. */
class Ticks {
  at = BigInt(MS) * 10_000n;
  readings = 0;
  stepMs = undefined;
  now() {
    return Number(this.ticks() / 10_000n);
  }
  ticks() {
    this.readings++;
    const step = BigInt(Math.round((this.stepMs ?? 0.0001) * 10_000));
    return (this.at / step) * step;
  }
}

const KINDS = {
  v7: (options) => new V7(options),
  prefixed: (options) => new Prefixed(options),
  "fixed prefix": (options) => new FixedPrefix(undefined, options),
  "fixed prefix of 16 bits": (options) => new FixedPrefix("ffff", options),
};

for (const [name, make] of Object.entries(KINDS)) {
  test(`${name}: ids of several generators are in the order of the clock`, () => {
    const clock = new Ticks();
    const generators = Array.from({ length: 8 }, () => make({ clock }));
    let last = "";
    for (let i = 0; i < 400; i++) {
      clock.at += BigInt(3 + (i * 7_919) % 2_500);
      const batch = generators[(i * 5) % 8].batch(1 + (i % 4));
      assert.deepEqual(batch, batch.toSorted());
      assert.ok(last < batch[0], `${last} ${batch[0]}`);
      last = batch.at(-1);
    }
  });

  test(`${name}: a batch has one reading of the clock`, () => {
    const clock = new Ticks();
    const ids = make({ clock });
    const before = clock.readings;
    const batch = ids.batch(1_000);
    assert.equal(clock.readings, before + 1);
    assert.equal(new Set(batch.map((id) => inspect(id).fractionNs)).size, 1);
    const large = ids.batch(50_000);
    assert.equal(clock.readings, before + 2);
    assert.deepEqual(large, large.toSorted());
    assert.ok(batch.at(-1) < large[0] && large.at(-1) < ids.next());
  });

  test(`${name}: bits below the step of the clock are random`, () => {
    for (const stepMs of [1, 16, 0.1]) {
      const clock = new Ticks();
      clock.at += 4_567n;
      clock.stepMs = stepMs;
      const shown = Number(clock.ticks() % 10_000n) * 100;
      const seen = Array.from({ length: 300 }, () => inspect(make({ clock }).next()).fractionNs - shown);
      const step = Math.min(stepMs, 1) * 1e6;
      assert.ok(seen.every((after) => after >= -250 && after <= step + 250), `${Math.min(...seen)} ${Math.max(...seen)}`);
      const early = seen.filter((after) => after < step / 2).length;
      assert.ok(early > 90 && early < 210, `${early} of 300 in the first half of ${stepMs} ms`);
    }
  });

  test(`${name}: a state of the layout before continues`, () => {
    const kind = { v7: "v7", prefixed: "prefixed" }[name] ?? "fixed-prefix";
    for (const counter of [0n, (1n << 26n) - 1n, 0xffff_ffffn]) {
      for (const [ticks, ms] of [[0n, 1], [9_999n, 1], [-30_000_000n, 1], [20_000n, 2]]) {
        const clock = new Ticks();
        clock.at += ticks;
        const state = new MemoryState();
        state.save({ kind, position: (BigInt(MS) << 32n) | counter });
        const ids = make({ clock, state });
        const [first, second] = [ids.next(), ids.next()];
        assert.ok(first < second);
        ids.close();
        assert.equal(state.saved.position >> 32n, BigInt(MS + ms), `${counter} ${ticks}`);
      }
    }
  });
}

test("a clock of milliseconds claims no fraction, also if it returns one", () => {
  for (const now of [MS, MS + 0.25]) {
    const seen = Array.from({ length: 300 }, () => inspect(new V7({ clock: { now: () => now } }).next()).fractionNs);
    assert.ok(new Set(seen).size > 200);
  }
  const fine = new V7({ clock: { now: () => MS + 0.25, stepMs: 0.0002 } });
  assert.equal(inspect(fine.next()).fractionNs, 250_000);
});

test("ULIDs have no fraction", () => {
  // One of eight has the bits of a version and of the variant by chance, and so have the next ones of its millisecond.
  const seen = Array.from({ length: 50 }, () => inspect(new Ulid({ clock: new Ticks() }).next())).filter(({ nature }) => nature === "ulid");
  assert.ok(seen.length > 25, `${seen.length}`);
  assert.ok(seen.every(({ fractionNs }) => fractionNs === undefined));
});

test("a clock that once returns no number is as before after it", () => {
  for (const wrong of [NaN, Infinity, -Infinity]) {
    let ms = MS;
    const clock = new FineClock(() => ms, () => 7);
    assert.equal(clock.now(), MS);
    ms = wrong;
    assert.throws(() => new V7({ clock }).next(), { message: /the clock returned/ });
    ms = MS + 0.5;
    assert.ok(Math.abs(clock.now() - MS) <= 1);
    assert.doesNotThrow(() => new V7({ clock }).next());
  }
});

test("the clock between milliseconds learns, and begins again if a clock is set", () => {
  let time = 0;
  let offset = MS + 0.618;
  const clock = new FineClock(() => Math.floor(time + offset), () => time);
  const error = () => clock.now() - (time + offset);
  let state = 1;
  const pass = (count) => {
    let worst = 0;
    for (let i = 0; i < count; i++) {
      state = (state * 48_271) % 0x7fff_ffff;
      time += (state / 0x7fff_ffff) * 3;
      const off = error();
      // The bounds contain the time: the reading, and what its step allows.
      assert.ok(off <= 1e-3 && off + clock.stepMs >= -1e-3, `${off} ${clock.stepMs}`);
      worst = Math.abs(off);
    }
    return worst;
  };
  clock.now();
  assert.ok(clock.stepMs > 0.5, "unknown at first");
  pass(2_000);
  assert.ok(clock.stepMs <= 0.01 && Math.abs(error()) <= 0.01);
  for (const set of [-3_600_000.4, 0.3, 5_000.25]) {
    offset += set;
    // The next reading near the end of a millisecond shows it.
    for (let i = 0; i < 3_000; i++) {
      time += 0.777;
      clock.now();
    }
    assert.ok(clock.stepMs <= 0.02 && Math.abs(error()) <= 0.021, `${set}: ${error()} ${clock.stepMs}`);
  }
  // Drift of 50 millionths: never further off than 0.1 ms.
  for (let i = 0; i < 20_000; i++) {
    time += 1.2345;
    offset += 1.2345 * 5e-5;
    assert.ok(Math.abs(error()) < 0.1 || clock.stepMs > 0.5, `${error()}`);
  }
});
