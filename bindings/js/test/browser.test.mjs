// States in Chromium: tabs side by side, closed and crashed tabs, workers, and storage and clocks that fail.

import assert from "node:assert/strict";
import fs from "node:fs";
import { after, before, test } from "node:test";
import { PAGE, startBrowser } from "./site.mjs";

let browser;

before(async () => {
  browser = await startBrowser();
});

after(async () => {
  await browser?.close();
});

/** A tab with the test page. `prepare` runs before the page does. */
const tab = async (prepare) => {
  const page = await browser.context.newPage();
  if (prepare) await page.addInitScript(prepare);
  await page.goto(PAGE);
  // Not by frames, which a tab in the background may not draw.
  await page.waitForFunction(() => globalThis.ready, undefined, { polling: 20 });
  return page;
};

const run = (page, ...call) => page.evaluate((given) => globalThis.run(...given), call);
const assertUnique = (ids) => assert.equal(new Set(ids).size, ids.length);
const assertAscending = (ids) => assert.deepEqual(ids, ids.toSorted());

/** Waits until the site has received so many ids. */
const received = async (count) => {
  while (browser.received.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
};

for (const kind of ["V7", "Short"]) {
  test(`tabs side by side: ${kind}`, async () => {
    const name = `side by side ${kind}`;
    const tabs = await Promise.all(Array.from({ length: 4 }, () => tab()));
    for (const kept of await Promise.all(tabs.map((page) => run(page, "open", name, kind)))) assert.equal(kept, true);
    const batches = await Promise.all(tabs.map((page) => run(page, "make", name, 2_000)));
    batches.forEach((ids) => assert.equal(ids.length, 2_000));
    assertUnique(batches.flat());
    if (kind === "V7") batches.forEach(assertAscending);
    // No two tabs of an origin have the same node.
    else assert.equal(new Set(batches.map(([id]) => (BigInt(id) >> 16n) & 0xffffn)).size, 4);
    await Promise.all(tabs.map((page) => page.close()));
  });

  test(`tabs that are closed and crash while they make ids: ${kind}`, async () => {
    const name = `closed ${kind}`;
    browser.received.length = 0;
    for (let round = 0; round < 4; round++) {
      const from = browser.received.length;
      const page = await tab();
      assert.equal(await run(page, "open", name, kind), true);
      await page.evaluate((given) => void globalThis.run("endless", given), name);
      await received(from + 300 + 77 * round);
      if (round % 2 === 0) {
        await page.close();
      } else {
        const session = await browser.context.newCDPSession(page);
        const crashed = new Promise((resolve) => page.once("crash", resolve));
        session.send("Page.crash").catch(() => {});
        await crashed;
        await page.close();
      }
    }
    assertUnique(browser.received);
    // One tab at a time, so all of them had one slot.
    if (kind === "V7") assertAscending(browser.received);
  });
}

test("workers that end while they make ids", async () => {
  const page = await tab();
  browser.received.length = 0;
  for (let round = 0; round < 3; round++) {
    const from = browser.received.length;
    const worker = await page.evaluateHandle(() => globalThis.worker());
    assert.equal(await worker.evaluate((it) => it.ask("open", "worker", "V7")), true);
    await worker.evaluate((it) => void it.ask("endless", "worker"));
    await received(from + 300);
    await worker.evaluate((it) => it.end());
  }
  assertUnique(browser.received);
  assertAscending(browser.received);
  // Two workers and their window at a time.
  const workers = await Promise.all([1, 2].map(() => page.evaluateHandle(() => globalThis.worker())));
  for (const it of workers) assert.equal(await it.evaluate((worker) => worker.ask("open", "shorts", "Short")), true);
  assert.equal(await run(page, "open", "shorts", "Short"), true);
  const batches = await Promise.all([
    ...workers.map((it) => it.evaluate((worker) => worker.ask("make", "shorts", 1_000))),
    run(page, "make", "shorts", 1_000),
  ]);
  assertUnique(batches.flat());
  await page.close();
});

const KEPT = ["V7", "Short"];
const RECORD = 512;

// What version 0.1 stored in a tab and in a worker, as tests/fixtures keeps it. It was written once, and must be read as it is.
test("states of version 0.1 go on", async () => {
  const file = new URL("../../../tests/fixtures/0.1/browser.json", import.meta.url);
  if (process.env.IDGEN_WRITE_FIXTURES && !fs.existsSync(file)) fs.writeFileSync(file, `${JSON.stringify(await kept(), null, 2)}\n`);
  const fixture = JSON.parse(fs.readFileSync(file, "utf8"));
  const page = await tab();
  await page.evaluate((stored) => Object.entries(stored).forEach(([key, text]) => localStorage.setItem(key, text)), fixture.tab.stored);
  const files = Object.entries(fixture.worker.stored).map(([name, records]) => [name, records.map((text) => text.padEnd(RECORD, text ? " " : "\0")).join("")]);
  await page.evaluate(async (stored) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("idgen", { create: true });
    for (const [name, text] of stored) {
      const stream = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await stream.write(text);
      await stream.close();
    }
  }, files);
  for (const [place, call] of Object.entries(await places(page))) {
    for (const kind of KEPT) {
      assert.deepEqual(await call("load", `kept ${kind}`), fixture[place].saved[kind], `${place}: ${kind}`);
      assert.equal(await call("open", `kept ${kind}`, kind), true);
      assertUnique([...fixture[place].ids[kind], ...(await call("make", `kept ${kind}`, 50))]);
    }
  }
  await page.close();
});

