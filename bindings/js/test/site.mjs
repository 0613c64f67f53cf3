// A site on this machine that serves the package and collects ids, and a Chromium that opens it.

import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const root = path.resolve(import.meta.dirname, "..");
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html" };

/** Starts the site. `received` are all ids that pages sent, in their order. */
export const startSite = async () => {
  const received = [];
  const server = http.createServer(async (request, response) => {
    if (request.method === "POST") {
      let body = "";
      for await (const chunk of request) body += chunk;
      received.push(...JSON.parse(body));
      return response.end();
    }
    const file = path.join(root, path.normalize(request.url));
    if (!file.startsWith(root) || !fs.existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "text/plain" });
    return fs.createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { received, url: `http://localhost:${server.address().port}/test/page.html`, close: () => server.close() };
};

/** For the start of the browser and of each page: long, as the machine may be busy. */
const DEADLINE_MS = 300_000;

const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A browser with a profile of its own. */
export const startBrowser = async () => {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "idgen-chromium-"));
  const executablePath = process.env.IDGEN_CHROMIUM ?? "/usr/bin/chromium";
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS, timeout: DEADLINE_MS });
  context.setDefaultTimeout(DEADLINE_MS);
  const close = async () => {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  };
  return { context, close };
};
