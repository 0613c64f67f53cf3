// Ids of other generators, which are only read: the entry point `idgen-keys/foreign`.

import { check64 } from "./codec/bytes.js";
import { decodeHyphenated } from "./codec/hyphenated.js";
import { decodeTyped } from "./codec/typed.js";
import { IdError, configError } from "./error.js";
import { timeText } from "./timestamp.js";

/** A kind of id that other programs generate. */
export type ForeignKind =
  | "typeid"
  | "ksuid"
  | "objectid"
  | "xid"
  | "cuid"
  | "cuid2"
  | "nanoid"
  | "firebase-push-id"
  | "tsid"
  | "twitter-snowflake"
  | "discord-snowflake"
  | "instagram-id"
  | "sonyflake";

/** One reading of a text or a number as the id of another generator. */
export interface ForeignId {
  kind: ForeignKind;
  /** When the id was generated, as an RFC 3339 text in UTC, if it shows that. */
  time?: string;
  /** The UUID of a TypeID. */
  uuid?: string;
}

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PUSH = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
/** The millisecond from which TSIDs count: 2020-01-01. */
const TSID_EPOCH_MS = 1_577_836_800_000n;

const timed = (kind: ForeignKind, ms: bigint): ForeignId => ({ kind, time: timeText(ms * 10_000n) });

/** The number whose digits these are. */
const number = (text: string, alphabet: string): bigint => {
  const radix = BigInt(alphabet.length);
  let value = 0n;
  for (const character of text) value = value * radix + BigInt(alphabet.indexOf(character));
  return value;
};

/** The kinds of other generators that have the characters of a text; none for most texts. A decimal number is read by {@link foreignNumbers}. */
export const foreignTexts = (text: string): ForeignId[] => {
  const found: ForeignId[] = [];
  if (/^(?=.*[a-z])[0-9a-z]{13}$|^(?=.*[A-Z])[0-9A-Z]{13}$/.test(text) && !/[ilou]/i.test(text)) {
    const value = number(text.toLowerCase(), CROCKFORD);
    if (!(value >> 64n)) found.push(timed("tsid", (value >> 22n) + TSID_EPOCH_MS));
  } else if (/^-[\w-]{19}$/.test(text)) {
    found.push(timed("firebase-push-id", number(text.slice(0, 8), PUSH)));
  } else if (/^[0-9a-v]{19}[0g]$/.test(text)) {
    found.push(timed("xid", (number(text, "0123456789abcdefghijklmnopqrstuv") >> 68n) * 1_000n));
  } else if (/^[\w-]{21}$/.test(text)) {
    found.push({ kind: "nanoid" });
  } else if (/^c[0-9a-z]{24}$/.test(text)) {
    found.push(timed("cuid", BigInt(parseInt(text.slice(1, 9), 36))));
  } else if (/^[0-9A-Za-z]{27}$/.test(text)) {
    const seconds = number(text, BASE62) >> 128n;
    if (seconds < 1n << 32n) found.push(timed("ksuid", (seconds + 1_400_000_000n) * 1_000n));
  } else {
    if (/^[0-9a-f]{24}$/i.test(text)) found.push(timed("objectid", BigInt(parseInt(text.slice(0, 8), 16)) * 1_000n));
    if (/^[a-z][0-9a-z]{23}$/.test(text)) found.push({ kind: "cuid2" });
    if (/_[0-9a-z]{26}$/.test(text)) found.push(...typeId(text));
  }
  return found;
};

const typeId = (text: string): ForeignId[] => {
  try {
    const { id: uuid } = decodeTyped(text);
    const bytes = decodeHyphenated(uuid);
    if (bytes[6]! >> 4 !== 7 || bytes[8]! >> 6 !== 2) return [{ kind: "typeid", uuid }];
    return [{ ...timed("typeid", BigInt(`0x${uuid.slice(0, 8)}${uuid.slice(9, 13)}`)), uuid }];
  } catch (error) {
    if (error instanceof IdError) return [];
    throw error;
  }
};

const DAY_MS = 86_400_000n;

/**
 * The layouts of 64 bits that give a number a plausible time, the most plausible first: at least a day after the layout's epoch, and at most a
 * day after `now`, in Unix milliseconds. The numbers themselves do not say which layout they follow, so several can be plausible.
 */
export const foreignNumbers = (value: bigint, now: number = Date.now()): ForeignId[] => {
  check64(value);
  if (!Number.isFinite(now)) throw configError("not a time:", now, "give milliseconds since 1970");
  const milliseconds: [ForeignKind, bigint, bigint][] = [
    ["twitter-snowflake", 1_288_834_974_657n, value >> 22n],
    ["discord-snowflake", 1_420_070_400_000n, value >> 22n],
    ["tsid", TSID_EPOCH_MS, value >> 22n],
    ["instagram-id", 1_314_220_021_721n, value >> 23n],
    ["sonyflake", 1_409_529_600_000n, (value >> 24n) * 10n],
  ];
  // Twitter's sequence is mostly 0, and Discord's increment hardly ever.
  if (value & 0xfffn) milliseconds.unshift(...milliseconds.splice(1, 1));
  const latest = BigInt(Math.floor(now)) + DAY_MS;
  return milliseconds.flatMap(([kind, epoch, ms]) => (ms >= DAY_MS && epoch + ms <= latest ? [timed(kind, epoch + ms)] : []));
};
