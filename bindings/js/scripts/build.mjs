// Builds dist/: one module per entry point and what they share, their types, and the notices of bundled code. Prints the sizes.

import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

const root = path.resolve(import.meta.dirname, "..");
process.chdir(root);
fs.rmSync("dist", { recursive: true, force: true });

const COMMONJS = { format: "cjs", platform: "node", target: "es2022", legalComments: "inline" };
const entries = ["index", "prefixed", "seal", "typed", "uuid", "foreign", "bounds", "orders", "rows", "node", "browser", "outbox"];
await build({
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  outdir: "dist",
  bundle: true,
  splitting: true,
  chunkNames: "shared-[hash]",
  format: "esm",
  platform: "neutral",
  external: ["node:*"],
  // The table of the outbox.
  loader: { ".sql": "text" },
  target: "es2022",
  // The notices of bundled code reach the bundles of apps.
  legalComments: "inline",
});
const tsc = path.join("node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", "tsconfig.json"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);

// The same modules for `require`: Node 20 cannot require ECMAScript modules, nor can Jest.
fs.mkdirSync("dist/cjs");
for (const file of fs.readdirSync("dist")) {
  const from = path.join("dist", file);
  const to = path.join("dist/cjs", file);
  if (file.endsWith(".d.ts")) fs.copyFileSync(from, to);
  // The names of exports are visible to Node without running the file, so that `import` of a CommonJS module finds them.
  if (file.endsWith(".js")) fs.writeFileSync(to, (await transform(fs.readFileSync(from, "utf8"), COMMONJS)).code);
}
for (const folder of ["generator", "codec"]) fs.cpSync(path.join("dist", folder), path.join("dist/cjs", folder), { recursive: true });
fs.writeFileSync("dist/cjs/package.json", '{ "type": "commonjs" }\n');

fs.copyFileSync("../../LICENSE-APACHE", "LICENSE-APACHE");
fs.copyFileSync("../../LICENSE-MIT", "LICENSE-MIT");
fs.copyFileSync("node_modules/@noble/ciphers/LICENSE", "LICENSE-NOBLE-CIPHERS");
fs.copyFileSync("node_modules/@noble/hashes/LICENSE", "LICENSE-NOBLE-HASHES");

/** What an app's bundler makes of some imports, in bytes after gzip. */
const size = async (contents) => {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    external: ["node:*"],
    logLevel: "error",
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
};

const all = (...names) => names.map((name) => `export * from "./dist/${name}.js";`).join("\n");
const few = "v4, v7, ulid, encodeBase64url, decodeBase64url, encodeHyphenated, decodeHyphenated";
// Limits are a little above what was measured, so that growth is noticed. Where a target is given, it is missed.
const sizes = [
  ["v4, v7, ULID, base64url, hyphenated", 8_000, `export { ${few} } from "./dist/index.js";`],
  ["v7 alone", 6_400, 'export { v7 } from "./dist/index.js";'],
  ["idgen-keys: all kinds without prefixes, codecs, inspect", 14_100, all("index")],
  ["idgen-keys and idgen-keys/browser", 15_650, all("index", "browser")],
  ["idgen-keys, /prefixed and /browser: everything except sealing", 24_400, all("index", "prefixed", "browser")],
  ["idgen-keys/seal alone", 11_300, all("seal")],
  ["idgen-keys/typed alone", 8_200, all("typed")],
  ["idgen-keys/uuid alone", 4_700, all("uuid")],
  ["idgen-keys/foreign alone", 3_600, all("foreign")],
  ["idgen-keys/bounds alone", 4_600, all("bounds")],
  ["idgen-keys/orders alone", 1_300, all("orders")],
  ["idgen-keys/rows alone", 6_650, all("rows")],
  ["idgen-keys/outbox alone", 7_400, all("outbox")],
  ["everything for browsers, with sealing", 28_800, all("index", "prefixed", "browser", "seal"), 15_000],
];
let tooLarge = false;
for (const [what, limit, contents, target] of sizes) {
  const bytes = await size(contents);
  const missed = target === undefined ? "" : `; ${bytes - target} above the target of ${target}`;
  console.log(`${String(bytes).padStart(6)} bytes gzipped of at most ${limit}: ${what}${missed}`);
  tooLarge ||= bytes > limit;
}
if (tooLarge) {
  console.error("A bundle is larger than allowed.");
  process.exit(1);
}
