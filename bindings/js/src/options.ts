// The options of callers without types: each one is looked at, because a wrong name or type would silently be a default.

import { configError } from "./error.js";

const types: Record<string, string> = {
  clock: "object",
  random: "function",
  state: "object",
  node: "string",
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

/** Refuses what is not an object of these options, and those of a wrong type. */
export const checkOptions = (options: unknown, known: readonly string[]): void => {
  if (typeof options !== "object" || options === null) {
    throw configError("options must be an object, not", options, `use ${known.join(", ")}`);
  }
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) throw configError("unknown option", name, `use ${known.join(", ")}`);
    if (value === undefined || !Object.hasOwn(types, name)) continue;
    // A class such as `Date`, whose `now` is a function, may be a clock.
    const found = Object.hasOwn(METHODS, name) && typeof value === "function" ? "object" : typeof value;
    if (found !== types[name] || value === null) {
      throw configError(`the option ${name} cannot be`, value, `give a value of the type ${types[name]}`);
    }
    for (const [at, methods] of (METHODS[name] ?? []).entries()) {
      for (const method of methods) {
        const own: unknown = (value as Record<string, unknown>)[method];
        if (typeof own !== "function" && (at === 0 || own !== undefined)) {
          throw configError(`the ${name} has as ${method}`, own, "it must be a function");
        }
      }
    }
  }
};
