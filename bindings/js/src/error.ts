/** Why an id could not be made, read or restored: {@link IdError.code}. */
export type IdErrorCode =
  | "parse"
  | "clock-behind"
  | "time-out-of-range"
  | "exhausted"
  | "entropy"
  | "state"
  | "config"
  | "outside-lease";

const BRAND: unique symbol = Symbol.for("idgen.IdError") as never;

/**
 * The one class of errors of this package.
 *
 * `code` says what went wrong, and `message` names the offending value and what to do. If one byte of a text is wrong, `offset` is its place in
 * the text.
 *
 * ```ts
 * try {
 *   decodeHyphenated("6ccd780c_baba-1026-9564-5b8c656024db");
 * } catch (error) {
 *   // error.code === "parse", error.offset === 8
 * }
 * ```
 */
export class IdError extends Error {
  /** Also true for an error of another copy of this package, such as that of `require` beside that of `import`, or of another window. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== IdError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return typeof value === "object" && value !== null && BRAND in value;
  }

  static {
    // On the prototype, because each property of its own makes an error slower.
    Object.assign(this.prototype, { [BRAND]: true, name: "IdError" });
  }

  /** What went wrong. */
  readonly code: IdErrorCode;
  /** The offset of the first wrong byte of a text; `undefined` if no single byte is wrong, as for a wrong length. */
  readonly offset: number | undefined;

  /** An error of a source of your own, such as a {@link State} that cannot be saved. */
  constructor(code: IdErrorCode, message: string, options: { offset?: number; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.offset = options.offset;
  }
}

/** A refused setting: the problem, the value and the advice. */
export const configError = (problem: string, value: unknown, advice: string): IdError =>
  new IdError("config", `${problem} ${quoted(value)}: ${advice}`);

/** A state that cannot be used. */
export const stateError = (place: string, problem: string, detail: string, cause?: unknown): IdError =>
  new IdError("state", `the state "${place}" ${problem}: ${detail}`, { cause });

/** An error of a caller's own source, as one of this package: what it threw is the cause. */
export const errorOf = (code: IdErrorCode, problem: string, cause: unknown): IdError =>
  cause instanceof IdError ? cause : new IdError(code, `${problem}: ${messageOf(cause)}`, { cause });

/** The message of what was thrown; an error of another window or context is no instance of `Error` here. */
export const messageOf = (thrown: unknown): string => {
  const message: unknown = (thrown as { message?: unknown } | null | undefined)?.message;
  return typeof message === "string" ? message : shownAs(thrown);
};

/** A text that is not an id of the wanted form. */
export const parseError = (form: string, problem: string, input: unknown, offset?: number): IdError =>
  new IdError(
    "parse",
    `not ${form}: ${problem}, in ${quoted(input)}`,
    offset === undefined ? {} : { offset },
  );

/** How many bytes a character has in UTF-8. */
const width = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4);

/** How many bytes a text has in UTF-8. */
export const byteLength = (text: string): number => {
  let bytes = text.length;
  if (!/[^\0-\x7f]/.test(text)) return bytes;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x80) continue;
    // Two code units of a pair have four bytes, and one that is alone is written as three.
    const pair = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += pair ? 2 : width(code) - 1;
    if (pair) at++;
  }
  return bytes;
};

/** An offending value as an error shows it, and what to say about it if it is text behind a byte order mark. */
export const quoted = (value: unknown): string => {
  const text = typeof value === "string" ? value : shownAs(value);
  // The usual case, without the cost of the others.
  if (text.length <= 64 && /^[ -~]*$/.test(text)) return `"${text}"`;
  // As many characters as `excerpt` takes of such a text.
  const marked = /^\ufeff[\0-\x7f]*$/.test(text.slice(0, 62));
  return `"${excerpt(text)}"${marked ? ", whose byte order mark must be removed" : ""}`;
};

/** The characters that cannot be seen, besides the space. */
const HIDDEN = /[\p{C}\p{Z}\p{Grapheme_Extend}]/u;

/** A value that is not a text: of bytes as many as an error shows, and the type of what has no text. */
const shownAs = (value: unknown): string => {
  try {
    return String(ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, Math.min(value.byteLength, 32)) : value);
  } catch {
    return typeof value;
  }
};

/** The first 64 bytes of an offending value, with the characters escaped that cannot be seen. */
const excerpt = (text: string): string => {
  let shown = "";
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += width(code);
    if (bytes > 64) return shown + "…";
    shown += character !== " " && HIDDEN.test(character) ? (ESCAPES[code] ?? `\\u{${code.toString(16)}}`) : character;
  }
  return shown;
};

const ESCAPES: Record<number, string> = { 9: "\\t", 10: "\\n", 13: "\\r" };

/** The first byte in UTF-8 of the character at an offset, as an error shows it. */
const byteAt = (text: string, offset: number): string => {
  const code = text.codePointAt(offset)!;
  const bytes = width(code);
  if (bytes === 1 && code >= 0x20 && code < 0x7f) {
    return code === 0x22 || code === 0x27 || code === 0x5c ? "\\" + text[offset] : text[offset]!;
  }
  const lead = [0, code, 0xc0 | (code >> 6), 0xe0 | (code >> 12), 0xf0 | (code >> 18)][bytes]!;
  return ESCAPES[lead] ?? "\\x" + lead.toString(16).padStart(2, "0");
};

/** A text whose character at an offset is wrong. */
export const wrongByte = (form: string, expected: string, text: string, offset: number): IdError =>
  parseError(form, `expected ${expected}, found '${byteAt(text, offset)}' at offset ${offset}`, text, offset);

/** Characters beyond which a text is not measured, because it is no id anyway. */
export const LONG = 4_096;

/** A text whose length is wrong. */
export const wrongLength = (form: string, expected: string, text: string): IdError =>
  parseError(form, `expected ${expected}, found ${text.length > LONG ? `more than ${LONG}` : byteLength(text)}`, text);

/** A text with a fault at an offset, or of a wrong length: texts are measured in bytes of UTF-8, as in the other languages. */
export const textFault = (
  form: string,
  length: number,
  lengthWords: string,
  text: string,
  offset: number,
  expected: string,
): IdError =>
  text.length <= length && offset >= 0 && byteLength(text) === length ? wrongByte(form, expected, text, offset) : wrongLength(form, lengthWords, text);

/** Refuses what is not a text: callers without types pass anything. */
export const checkText = (form: string, text: unknown): void => {
  if (typeof text !== "string") throw parseError(form, `expected a string, found ${typeof text}`, text);
};
