import { check16, checkStored, reorder } from "./bytes.js";

/**
 * The bytes of MySQL's `UUID_TO_BIN(u, 1)`: the high bits of the time first, so that ids of version 1 which are generated one after
 * another are neighbors in an index. Only for version 1.
 */
export const encodeSwapped = (id: Uint8Array): Uint8Array<ArrayBuffer> => {
  check16(id);
  return reorder(id, [6, 7, 4, 5, 0, 1, 2, 3]);
};

/** The bytes of an id from those of `UUID_TO_BIN(u, 1)`: MySQL's `BIN_TO_UUID(b, 1)`. */
export const decodeSwapped = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  checkStored("a swapped binary UUID", bytes);
  return reorder(bytes, [4, 5, 6, 7, 2, 3, 0, 1]);
};
