// States: files that Rust and Node continue in turn, kills at writes, and what goes wrong.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, test } from "node:test";
import { MemoryState, Short, Ulid, V1, V6, V7 } from "../dist/index.js";
import { FileState } from "../dist/node.js";
import { Prefixed } from "../dist/prefixed.js";
import { example } from "./rust.mjs";
import { FixedClock } from "./vectors.mjs";

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), "idgen-js-"));
after(() => fs.rmSync(temporary, { recursive: true }));
const folder = () => fs.mkdtempSync(path.join(temporary, "test-"));
const code = (expected, words) => (error) => error.code === expected && error.message.includes(words);
const atNoon = () => {
  const clock = new FixedClock();
  clock.at = 17_952_624_001_234_567n;
  return clock;
};

const rust = (...args) => {
  const { status, stdout, stderr } = spawnSync(example("continue"), args.map(String), { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout.trim().split("\n");
};

const KINDS = { v1: V1, v6: V6, v7: V7, ulid: Ulid, short: Short };

for (const [kind, Kind] of Object.entries(KINDS)) {
  test(`Rust and Node continue the file of the other: ${kind}`, () => {
    const file = path.join(folder(), "ids.state");
    // The same time in all runs, so that nothing but the state keeps the ids apart.
    const clock = atNoon();
    const runs = [];
    for (let turn = 0; turn < 3; turn++) {
      const ids = new Kind({ clock, state: new FileState(file) });
      runs.push(ids.batch(100).map(String));
      // A killed process ends without this.
      if (turn !== 1) ids.close();
      else releaseWithoutSaving(file);
      runs.push(rust(kind, file, clock.at, 100, turn === 1 ? "abort" : "close"));
    }
    const all = runs.flat();
    assert.equal(all.length, 600);
    assert.equal(new Set(all).size, all.length);
    if (kind === "v6" || kind === "v7" || kind === "ulid") assert.deepEqual(all, all.toSorted());
  });
}

/** Lets another process take the lock as if this one was killed. */
const releaseWithoutSaving = (file) => {
  for (const entry of fs.readdirSync("/proc/self/fd")) {
    try {
      if (fs.readlinkSync(`/proc/self/fd/${entry}`) === `${fs.realpathSync(path.dirname(file))}/ids.state.lock`) {
        fs.closeSync(Number(entry));
      }
    } catch {
      // That of this listing is closed already.
    }
  }
};

test("a process that is killed at its writes repeats nothing", async () => {
  for (const kind of ["v7", "short", "v1"]) {
    const file = path.join(folder(), "ids.state");
    const seen = [];
    for (let run = 0; run < 8; run++) {
      const child = spawn(process.execPath, ["test/writer.mjs", kind, file], { stdio: ["ignore", "pipe", "inherit"] });
      let text = "";
      for await (const chunk of child.stdout) {
        text += chunk;
        // The child makes ids and saves all the time, so any moment is in or near a write.
        if (text.length > 4_000 + 1_777 * run) child.kill("SIGKILL");
      }
      const ids = text.slice(0, text.lastIndexOf("\n")).split("\n");
      assert.ok(ids.length > 50);
      seen.push(...ids);
      const [id] = rust(kind, file, "now", 1, run % 2 ? "abort" : "close");
      seen.push(id);
    }
    assert.equal(new Set(seen).size, seen.length, kind);
    if (kind === "v7") assert.deepEqual(seen, seen.toSorted());
  }
});

test("one generator at a time holds a file", () => {
  const file = path.join(folder(), "ids.state");
  const state = new FileState(file);
  assert.throws(() => new FileState(file), code("state", "is held by another generator"));
  fs.symlinkSync(file, `${file}.link`);
  assert.throws(() => new FileState(`${file}.link`), code("state", "cannot be opened"));
  const ids = new V7({ state });
  ids.next();
  assert.throws(() => new FileState(`${file}.link`), code("state", "is held by another generator"));
  ids.close();
  assert.throws(() => ids.next(), code("state", "is closed"));
  new FileState(file).close();
});

test("a file that cannot be used", () => {
  const where = folder();
  const file = path.join(where, "ids.state");
  assert.throws(() => new FileState(path.join(where, "missing", "ids.state")), code("state", "cannot be opened"));
  assert.throws(() => new FileState(""), code("state", "cannot be opened"));
  fs.mkdirSync(file);
  assert.throws(() => new V7({ state: new FileState(file) }), code("state", "is not a state file"));
  const damaged = path.join(where, "damaged");
  fs.writeFileSync(damaged, "idgen state 1\n");
  assert.throws(() => new V7({ state: new FileState(damaged) }), code("state", "is damaged or not a state file"));
  const other = path.join(where, "other");
  const ids = new V7({ state: new FileState(other) });
  ids.next();
  ids.close();
  assert.throws(() => new Ulid({ state: new FileState(other) }), code("state", `the state "${fs.realpathSync(other)}" belongs to another kind of id`));
});

test("no id is returned if its range cannot be saved", () => {
  const full = { load: () => undefined, save: () => assert.fail("the disk is full") };
  for (const ids of [new V7({ state: full }), new V1({ state: full }), new Short({ state: full })]) {
    assert.throws(() => ids.next(), /the disk is full/);
    assert.throws(() => ids.batch(3), /the disk is full/);
  }
  const bytes = new Uint8Array(32).fill(7);
  assert.throws(() => new V7({ state: full }).fill(bytes), /the disk is full/);
  assert.ok(bytes.every((byte) => byte === 0));
});

test("states of your own that are mistakes", () => {
  const saving = { load: () => null, save: async () => {} };
  const loading = { load: async () => undefined, save: () => {} };
  const position = 5n;
  for (const Kind of [V7, V1, Short]) {
    assert.throws(() => new Kind({ state: saving }).next(), code("state", "save must return only when it is done"));
    assert.throws(() => new Kind({ state: loading }).next(), code("state", "load must return only when it is done"));
    const wrong = [{}, { kind: "v7" }, "text", { kind: 7, position }, { kind: "v7", position: 5 }, { kind: "v7", position: -1n }];
    for (const saved of [...wrong, { kind: "v7", position: 1n << 128n }, { kind: "v7", position, node: "text" }]) {
      assert.throws(() => new Kind({ state: { load: () => saved, save: () => {} } }), code("state", "is damaged"));
    }
  }
});

test("a clock that is set back by an hour between two runs", () => {
  const state = new MemoryState();
  const clock = atNoon();
  const [before] = new V7({ clock, state }).batch(1);
  clock.at -= 36_000_000_000n;
  assert.throws(() => new V7({ clock, state }).next(), code("clock-behind", "correct the clock"));
  // With a longer tolerance, ids go on after the last one.
  const after = new V7({ clock, state, toleranceMs: 7_200_000 }).next();
  assert.ok(after > before);
});

test("random tails have nothing to save", () => {
  const options = { state: new MemoryState(), tail: "random-v4" };
  assert.throws(() => new Prefixed(options), code("config", "a state has no effect on a random tail"));
});
