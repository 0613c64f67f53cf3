// The examples of the Rust library, which scripts/js.sh builds.

import fs from "node:fs";
import path from "node:path";

const target = process.env.CARGO_TARGET_DIR ?? path.resolve(import.meta.dirname, "../../../target");

/** The path of an example. */
export const example = (name) => {
  const file = path.join(target, "debug", "examples", name);
  if (!fs.existsSync(file)) throw new Error(`${file} is missing: run scripts/js.sh, which builds it`);
  return file;
};
