// The examples of the Rust library. `node test/rust.mjs` builds them ahead.

import { spawnSync } from "node:child_process";
import path from "node:path";

const root = path.resolve(import.meta.dirname, "../../..");
const EXAMPLES = ["cases", "continue"];

/** Their paths by name, after Cargo has built what has changed: an old example would not agree with the shared vectors. */
const build = () => {
  const features = ["-p", "idgen-keys", "--features", "prefixed,seal,state-file"];
  const examples = EXAMPLES.flatMap((name) => ["--example", name]);
  const command = ["build", "--quiet", "--message-format", "json-render-diagnostics", ...features, ...examples];
  const { status, stdout, stderr, error } = spawnSync("cargo", command, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(`cargo ${command.join(" ")} failed: ${error?.message ?? stderr}`);
  const built = stdout.split("\n").filter(Boolean).map((line) => JSON.parse(line));
  return new Map(built.filter(({ executable }) => executable).map(({ target, executable }) => [target.name, executable]));
};

let paths;

/** The path of an example. */
export const example = (name) => (paths ??= build()).get(name);

if (import.meta.filename === process.argv[1]) build();
