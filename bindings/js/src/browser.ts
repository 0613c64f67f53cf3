// States in the browser's storage: the entry point `idgen-keys/browser`.

import { IdError, type IdErrorCode, configError, messageOf, stateError } from "./error.js";
import { nodeText, parseNode, randomNode } from "./node-address.js";
import { Entropy } from "./random.js";
import type { Saved, State } from "./state.js";

export { IdError, type IdErrorCode };
export type { Saved, State } from "./state.js";

/** So many generators of one name can be open in the windows of one origin, and as many in its workers. */
const SLOTS = 256;

/**
 * Opens a state in the browser's storage for one generator.
 *
 * Each open tab or worker gets a *slot* of its own: it holds a Web Lock until it is closed or killed, and the next one that opens the name
 * continues where it stopped. So the ids of a slot ascend over reloads and crashes, and no two generators of an origin share a slot. Give each
 * kind of id its own name.
 *
 * Windows keep the state in `localStorage`, and dedicated workers, which do not have it, in a file of the origin's private file system. Both
 * can be written synchronously, so that no id exists before its range is saved; IndexedDB cannot. In a shared worker or service worker, this
 * function throws an error.
 *
 * Where the browser has no Web Locks (`navigator.locks`, also missing on pages without HTTPS), the result is `undefined`: a generator without a state, with
 * a random start of its own. Ids are then still unique, but a reload does not continue the order of the ids before if the clock was set back.
 *
 * ```ts
 * const ids = new V7({ state: await openBrowserState("orders") });
 * ```
 */
export const openBrowserState = async (name: string): Promise<State | undefined> => {
  if (typeof name !== "string" || name === "") throw configError("not a name of a state:", name, "give a text that is not empty");
  const locks = (globalThis as { navigator?: { locks?: LockManager } }).navigator?.locks;
  if (!locks) return undefined;
  const open = openerOf(name);
  const node = await locks.request(`idgen:${open.area}:${name}:node`, () => sharedNode(open, name));
  for (let slot = 0; slot < SLOTS; slot++) {
    const release = await takeLock(locks, `idgen:${open.area}:${name}:${slot}`);
    if (!release) continue;
    try {
      return new BrowserState(await open.store(String(slot)), name, slot, () => damaged(name, open, String(slot)), nodeOf(node, open.area, slot), release);
    } catch (error) {
      release();
      throw opening(name, error);
    }
  }
  throw stateError(name, "has no free slot", `more than ${SLOTS} tabs or workers use it; close some of them`);
};

/** Why a state cannot be opened. */
const opening = (name: string, error: unknown): IdError =>
  error instanceof IdError ? error : stateError(name, "cannot be opened", messageOf(error), error);

/** A place for one text. */
interface Store {
  read(key: string): string | undefined;
  /** When it returns, the text survives the end of this tab or worker. */
  write(key: string, text: string): void;
  close(): void;
}

interface Opener {
  area: "local" | "worker";
  store(part: string): Promise<Store>;
}

const openerOf = (name: string): Opener => {
  let storage: Storage | undefined;
  try {
    storage = globalThis.localStorage;
  } catch (error) {
    throw stateError(name, "cannot be opened", "the browser blocks the storage of this page", error);
  }
  if (storage) {
    const local = storage;
    return { area: "local", store: () => Promise.resolve(localStore(local)) };
  }
  // Only dedicated workers have synchronous files.
  if (typeof FileSystemFileHandle === "function" && "createSyncAccessHandle" in FileSystemFileHandle.prototype) {
    return { area: "worker", store: (part) => fileStore(name, part) };
  }
  throw stateError(name, "cannot be opened", "there is no synchronous storage here; pass no state, or one of your own");
};

/** Takes a lock and returns what releases it, or nothing if another tab or worker holds it. */
const takeLock = (locks: LockManager, name: string): Promise<(() => void) | undefined> =>
  new Promise((resolve, reject) => {
    const request = locks.request(name, { ifAvailable: true }, (lock) => {
      if (!lock) return resolve(undefined);
      return new Promise<void>((release) => resolve(release));
    });
    request.catch(reject);
  });

const localStore = (storage: Storage): Store => ({
  read: (key) => storage.getItem(key) ?? undefined,
  write: (key, text) => storage.setItem(key, text),
  close: () => {},
});

/** Bytes of each of the two records of a file. */
const RECORD = 512;

/** A synchronous file of the origin's private file system. */
interface SyncFile {
  read(bytes: Uint8Array, options: { at: number }): number;
  write(bytes: Uint8Array, options: { at: number }): number;
  flush(): void;
  close(): void;
}

interface SyncHandle {
  createSyncAccessHandle(): Promise<SyncFile>;
}

/** Opens a file. The browser may release that of a worker that has just ended a moment after its lock. */
const exclusive = async (handle: SyncHandle): Promise<SyncFile> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await handle.createSyncAccessHandle();
    } catch (error) {
      if (attempt === 50 || (error as Error).name !== "NoModificationAllowedError") throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
};

/**
 * Two records, written in turn, so that an interrupted write leaves the one before. That one's range ends before all ids of the range
 * that could not be saved, none of which was returned.
 */
