// One-line functions over generators of this thread, made when they are first used.

import { configError } from "./error.js";
import { Ulid } from "./generator/ulid.js";
import { V1, V6 } from "./generator/gregorian.js";
import { V4 } from "./generator/v4.js";
import { V7 } from "./generator/v7.js";

let v1s: V1 | undefined;
let v4s: V4 | undefined;
let v6s: V6 | undefined;
let v7s: V7 | undefined;
let ulids: Ulid | undefined;

/** Refuses options, which would silently have no effect. A callback of `map` gets more arguments, and ignores them. */
const withoutOptions = (args: readonly unknown[], name: string): true => {
  if (args.length !== 1 || typeof args[0] !== "object" || args[0] === null) return true;
  throw configError("this function has no options, such as", Object.keys(args[0])[0] ?? "{}", `use new ${name}(options).next()`);
};

/** A UUID of version 4, random, in its usual text. */
export const v4: () => string = (...args: unknown[]) => withoutOptions(args, "V4") && (v4s ??= new V4()).next();
/** So many UUIDs of version 4. */
export const v4Batch = (count: number): string[] => (v4s ??= new V4()).batch(count);

/** A UUID of version 7 in its usual text: greater than all that this thread made before, unless the clock was set back by more than ten seconds. */
export const v7: () => string = (...args: unknown[]) => withoutOptions(args, "V7") && (v7s ??= new V7()).next();
/** So many UUIDs of version 7, ascending. */
export const v7Batch = (count: number): string[] => (v7s ??= new V7()).batch(count);

/** A UUID of version 6, with a random node. */
export const v6: () => string = (...args: unknown[]) => withoutOptions(args, "V6") && (v6s ??= new V6()).next();
/** A UUID of version 1, with a random node. Its order is not the order of time: prefer {@link v7}. */
export const v1: () => string = (...args: unknown[]) => withoutOptions(args, "V1") && (v1s ??= new V1()).next();

/** A ULID, 26 characters: ascending as {@link v7}. */
export const ulid: () => string = (...args: unknown[]) => withoutOptions(args, "Ulid") && (ulids ??= new Ulid()).next();
/** So many ULIDs, ascending. */
export const ulidBatch = (count: number): string[] => (ulids ??= new Ulid()).batch(count);
