// Checks the list of files that `npm pack --json` would publish: `node check-pack.mjs LIST`.

import fs from "node:fs";

const [pack] = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const files = pack.files.map(({ path }) => path);
const { exports } = JSON.parse(fs.readFileSync("package.json", "utf8"));

const wanted = ["README.md", "LICENSE-APACHE", "LICENSE-MIT", "LICENSE-NOBLE-CIPHERS", "LICENSE-NOBLE-HASHES", "package.json", "dist/cjs/package.json"];
for (const entry of Object.values(exports)) {
  for (const form of typeof entry === "string" ? [{ entry }] : Object.values(entry)) {
    for (const target of Object.values(form)) wanted.push(target.replace("./", ""));
  }
}
const missing = wanted.filter((file) => !files.includes(file));
const strange = files.filter((file) => !wanted.includes(file) && !/^dist\/[\w/.-]+\.(js|d\.ts)$/.test(file));
if (missing.length || strange.length) {
  console.error(`The package lacks ${missing.join(", ") || "nothing"}, and should not contain ${strange.join(", ") || "nothing else"}.`);
  process.exit(1);
}
