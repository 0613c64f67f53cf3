// The times in ids: 100 ns ticks since 1970, RFC 3339 texts, civil dates. No time zones and no leap seconds.

/** From 1582-10-15T00:00:00Z to 1970, in units of 100 ns: RFC 9562 section 5.1. */
export const GREGORIAN_TO_UNIX = 0x01b21dd213814000n;

const DAY_SECONDS = 86_400;

/** Division that rounds down. */
export const floorDiv = (a: bigint, b: bigint): bigint => (a - (((a % b) + b) % b)) / b;

/** Days since 1970 of a date of the proleptic Gregorian calendar. Years count from 1 March, so that the leap day ends them. */
export const dayOfDate = (year: number, month: number, day: number): number => {
  const fromMarch = (month + 9) % 12;
  const y = year - (month <= 2 ? 1 : 0);
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * fromMarch + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
};

/** The inverse of {@link dayOfDate}. */
export const dateOfDay = (days: number): { year: number; month: number; day: number } => {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
};

const digits = (number: number, width: number): string =>
  (number < 0 ? "-" : "") + String(Math.abs(number)).padStart(width, "0");

/** The date of a time in units of 100 ns since 1970. */
export const dateText = (ticks: bigint): string => {
  const { year, month, day } = dateOfDay(Number(floorDiv(ticks, 864_000_000_000n)));
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`;
};

/** RFC 3339 in UTC, with as many digits of the second (0, 3 or 7) as the value needs. */
export const timeText = (ticks: bigint): string => {
  const seconds = floorDiv(ticks, 10_000_000n);
  const fraction = Number(ticks - seconds * 10_000_000n);
  const ofDay = Number(seconds - floorDiv(seconds, BigInt(DAY_SECONDS)) * BigInt(DAY_SECONDS));
  const time = [ofDay / 3600, (ofDay / 60) % 60, ofDay % 60].map((part) => digits(Math.floor(part), 2)).join(":");
  const end = fraction === 0 ? "" : fraction % 10_000 === 0 ? `.${digits(fraction / 10_000, 3)}` : `.${digits(fraction, 7)}`;
  return `${dateText(ticks)}T${time}${end}Z`;
};

/** Year and week, as MySQL's `YEAR(t)` and `WEEK(t, 0)`, of a time in seconds since 1970. */
export const mysqlWeek = (seconds: number): { year: number; week: number } => {
  const days = Math.floor(seconds / DAY_SECONDS);
  const { year } = dateOfDay(days);
  const dayOfYear = days - dayOfDate(year, 1, 1);
  // 1970-01-01 was a Thursday: with Sunday = 0, day d falls on weekday (d + 4) mod 7.
  const weekday = (((days + 4) % 7) + 7) % 7;
  return { year, week: Math.floor((dayOfYear + 7 - weekday) / 7) };
};
