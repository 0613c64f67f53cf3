// Makes ids with a state file until it is killed: `node writer.mjs KIND FILE`. The clock runs ten times as fast, so that ranges are saved often.

import fs from "node:fs";
import { Short, V1, V7 } from "../dist/index.js";
import { FileState } from "../dist/node.js";

const [kind, file] = process.argv.slice(2);
const Kind = { v1: V1, v7: V7, short: Short }[kind];
const start = Date.now();
const clock = { now: () => start + (Date.now() - start) * 10, sleep: () => {} };
const ids = new Kind({ clock, state: new FileState(file), toleranceMs: Infinity });
for (;;) fs.writeSync(1, ids.batch(3).join("\n") + "\n");
