// How an app uses the types: compiled with all checks, also of the published declarations.

import {
  type DeviceLease,
  type Format,
  Generator,
  IdError,
  type Inspection,
  MemoryState,
  Short,
  type State,
  V7,
  decodeHyphenated,
  encode,
  inspect,
  v7,
} from "idgen-keys";
import { openBrowserState } from "idgen-keys/browser";
import { FileState } from "idgen-keys/node";
import { Prefixed, inspectKeyed } from "idgen-keys/prefixed";
import { SealKey, SealRing, TypeSeal } from "idgen-keys/seal";
import { type Typed, idType } from "idgen-keys/typed";
import { v5, validate } from "idgen-keys/uuid";

const text: string = v7();
const format: Format = "base64url";
export const seen: Inspection = inspect(encode(format, decodeHyphenated(text)));
export const time: string | undefined = seen.time;
export const number: bigint = new Short({ node: "9f6bdeced846" }).next();

const lease: DeviceLease = { number: 7, notBefore: new Date(0), notAfter: 1_795_305_600_000 };
export const leased = (ids: Short): void => ids.setLease(lease);

export class Mine implements State {
  load() {
    return undefined;
  }
  save(saved: { kind: string; position: bigint; node?: string | undefined }): void {
    void saved;
  }
}

const generators: Generator[] = [
  new V7({ clock: { now: () => 0 }, random: (bytes) => crypto.getRandomValues(bytes), state: new Mine() }),
  new V7({ state: new MemoryState(), whenBehind: "wait", toleranceMs: Infinity, longestWaitMs: 5_000 }),
  new V7({ state: new FileState("ids.state") }),
  new Prefixed({ prefix: { kind: "keyed", secret: new Uint8Array(16), writer: "a" }, interval: "90s", tail: "ascending" }),
];
export const batches: string[][] = generators.map((ids) => ids.batch(3));

export const inBrowser = async (): Promise<V7> => new V7({ state: await openBrowserState("orders") });
export const ring = new SealRing(new SealKey(new Uint8Array(16)), [[1_900_000_000_000, new SealKey(new Uint8Array(16))]]);
export const offset: number | undefined = inspectKeyed(text, "day", { named: true }).offsetMs;
export const code = (error: unknown): string | undefined => (error instanceof IdError ? error.code : undefined);

export const user: Typed<"user"> = idType("user").next();
export const opened: bigint = new TypeSeal("user", ring).openInt(v5("a", v5.DNS));
export const checked = (value: unknown): string | undefined => (validate(value) ? value : undefined);

// @ts-expect-error: an id of another type
idType("order").uuid(user);
// @ts-expect-error: a text that was not checked
export const unchecked: Typed<"user"> = "user_01h455vb4pex5vsknk084sn02q";
// @ts-expect-error: no options
v7({ msecs: 0 });
// @ts-expect-error: a bigint is not a text
export const wrong: string = number;
// @ts-expect-error: no such interval
new Prefixed({ interval: "fortnight" });
// @ts-expect-error: no such policy
new V7({ whenBehind: "never" });
// @ts-expect-error: generators of 128-bit ids are made by their own classes
new Generator();
