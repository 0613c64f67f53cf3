// Prints ids of a library: node driver.mjs LIBRARY MODE COUNT [FOLDER]. ../../README.md says what the modes are.

import { randomUUID } from "node:crypto";
import { closeSync, openSync, writeFileSync, writeSync } from "node:fs";
import { Worker, isMainThread, workerData } from "node:worker_threads";

const BURST = 100_000;
const THREADS = 4;

/** Each library: a function that returns its generator. */
const libraries = {
  "node-crypto-v4": async () => randomUUID,
  "npm-react-native-uuid-v4": async () => (await import("react-native-uuid")).default.default.v4,
  "npm-uuid-v7": async () => (await import("uuid")).v7,
  "npm-uuid-v1": async () => (await import("uuid")).v1,
  "npm-uuidv7": async () => (await import("uuidv7")).uuidv7,
  "npm-ulid": async () => (await import("ulid")).monotonicFactory(),
  "npm-ulidx": async () => (await import("ulidx")).monotonicFactory(),
  "npm-id128": async () => {
    const { UlidMonotonic } = (await import("id128")).default;
    return () => UlidMonotonic.generate().toCanonical();
  },
};

/** Writes all of a text: a pipe may take less of it at once. */
function write(file, text) {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(file, bytes, done);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

/** Makes ids in bursts, and writes each burst when it is complete. */
function burst(next, count, file, size = BURST) {
  for (let left = count; left > 0; left -= size) {
    const ids = new Array(Math.min(left, size));
    for (let i = 0; i < ids.length; i++) ids[i] = next();
    write(file, ids.join("\n") + "\n");
  }
}

function toFile(path, body) {
  const file = openSync(path, "w");
  body(file);
  closeSync(file);
}

const sleep = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Prints two readings of the clock, so that the caller knows whether it was set. */
const clocks = (a, b) => process.stdout.write(`${a} ${b}\n`);

async function main([library, mode, count, folder]) {
  const next = await libraries[library]();
  count = Number(count);
  switch (mode) {
    case "one":
      burst(next, count, 1);
      break;
    case "threads": {
      const workers = Array.from({ length: THREADS }, (_, i) =>
        new Promise((resolve, reject) => {
          const data = [library, `${folder}/thread-${i + 1}.txt`, count / THREADS];
          new Worker(new URL(import.meta.url), { workerData: data }).on("error", reject).on("exit", resolve);
        }));
      await Promise.all(workers);
      break;
    }
    case "back":
      toFile(`${folder}/ids.txt`, (file) => {
        burst(next, count / 2, file);
        const before = Date.now();
        writeFileSync(process.env.FAKETIME_TIMESTAMP_FILE, "-5\n");
        clocks(before, Date.now());
        burst(next, count / 2, file);
      });
      break;
    case "frozen": {
      const before = Date.now();
      sleep(50);
      clocks(before, Date.now());
      toFile(`${folder}/ids.txt`, (file) => burst(next, count, file, 256));
      break;
    }
    default:
      throw new Error(`no mode ${mode}`);
  }
}

if (isMainThread) {
  await main(process.argv.slice(2));
} else {
  const [library, path, count] = workerData;
  const next = await libraries[library]();
  toFile(path, (file) => burst(next, count, file));
}