/** Calls of the page, and of a worker that it starts. */
const places = async (page) => {
  const worker = await page.evaluateHandle(() => globalThis.worker());
  return { tab: (...call) => run(page, ...call), worker: (...call) => worker.evaluate((it, given) => it.ask(...given), call) };
};

/** What a tab and a worker have stored while they are open, and the ids that they have made. */
const kept = async () => {
  const page = await tab();
  const result = {};
  for (const [place, call] of Object.entries(await places(page))) {
    result[place] = { ids: {}, saved: {} };
    for (const kind of KEPT) {
      await call("open", `kept ${kind}`, kind);
      result[place].ids[kind] = await call("make", `kept ${kind}`, 3);
    }
  }
  result.tab.stored = await page.evaluate(() => Object.fromEntries(Object.entries(localStorage).filter(([key]) => key.startsWith("idgen:kept "))));
  const files = await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("idgen");
    const found = [];
    for await (const [name, handle] of folder.entries()) if (name.startsWith("kept")) found.push([name, await (await handle.getFile()).text()]);
    return found;
  });
  result.worker.stored = Object.fromEntries(files.map(([name, text]) => [name, [0, RECORD].map((at) => text.slice(at, at + RECORD).replaceAll("\0", "").trimEnd())]));
  for (const { saved, stored } of Object.values(result)) {
    for (const kind of KEPT) {
      const records = stored[`idgen:kept ${kind}:0`] ?? stored[`kept%20${kind}.0`].at(-1);
      saved[kind] = JSON.parse(/{.*}/.exec(records)[0]);
    }
  }
  await page.evaluate(() => localStorage.clear());
  await page.close();
  return result;
};

