// The options of callers without types: each one is looked at, because a wrong name or type would silently be a default.

import { configError, errorOf } from "./error.js";

const types: Record<string, string> = {
  clock: "object",
  random: "function",
  state: "object",
  node: "string",
  lease: "object",
  toleranceMs: "number",
  longestWaitMs: "number",
  whenBehind: "string",
  prefix: "object",
  interval: "string",
  tail: "string",
};

/** The functions of a clock and of a state; those of the second list may be missing. */
const METHODS: Record<string, readonly [readonly string[], readonly string[]]> = {
  clock: [["now"], ["ticks", "sleep"]],
  state: [["load", "save"], ["freshNode", "close"]],
};

/** Options that all kinds but version 4 have. */
export const COMMON = ["clock", "random", "state", "toleranceMs", "whenBehind", "longestWaitMs"] as const;

/** A member of a caller's object, whose getter may throw. */
const memberOf = (name: string, value: unknown, member: string): unknown => {
  try {
    return (value as Record<string, unknown>)[member];
  } catch (error) {
    throw errorOf("config", `the ${member} of ${name} cannot be read`, error);
  }
};

/** Refuses what is not an object of these options, and those of a wrong type. */
export const checkOptions = (options: unknown, known: readonly string[]): void => {
  // A list or a Map would have no options, so that all would silently be the defaults.
  if (Object.prototype.toString.call(options) !== "[object Object]") {
    throw configError("options must be an object, not", options, `use ${known.join(", ")}`);
  }
  // Also those that it inherits, which are read, too.
  for (const name in options as object) {
    const value: unknown = memberOf("options", options, name);
    if (!known.includes(name)) throw configError("unknown option", name, `use ${known.join(", ")}`);
    if (value === undefined || !Object.hasOwn(types, name)) continue;
    // A class such as `Date`, whose `now` is a function, may be a clock.
    const found = Object.hasOwn(METHODS, name) && typeof value === "function" ? "object" : typeof value;
    if (found !== types[name] || value === null) {
      throw configError(`the option ${name} cannot be`, value, `give a value of the type ${types[name]}`);
    }
    for (const [at, methods] of (METHODS[name] ?? []).entries()) {
      for (const method of methods) {
        const own: unknown = memberOf(name, value, method);
        if (typeof own !== "function" && (at === 0 || own !== undefined)) {
          throw configError(`the ${name} has as ${method}`, own, "it must be a function");
        }
      }
    }
    const step: unknown = name === "clock" ? memberOf(name, value, "stepMs") : undefined;
    if (step !== undefined && !(typeof step === "number" && step > 0)) {
      throw configError("the clock has as stepMs", step, "it must be a number of milliseconds, more than 0");
    }
  }
};
