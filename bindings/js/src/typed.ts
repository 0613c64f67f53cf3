// Ids with a type: the entry point `idgen-keys/typed`.

import { checkPrefix, decodeAs, decodeTyped, encodeTyped } from "./codec/typed.js";
import { v7 } from "./facade.js";

export { decodeTyped, encodeTyped };
export { IdError, type IdErrorCode } from "./error.js";

declare const TYPE: unique symbol;

/** A TypeID with this prefix. It is a string; strings of another type, and strings that were not checked, are no values of it. */
export type Typed<P extends string> = string & { readonly [TYPE]: P };

/** The ids of one type: {@link idType} makes it. */
export interface IdType<P extends string> {
  /** The prefix of the texts. */
  readonly prefix: P;
  /** A new id: version 7. */
  next(): Typed<P>;
  /** The typed id of a UUID in its usual text. */
  of(id: string): Typed<P>;
  /** The same text as a typed id. It throws an `IdError` if the text is no TypeID, or has another prefix. */
  parse(text: string): Typed<P>;
  /** Whether a value is a text that `parse` accepts. */
  is(value: unknown): value is Typed<P>;
  /** The UUID of a typed id in its usual text, for a column of the database. */
  uuid(id: Typed<P>): string;
}

/**
 * The ids with a prefix, such as those of a table.
 *
 * ```ts
 * const User = idType("user");
 * type UserId = Typed<"user">;
 *
 * const id: UserId = User.next(); // "user_01h455vb4pex5vsknk084sn02q"
 * User.uuid(id); // "01890a5d-ac96-774b-bcce-b302099a8057"
 * User.parse("order_01h455vb4pex5vsknk084sn02q"); // throws an IdError
 * ```
 */
export const idType = <const P extends string>(prefix: P): IdType<P> => {
  checkPrefix(prefix);
  const pattern = new RegExp(`^${prefix && `${prefix}_`}[0-7][0-9a-hjkmnp-tv-z]{25}$`);
  const of = (id: string) => encodeTyped(prefix, id) as Typed<P>;
  return {
    prefix,
    next: () => of(v7()),
    of,
    parse: (text) => {
      decodeAs(prefix, text);
      return text as Typed<P>;
    },
    is: (value): value is Typed<P> => typeof value === "string" && pattern.test(value),
    uuid: (id) => decodeAs(prefix, id),
  };
};
