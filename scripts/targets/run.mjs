// Runs the program of hosted.rs on Node: run.mjs wasi PROGRAM.wasm | js FOLDER
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { WASI } from "node:wasi";

const [how, path] = process.argv.slice(2);
if (how === "wasi") {
  const wasi = new WASI({ version: "preview1", args: [path, String(Date.now())] });
  const { instance } = await WebAssembly.instantiate(await readFile(path), wasi.getImportObject());
  process.exitCode = wasi.start(instance);
} else {
  createRequire(import.meta.url)(path).check(BigInt(Date.now()));
}
