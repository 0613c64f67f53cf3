// The examples of the pages for people, in an app that has installed the packed package: those marked `js` run, and all of them compile.

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";

const PAGES = ["README.md", "../../README.md", "../../docs/offline.md", "../../docs/outside.md"];

const examples = PAGES.flatMap((page, number) =>
  [...fs.readFileSync(page, "utf8").matchAll(/^```(js|ts)\n([^]*?)^```/gm)].map(([, language, code], at) => {
    return { title: `${page}, example ${at + 1}`, name: `page${number}-example${at}`, language, code };
  }),
);

const app = fs.mkdtempSync(path.join(os.tmpdir(), "idgen-js-app-"));
after(() => fs.rmSync(app, { recursive: true }));

before(() => {
  execFileSync("npm", ["pack", "--silent", "--ignore-scripts", "--pack-destination", app]);
  const [packed] = fs.readdirSync(app);
  fs.writeFileSync(path.join(app, "package.json"), '{ "type": "module" }');
  execFileSync("npm", ["install", "--silent", "--offline", "--no-audit", `./${packed}`], { cwd: app });
});

test("there are examples on each page", () => {
  for (const page of PAGES) assert.ok(examples.some(({ title }) => title.startsWith(page)), page);
});

for (const { title, name, language, code } of examples) {
  if (language !== "js") continue;
  test(`${title} runs`, () => {
    fs.writeFileSync(path.join(app, `${name}.mjs`), code);
    const { status, stderr } = spawnSync(process.execPath, [`${name}.mjs`], { cwd: app, encoding: "utf8" });
    assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
  });
}

test("the examples, and an app that uses all types, compile with all checks, also those of the declarations", () => {
  fs.symlinkSync(path.resolve("node_modules/@types"), path.join(app, "node_modules/@types"));
  const expo = path.join(app, "node_modules/expo-crypto");
  fs.mkdirSync(expo);
  fs.writeFileSync(path.join(expo, "package.json"), '{ "name": "expo-crypto", "types": "index.d.ts" }');
  fs.writeFileSync(path.join(expo, "index.d.ts"), "export function getRandomValues<T extends Uint8Array | Int32Array>(array: T): T;");
  for (const { name, code } of examples) fs.writeFileSync(path.join(app, `${name}.ts`), code);
  fs.copyFileSync("test/types/use.ts", path.join(app, "use.ts"));
  const names = ["use.ts", ...examples.map(({ name }) => `${name}.ts`)];
  const checks = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"];
  const target = ["--target", "es2022", "--lib", "es2022,dom", "--types", "node", "--module", "nodenext"];
  const command = [path.resolve("node_modules/typescript/bin/tsc"), ...checks, ...target, ...names];
  const { status, stdout } = spawnSync(process.execPath, command, { cwd: app, encoding: "utf8" });
  assert.deepEqual({ status, stdout }, { status: 0, stdout: "" });
});

test("the commands of the tutorial print what it says", () => {
  const { status, stderr } = spawnSync("python3", ["../../scripts/tutorials.py", "../../docs/tutorials/offline.md"], { encoding: "utf8" });
  assert.deepEqual({ status, stderr }, { status: 0, stderr: "" });
});
