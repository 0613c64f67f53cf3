// States in files, for Node: the entry point `idgen-keys/node`. The file is that of the Rust library, so that either continues the other's.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { type IdError, messageOf, stateError } from "./error.js";
import { nodeText, parseNode } from "./node-address.js";
import type { Saved, State } from "./state.js";

export { IdError, type IdErrorCode } from "./error.js";
export type { Saved, State } from "./state.js";

const HEADER = "idgen state 1";
const LONGEST = 1_024;
// begin kinds: scripts/kinds.py --write
const KINDS = ["v1", "v4", "v6", "v7", "ulid", "week", "prefixed", "fixed-prefix", "short", "mysql-short"];
// end kinds

/**
 * A state file, which one generator at a time can hold, of any process and either language.
 *
 * To save, it writes a new file beside the old one, syncs it, renames it over the old one and syncs the folder. Whenever the machine stops, one
 * of the two exists and is complete. A lock on a second file, `NAME.lock`, keeps other generators out. The system releases it if the
 * process is killed.
 *
 * ```ts
 * const ids = new V7({ state: new FileState("ids.state") });
 * ```
 *
 * On Linux, the lock is taken by the program `flock` of util-linux or BusyBox, since Node has no such call.
 */
export class FileState implements State {
  readonly #path: string;
  #lock: number | undefined;

  /** Opens and locks the file. It need not exist yet, but its folder must. Throws if another generator holds it. */
  constructor(file: string) {
    this.#path = attempt(file, "cannot be opened", () => resolved(file));
    this.#lock = lock(this.#path);
  }

  get place(): string {
    return this.#path;
  }

  load(): Saved | undefined {
    // A generator whose constructor failed has released it.
    this.#lock ??= lock(this.#path);
    const found = attempt(this.#path, "cannot be read", () => fs.statSync(this.#path, { throwIfNoEntry: false }));
    if (!found) return undefined;
    // A pipe would block forever, and a device never ends.
    if (!found.isFile()) throw stateError(this.#path, "is not a state file", "name a regular file");
    const text = attempt(this.#path, "cannot be read", () => readStart(this.#path));
    const saved = parseState(text);
    if (saved) return saved;
    throw stateError(
      this.#path,
      "is damaged or not a state file",
      "restore it from a backup, or remove it if no earlier id is in use",
    );
  }

  save(saved: Saved): void {
    if (this.#lock === undefined) throw stateError(this.#path, "is closed", "open it again");
    attempt(this.#path, "cannot be written", () => replace(this.#path, formatState(saved)));
  }

  /** Releases the lock. */
  close(): void {
    const lock = this.#lock;
    this.#lock = undefined;
    if (lock !== undefined) fs.closeSync(lock);
  }
}

/** The content of a state file. */
export const formatState = ({ kind, position, node }: Saved): string => {
  const body = `${HEADER}\nkind ${kind}\nposition ${position}\nnode ${node === undefined ? "none" : nodeText(parseNode(node))}\n`;
  return `${body}check ${check(body)}\n`;
};

/** The state of such a content; `undefined` if it is damaged. */
export const parseState = (text: string): Saved | undefined => {
  const fields = /^(idgen state 1\nkind (\S+)\nposition ([0-9]+)\nnode (none|[0-9a-f]{12})\n)check ([0-9a-f]{8})\n$/.exec(text);
  if (!fields) return undefined;
  const [, body, kind, position, node, checked] = fields;
  const number = BigInt(position!);
  if (check(body!) !== checked || !KINDS.includes(kind!) || number >= 1n << 128n) return undefined;
  return { kind: kind!, position: number, node: node === "none" ? undefined : node };
};

/** The first eight hex digits of the SHA-256: enough to detect accidental damage. */
const check = (body: string): string => createHash("sha256").update(body).digest("hex").slice(0, 8);

const attempt = <T>(file: string, problem: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw stateError(file, problem, messageOf(error), error);
  }
};

/** The canonical name, so that links to a file use the same lock, and a later change of the working directory has no effect. */
const resolved = (file: string): string => {
  if (typeof file !== "string") throw new Error(`the path is of the type ${typeof file}`);
  if (file === "") throw new Error("the path is empty");
  try {
    return fs.realpathSync(file);
  } catch (error) {
    // A link to a missing file is refused, because its target has no name to lock yet.
    const isLink = fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    if ((error as NodeJS.ErrnoException).code !== "ENOENT" || isLink) throw error;
    return path.join(fs.realpathSync(path.dirname(file)), path.basename(file));
  }
};

/** Beyond the longest state, a file is none. */
const readStart = (file: string): string => {
  const descriptor = fs.openSync(file, "r");
  try {
    const bytes = Buffer.alloc(LONGEST + 1);
    return bytes.toString("latin1", 0, fs.readSync(descriptor, bytes, 0, LONGEST + 1, 0));
  } finally {
    fs.closeSync(descriptor);
  }
};

const replace = (file: string, content: string): void => {
  const fresh = `${file}.new`;
  const descriptor = fs.openSync(fresh, "w");
  try {
    const old = fs.statSync(file, { throwIfNoEntry: false });
    if (old) fs.fchmodSync(descriptor, old.mode & 0o7777);
    fs.writeFileSync(descriptor, content);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  fs.renameSync(fresh, file);
  if (process.platform === "win32") return;
  const folder = fs.openSync(path.dirname(file), "r");
  try {
    fs.fsyncSync(folder);
  } finally {
    fs.closeSync(folder);
  }
};

/** The flags with which the system locks a file as it opens it, where it can. */
const OPEN_LOCKED: Partial<Record<NodeJS.Platform, number>> = {
  // O_EXLOCK | O_NONBLOCK: the same lock as flock.
  darwin: 0x20 | 0x4,
  freebsd: 0x20 | 0x4,
  // UV_FS_O_EXLOCK: no other process can open the file.
  win32: 0x1000_0000,
};

const lock = (file: string): number => {
  const flags = OPEN_LOCKED[process.platform];
  let descriptor: number;
  try {
    descriptor = fs.openSync(`${file}.lock`, fs.constants.O_CREAT | fs.constants.O_RDWR | (flags ?? 0));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (flags !== undefined && (code === "EAGAIN" || code === "EBUSY")) throw held(file);
    const reason = `its folder must be writable, for the lock beside it: ${message}`;
    throw stateError(file, "cannot be locked", reason, error);
  }
  if (flags !== undefined) return descriptor;
  // The lock belongs to the open file, so it outlives the program that takes it.
  const { status, error, stderr } = spawnSync("flock", ["-n", "-x", "3"], {
    stdio: ["ignore", "ignore", "pipe", descriptor],
    encoding: "utf8",
  });
  if (status === 0) return descriptor;
  fs.closeSync(descriptor);
  if (status === 1) throw held(file);
  // The program says why, such as "No locks available" on a network file system.
  const reason = error
    ? `install the program flock (util-linux or BusyBox): ${error.message}`
    : `use a folder of a local file system; flock ended with ${status}${stderr ? `: ${stderr.trim()}` : ""}`;
  throw stateError(file, "cannot be locked", reason, error);
};

const held = (file: string): IdError =>
  stateError(file, "is held by another generator", "give each generator its own file");
