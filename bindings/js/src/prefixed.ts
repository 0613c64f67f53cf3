// The entry point `idgen-keys/prefixed`.

export { IdError, type IdErrorCode } from "./error.js";
export { type Prefix, Prefixed, type PrefixedOptions, type Tail, md5WeekPrefix } from "./generator/prefixed.js";
export { type KeyedInspection, inspectKeyed } from "./inspect-keyed.js";
export type { Interval } from "./interval.js";
export { PrefixKey } from "./prefix-key.js";
export { prefixedBounds } from "./prefixed-bounds.js";
export type { Bounds, Time } from "./times.js";