test("storage that is full", async () => {
  const page = await tab();
  assert.equal(await run(page, "open", "early", "V7"), true);
  await page.evaluate(() => {
    for (let size = 1 << 22; size >= 1; size >>= 1) {
      try {
        for (let i = 0; ; i++) localStorage.setItem(`filler ${size} ${i}`, "x".repeat(size));
      } catch {
        // Smaller pieces may fit.
      }
    }
  });
  for (const call of [["make", "early", 1], ["open", "late", "V7"]]) {
    const { code, message } = await run(page, ...call);
    assert.equal(code, "state");
    assert.match(message, /cannot be written: .*; free some of this site's storage/);
  }
  await page.evaluate(() => Object.keys(localStorage).forEach((key) => key.startsWith("filler") && localStorage.removeItem(key)));
  assert.equal((await run(page, "make", "early", 2)).length, 2);
  assert.equal(await run(page, "open", "late", "V7"), true);
  await page.close();
});

test("storage that is cleared under an open tab, and between two loads", async () => {
  const ids = [];
  for (let load = 0; load < 2; load++) {
    const page = await tab();
    assert.equal(await run(page, "open", "cleared", "Short"), true);
    ids.push(...(await run(page, "make", "cleared", 500)));
    await page.evaluate(() => localStorage.clear());
    ids.push(...(await run(page, "make", "cleared", 5_000)));
    if (load === 0) await page.evaluate(() => localStorage.clear());
    await page.close();
  }
  assertUnique(ids);
});

test("a state that is damaged, and names that are none", async () => {
  const page = await tab();
  for (const name of ["", undefined, 7]) assert.equal((await run(page, "open", name, "V7")).code, "config");
  await page.evaluate(() => localStorage.setItem("idgen:damaged:0", "{"));
  const { code, message } = await run(page, "open", "damaged", "V7");
  assert.equal(code, "state");
  assert.match(message, /is damaged: remove idgen:damaged:0/);
  // It stays an error, and no other slot begins anew.
  for (let i = 0; i < 3; i++) assert.match((await run(page, "open", "damaged", "V7")).message, /remove idgen:damaged:0/);
  assert.equal(await page.evaluate(() => localStorage.getItem("idgen:damaged:1")), null);
  await page.evaluate(() => localStorage.removeItem("idgen:damaged:0"));
  assert.equal(await run(page, "open", "damaged", "V7"), true);
  await run(page, "make", "damaged", 1);
  const whole = await page.evaluate(() => localStorage.getItem("idgen:damaged:0"));
  await run(page, "close", "damaged");
  // Each change of a character is noticed, and so is a position without digits.
  const changes = [...whole].map((character, at) => whole.slice(0, at) + (character === "1" ? "2" : "1") + whole.slice(at + 1));
  for (const text of [...changes, whole.replace(/"position":"[0-9]+"/, '"position":""'), whole.slice(0, -1), "", "null", "{}"]) {
    await page.evaluate((given) => localStorage.setItem("idgen:damaged:0", given), text);
    assert.match((await run(page, "open", "damaged", "V7")).message ?? "", /is damaged: remove idgen:damaged:0/, text);
  }
  await page.evaluate((given) => localStorage.setItem("idgen:damaged:0", given), whole);
  assert.equal(await run(page, "open", "damaged", "V7"), true);
  await run(page, "close", "damaged");
  // The node that the slots share.
  await page.evaluate(() => localStorage.setItem("idgen:damaged:node", "9f6bdeced846"));
  assert.match((await run(page, "open", "damaged", "V7")).message, /is damaged: remove idgen:damaged:node/);
  await page.close();
});

test("a damaged file of a worker", async () => {
  const page = await tab();
  const it = await page.evaluateHandle(() => globalThis.worker());
  const ask = (...call) => it.evaluate((worker, given) => worker.ask(...given), call);
  assert.equal(await ask("open", "damaged file", "V7"), true);
  await ask("make", "damaged file", 1);
  await ask("close", "damaged file");
  await it.evaluate((worker) => worker.end());
  await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("idgen");
    const file = await (await folder.getFileHandle(`${encodeURIComponent("damaged file")}.0`)).createWritable();
    await file.write("x".repeat(1_024));
    await file.close();
  });
  const next = await page.evaluateHandle(() => globalThis.worker());
  for (let i = 0; i < 2; i++) {
    const { message } = await next.evaluate((worker) => worker.ask("open", "damaged file", "V7"));
    assert.match(message, /is damaged: remove the file idgen\/damaged%20file.0/);
  }
  await next.evaluate((worker) => worker.end());
  await page.close();
});

test("a clock that is set back by an hour between two loads", async () => {
  const first = await tab();
  await run(first, "open", "clock", "V7");
  const earlier = await run(first, "make", "clock", 100);
  await first.close();
  const second = await tab(() => {
    const now = Date.now;
    Date.now = () => now() - 3_600_000;
  });
  await run(second, "open", "clock", "V7");
  const { code, message } = await run(second, "make", "clock", 1);
  assert.equal(code, "clock-behind");
  assert.match(message, /more than the tolerated 10000 ms ahead/);
  await run(second, "close", "clock");
  // With a tolerance of two hours, ids go on after the last one.
  await run(second, "open", "clock", "V7", { toleranceMs: 7_200_000 });
  assertAscending([...earlier, ...(await run(second, "make", "clock", 100))]);
  await second.close();
});

test("a browser without Web Locks", async () => {
  const prepare = () => Object.defineProperty(Navigator.prototype, "locks", { get: () => undefined });
  const tabs = [await tab(prepare), await tab(prepare)];
  for (const page of tabs) assert.equal(await run(page, "open", "no locks", "V7"), false);
  const batches = await Promise.all(tabs.map((page) => run(page, "make", "no locks", 1_000)));
  batches.forEach(assertAscending);
  assertUnique(batches.flat());
  await Promise.all(tabs.map((page) => page.close()));
});

test("a browser without randomness, and one whose storage is blocked", async () => {
  const silent = await tab(() => (Crypto.prototype.getRandomValues = (array) => array));
  assert.equal((await run(silent, "v7")).code, "entropy");
  const missing = await tab(() => delete Crypto.prototype.getRandomValues);
  const { code, message } = await run(missing, "v7");
  assert.equal(code, "entropy");
  assert.match(message, /crypto.getRandomValues does not exist here; pass a random source/);
  const blocked = await tab(() => {
    Object.defineProperty(globalThis, "localStorage", {
      get: () => {
        throw new DOMException("denied", "SecurityError");
      },
    });
  });
  assert.equal((await run(blocked, "open", "blocked", "V7")).code, "state");
  await Promise.all([silent, missing, blocked].map((page) => page.close()));
});
