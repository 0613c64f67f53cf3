import { configError } from "./error.js";
import { dateOfDay, dayOfDate } from "./timestamp.js";

/** How long a prefix stays the same: a name, or a number with a unit, such as `90s`, `15m`, `6h` or `3d`. */
export type Interval = "minute" | "ten-minutes" | "hour" | "day" | "week" | "month" | `${number}${"s" | "m" | "h" | "d"}`;

/** One interval: its number, where that of 1970-01-01T00:00:00Z is 0, and its bounds in seconds since 1970. */
export interface Bucket {
  number: number;
  start: number;
  end: number;
}

/** An interval as seconds, with the seconds by which its count begins before 1970; a month has no fixed length. */
export interface Span {
  name: Interval;
  month: boolean;
  longestSecs: number;
  offset: number;
}

const NAMED: Record<string, [number, number]> = {
  minute: [60, 0],
  "ten-minutes": [600, 0],
  hour: [3_600, 0],
  day: [86_400, 0],
  // 1970-01-01 was a Thursday, four days after a Sunday.
  week: [7 * 86_400, 4 * 86_400],
  month: [31 * 86_400, 0],
};
const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };

export const spanOf = (interval: Interval): Span => {
  if (typeof interval !== "string") throw configError("not an interval", interval, "give a text, such as day or 90s");
  const named = Object.hasOwn(NAMED, interval) ? NAMED[interval] : undefined;
  if (named) return { name: interval, month: interval === "month", longestSecs: named[0], offset: named[1] };
  const counted = /^([0-9]+)([smhd])$/.exec(interval);
  if (!counted) {
    const advice = "write minute, ten-minutes, hour, day, week, month, or a number with s, m, h or d, such as 90s";
    throw configError("not an interval", interval, advice);
  }
  const secs = Number(counted[1]) * UNITS[counted[2]!]!;
  if (!(secs >= 1 && secs < 2 ** 32)) {
    throw configError("no interval can have the length", `${secs} s`, "give whole seconds, from 1 to 4294967295");
  }
  return { name: `${secs}s`, month: false, longestSecs: secs, offset: 0 };
};

/** The interval that holds a moment, in seconds since 1970. */
export const bucketAt = (span: Span, secs: number): Bucket => {
  let number: number;
  if (span.month) {
    const { year, month } = dateOfDay(Math.floor(secs / 86_400));
    number = (year - 1970) * 12 + month - 1;
  } else {
    number = Math.floor((secs + span.offset) / span.longestSecs);
  }
  return { number, start: startOf(span, number), end: startOf(span, number + 1) };
};

/** The first second of the interval with this number. */
export const startOf = (span: Span, number: number): number => {
  if (!span.month) return number * span.longestSecs - span.offset;
  const years = Math.floor(number / 12);
  return dayOfDate(1970 + years, number - years * 12 + 1, 1) * 86_400;
};
