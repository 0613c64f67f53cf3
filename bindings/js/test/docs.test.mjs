// The examples of the pages for people: each block marked `js` runs.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

for (const page of ["README.md", "../../docs/offline.md"]) {
  const blocks = [...fs.readFileSync(page, "utf8").matchAll(/^```js\n([^]*?)^```/gm)].map(([, code]) => code);
  for (const [number, code] of blocks.entries()) {
    test(`${page}, example ${number + 1}`, async () => {
      // Inside the package, which may import itself by its name. State files go elsewhere.
      fs.mkdirSync("test/.build", { recursive: true });
      const file = path.resolve(`test/.build/${path.basename(page)}-${number}-${process.pid}.mjs`);
      const folder = fs.mkdtempSync(path.join(os.tmpdir(), "idgen-js-"));
      fs.writeFileSync(file, code.replaceAll('"ids.state"', JSON.stringify(path.join(folder, "ids.state"))));
      try {
        await import(pathToFileURL(file).href);
      } finally {
        fs.rmSync(file);
      }
    });
  }
}
