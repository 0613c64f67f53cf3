// Runs in a window or a worker: opens states, makes ids and sends them to the site.

import * as idgen from "../dist/index.js";
import { openBrowserState } from "../dist/browser.js";

const generators = new Map();

/** What a call returns, or what it throws. */
const outcome = async (call) => {
  try {
    return await call();
  } catch (error) {
    return { code: error.code ?? error.name, message: error.message };
  }
};

const send = (ids) => fetch("/ids", { method: "POST", body: JSON.stringify(ids) });
const make = (name, count) => generators.get(name).batch(count).map(String);

const calls = {
  /** Opens a state and a generator with it. */
  async open(name, kind, options = {}) {
    const state = await openBrowserState(name);
    generators.set(name, new idgen[kind]({ ...options, state }));
    return state !== undefined;
  },
  /** What a state holds. */
  async load(name) {
    const state = await openBrowserState(name);
    const { kind, position, node } = state.load();
    state.close();
    return { kind, position: String(position), ...(node && { node }) };
  },
  make: async (name, count) => make(name, count),
  close: async (name) => generators.get(name).close(),
  /** Makes ids until the tab is closed, and sends them. */
  async endless(name) {
    for (;;) await send(make(name, 50));
  },
  v7: async () => idgen.v7(),
};

const run = (call, ...args) => outcome(() => calls[call](...args));
globalThis.run = run;

if (typeof document === "undefined") {
  onmessage = async ({ data: { id, call } }) => postMessage({ id, result: await run(...call) });
} else {
  globalThis.worker = () => {
    const worker = new Worker("page.mjs", { type: "module" });
    const waiting = new Map();
    worker.onmessage = ({ data: { id, result } }) => waiting.get(id)(result);
    let last = 0;
    const ask = (...call) =>
      new Promise((resolve) => {
        waiting.set(++last, resolve);
        worker.postMessage({ id: last, call });
      });
    return { ask, end: () => worker.terminate() };
  };
}
globalThis.ready = true;
