// Ids for rows that exist, such as those of a table that gets a key later.

import type { Clock } from "./clock.js";
import { configError } from "./error.js";
import type { Generator, GeneratorOptions } from "./generator/base.js";
import { V7 } from "./generator/v7.js";
import { type Time, ticksAt } from "./times.js";

/**
 * Ids for rows that exist: the id at each place has the time at that place of `times`.
 *
 * ```ts
 * import { V1, inspect } from "idgen-keys";
 * import { idsForRows } from "idgen-keys/rows";
 *
 * const ids = idsForRows([new Date("2026-05-02T12:00:00Z"), new Date("2026-05-01T12:00:00Z")]);
 * inspect(ids[1]).time; // "2026-05-01T12:00:00Z"
 * idsForRows([1777636800000], (options) => new V1({ ...options, node: "02:00:00:00:00:01" }));
 * ```
 *
 * The times may be in any order, and ids of one time ascend in the order of their rows. `make` makes the generator, by default of version 7,
 * with the clock and the policy that it gets: without a tolerance, so that each id has its own time. It throws an {@link IdError} if the
 * kind cannot hold one of the times (`time-out-of-range`), or if a value is no time (`config`).
 */
export const idsForRows = (
  times: Iterable<Time>,
  make: (options: GeneratorOptions) => Generator = (options) => new V7(options),
): string[] => {
  const moments = Array.from(times, ticksAt);
  const places = moments.map((_, place) => place).sort((a, b) => Number(moments[a]! - moments[b]!));
  let now = moments[places[0] ?? 0] ?? 0n;
  const clock: Clock = { now: () => Number(now) / 10_000, ticks: () => now };
  const generator = make({ clock, toleranceMs: 0 });
  // By what it does: a generator of the other form of the package, or of another window, is one, too.
  if (typeof (generator as Partial<Generator> | undefined)?.nextBytes !== "function") {
    throw configError("not a generator of 128-bit ids:", generator, "give a function that returns one, such as (options) => new V7(options)");
  }
  const ids = new Array<string>(moments.length);
  for (const place of places) {
    now = moments[place]!;
    ids[place] = generator.next();
  }
  return ids;
};
