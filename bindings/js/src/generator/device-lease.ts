// A device's number for a limited time.

import { IdError, configError } from "../error.js";
import { type Time, ticksAt } from "../times.js";
import { floorDiv, timeText } from "../timestamp.js";
import { outOfRange } from "./monotonic.js";

/**
 * The number of a device, and the times whose 64-bit ids it may make with it: a server leases no two devices one number for the same second. The second is
 * part of an id, so ids of different leases differ, whatever the clocks of the devices do.
 */
export interface DeviceLease {
  /** The number of the device, 0 to 65,535. */
  number: number;
  /** The time of the first id. A fraction of a second makes the lease shorter. */
  notBefore: Time;
  /** The time of the last id. A fraction counts as its whole second. */
  notAfter: Time;
}

/** A lease that was checked, in seconds since 1970; both belong to it. @internal */
export interface LeasedSeconds {
  number: number;
  first: number;
  last: number;
}

const SECOND = 10_000_000n;
const LAST = 0xffff_ffff;
const textOf = (secs: number): string => timeText(BigInt(secs) * SECOND);

/** @internal */
export const leasedSeconds = (lease: DeviceLease): LeasedSeconds => {
  if (typeof lease !== "object" || lease === null) throw configError("a lease cannot be", lease, "give an object with number, notBefore and notAfter");
  const { number } = lease;
  if (!(Number.isInteger(number) && number >= 0 && number <= 0xffff)) {
    throw configError("the number of a device cannot be", number, "give a whole number from 0 to 65535");
  }
  const notBefore = ticksAt(lease.notBefore);
  const notAfter = ticksAt(lease.notAfter);
  const first = secondOf(notBefore, floorDiv(notBefore + SECOND - 1n, SECOND));
  const last = secondOf(notAfter, floorDiv(notAfter, SECOND));
  if (first > last) {
    throw configError("no second lies in the lease", `${timeText(notBefore)} to ${timeText(notAfter)}`, "begin it before its end");
  }
  return { number, first, last };
};

/** Second 0 counts as full in a new generator. */
const secondOf = (ticks: bigint, secs: bigint): number => {
  if (secs < 1n || secs > BigInt(LAST)) throw outOfRange("short", ticks, textOf(1), textOf(LAST));
  return Number(secs);
};

/** Refuses an id of a second outside of the lease. @internal */
export const checkLease = ({ number, first, last }: LeasedSeconds, secs: number): void => {
  if (first <= secs && secs <= last) return;
  throw new IdError(
    "outside-lease",
    `the number ${number} of this device is leased from ${textOf(first)} to ${textOf(last)}, and the next id would be of ${textOf(secs)}: ` +
      (secs > last ? "renew the lease, or correct the clock if it is ahead" : "correct the clock"),
  );
};