const fileStore = async (name: string, part: string): Promise<Store> => {
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle("idgen", { create: true });
  const handle = await folder.getFileHandle(`${encodeURIComponent(name)}.${part}`, { create: true });
  const file = await exclusive(handle as unknown as SyncHandle);
  let turn = 0;
  return {
    read: () => {
      let last: string | undefined;
      for (const place of [0, 1]) {
        const bytes = new Uint8Array(RECORD);
        // Before the first write of a record, its place is beyond the end, or zeros.
        if (file.read(bytes, { at: place * RECORD }) === 0 || bytes.every((byte) => byte === 0)) continue;
        const found = /^([0-9]+) (.*) end *$/.exec(new TextDecoder("latin1").decode(bytes));
        if (found && Number(found[1]) > turn) [turn, last] = [Number(found[1]), found[2]!];
        else if (!found) last ??= "";
      }
      // A record that is damaged, and no other one: that is what a state without a check is.
      return last;
    },
    write: (_, text) => {
      turn++;
      const record = new TextEncoder().encode(`${turn} ${text} end`.padEnd(RECORD));
      if (file.write(record, { at: (turn % 2) * RECORD }) !== RECORD) throw new Error("the file system is full");
      file.flush();
    },
    close: () => file.close(),
  };
};

/** The random node that all slots of a name share. */
const sharedNode = async (open: Opener, name: string): Promise<Uint8Array> => {
  const store = await open.store("node").catch((error: unknown) => {
    throw opening(name, error);
  });
  try {
    const key = `idgen:${name}:node`;
    const saved = attempt(name, "cannot be read", () => store.read(key));
    if (saved !== undefined) {
      const [node, checked] = saved.split(" ");
      if (/^[0-9a-f]{12}$/.test(node!) && check(node!) === checked) return parseNode(node!);
      throw damaged(name, open, "node");
    }
    const node = randomNode(new Entropy(undefined));
    attempt(name, "cannot be written", () => store.write(key, `${nodeText(node)} ${check(nodeText(node))}`));
    return node;
  } finally {
    store.close();
  }
};

/** The node of a slot: no other one of the origin has its low two bytes. */
const nodeOf = (shared: Uint8Array, area: Opener["area"], slot: number): string => {
  const low = ((((shared[4]! << 8) | shared[5]!) + slot) & 0x7fff) | (area === "worker" ? 0x8000 : 0);
  return nodeText(Uint8Array.of(...shared.subarray(0, 4), low >> 8, low));
};

const attempt = <T>(name: string, problem: string, run: () => T): T => {
  try {
    return run();
  } catch (error) {
    throw stateError(name, problem, `${messageOf(error)}; free some of this site's storage`, error);
  }
};

class BrowserState implements State {
  readonly #store: Store;
  readonly #key: string;
  readonly #name: string;
  readonly #damaged: () => IdError;
  readonly #node: string;
  readonly #release: () => void;
  #closed = false;

  constructor(store: Store, name: string, slot: number, damaged: () => IdError, node: string, release: () => void) {
    this.#store = store;
    this.#key = `idgen:${name}:${slot}`;
    this.#name = name;
    this.#damaged = damaged;
    this.#node = node;
    this.#release = release;
  }

  get place(): string {
    return this.#key;
  }

  load(): Saved | undefined {
    this.#checkOpen();
    const text = attempt(this.#name, "cannot be read", () => this.#store.read(this.#key));
    if (text === undefined) return undefined;
    const saved = parse(text);
    if (!saved) throw this.#damaged();
    return saved;
  }

  save({ kind, position, node }: Saved): void {
    this.#checkOpen();
    const body = JSON.stringify({ kind, position: position.toString(), node });
    const text = `${body} ${check(body)}`;
    attempt(this.#name, "cannot be written", () => this.#store.write(this.#key, text));
  }

  freshNode(): string {
    return this.#node;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#store.close();
    } finally {
      this.#release();
    }
  }

  #checkOpen(): void {
    // Another tab or worker may have the slot now.
    if (this.#closed) throw stateError(this.#name, "is closed", "open it again");
  }
}

/** What a text holds, or nothing if it is damaged; the generator checks the fields. */
const parse = (text: string): Saved | undefined => {
  const end = text.lastIndexOf(" ");
  const body = text.slice(0, Math.max(end, 0));
  if (check(body) !== text.slice(end + 1)) return undefined;
  try {
    const { kind, position, node } = JSON.parse(body) as { kind: string; position: string; node?: string };
    if (!/^[0-9]{1,39}$/.test(position)) return undefined;
    return { kind, position: BigInt(position), node };
  } catch {
    return undefined;
  }
};

/** Eight hex digits of FNV-1a: enough to detect accidental damage, where the browser has no synchronous hash. */
const check = (body: string): string => {
  let sum = 0x811c9dc5;
  for (let i = 0; i < body.length; i++) sum = Math.imul(sum ^ body.charCodeAt(i), 0x0100_0193);
  return (sum >>> 0).toString(16).padStart(8, "0");
};

/** An entry that cannot be read. Without it a generator would begin anew, so only the app's owner can say that it may go. */
const damaged = (name: string, { area }: Opener, part: string): IdError => {
  const place = area === "local" ? `idgen:${name}:${part} of localStorage` : `the file idgen/${encodeURIComponent(name)}.${part} of the origin's file system`;
  return stateError(name, "is damaged", `remove ${place} if no earlier id is in use`);
};
