import type { Entropy } from "./random.js";
import { configError } from "./error.js";

/**
 * The node of versions 1 and 6 and of 64-bit ids: six bytes as twelve hexadecimal digits, with a colon or hyphen between all the pairs or none.
 */
export type NodeAddress = string;

/** @internal */
export const parseNode = (text: NodeAddress): Uint8Array<ArrayBuffer> => {
  const plain = typeof text === "string" && /^[0-9a-f]{2}([:-]?)[0-9a-f]{2}(\1[0-9a-f]{2}){4}$/i.test(text) ? text.replace(/[:-]/g, "") : "";
  if (plain.length !== 12) throw configError("not a node", text, "write twelve hex digits, such as 9f6bdeced846");
  return Uint8Array.from({ length: 6 }, (_, i) => parseInt(plain.slice(2 * i, 2 * i + 2), 16));
};

/** @internal */
export const nodeText = (node: Uint8Array): NodeAddress =>
  Array.from(node, (byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * 47 random bits, with the multicast bit set, which no network card has: RFC 9562 section 6.10.
 *
 * @internal
 */
export const randomNode = (entropy: Entropy): Uint8Array<ArrayBuffer> => {
  const at = entropy.draw(6);
  const node = entropy.bytes.slice(at, at + 6);
  node[0]! |= 1;
  return node;
};
