// Sealed ids: the entry point `idgen-keys/seal`.

export { IdError, type IdErrorCode } from "./error.js";
export { SealKey, SealRing } from "./seal-key.js";
export { TypeSeal } from "./type-seal.js";
