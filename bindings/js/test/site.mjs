// A site that serves the package and collects ids, and a Chromium that opens it.

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { chromium } from "playwright-core";

const root = path.resolve(import.meta.dirname, "..");
const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".html": "text/html" };
const ORIGIN = "http://localhost:8080";

/** The page that pages of the test are. */
export const PAGE = `${ORIGIN}/test/page.html`;

/**
 * Answers all requests of a browser to the site. `received` are all ids that pages sent, in their order.
 *
 * The browser hands requests over instead of sending them: Chromium ends requests that are under way when a network interface of the machine
 * comes or goes, also those to the machine itself (`ERR_NETWORK_CHANGED`), and other tests start and end containers all the time.
 */
const serve = async (context) => {
  const received = [];
  await context.route(`${ORIGIN}/**`, async (route) => {
    const request = route.request();
    if (request.method() === "POST") {
      received.push(...request.postDataJSON());
      return route.fulfill({ status: 200 });
    }
    const file = path.join(root, path.normalize(new URL(request.url()).pathname));
    if (!file.startsWith(root) || !fs.existsSync(file)) return route.fulfill({ status: 404 });
    return route.fulfill({ contentType: TYPES[path.extname(file)] ?? "text/plain", body: fs.readFileSync(file) });
  });
  return received;
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

/** A browser with a profile of its own, and the ids that its pages sent to the site. */
export const startBrowser = async () => {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "idgen-chromium-"));
  const executablePath = process.env.IDGEN_CHROMIUM ?? "/usr/bin/chromium";
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS, timeout: DEADLINE_MS });
  context.setDefaultTimeout(DEADLINE_MS);
  const received = await serve(context);
  const close = async () => {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
  };
  return { context, received, close };
};
