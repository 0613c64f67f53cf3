// The published types, as an app compiles them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("an app compiles with all checks, also of the declarations", () => {
  const checks = ["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "false"];
  const target = ["--target", "es2022", "--lib", "es2022,dom", "--types", "node", "--module", "nodenext"];
  const command = ["node_modules/typescript/bin/tsc", ...checks, ...target, "test/types/use.ts"];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: "utf8" });
  assert.deepEqual({ status, output: stdout + stderr }, { status: 0, output: "" });
});
