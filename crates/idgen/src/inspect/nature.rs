//! The kind of an id, as far as its bits show it.

/// The kind of an id, as far as its bits show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nature {
    /// All bits 0.
    Nil,
    /// All bits 1.
    Max,
    /// Version 1.
    V1,
    /// Version 4: random, or week-prefixed or prefixed with a random tail.
    V4,
    /// Version 6.
    V6,
    /// Version 7.
    V7,
    /// Version 8: prefixed, or anything else.
    V8,
    /// A version that no generator of this crate has: 2, 3, 5 or a future one.
    OtherVersion,
    /// A ULID: a text of 26 characters whose bits show no version that this crate generates.
    Ulid,
    /// Another variant: a UUID from before RFC 9562 (then RFC 4122), or no UUID at all.
    OtherVariant,
    /// A 64-bit number: a device id or one of `UUID_SHORT()`. Its bits do not show which.
    Short,
}

impl Nature {
    /// A short name: that of the [`Kind`](crate::Kind), if one follows from the bits.
    ///
    /// ```
    /// assert_eq!(idgen::inspect_uuid(idgen::v7()).nature.name(), "v7");
    /// ```
    pub const fn name(self) -> &'static str {
        self.words().0
    }

    /// A phrase that describes it.
    ///
    /// ```
    /// let nature = idgen::inspect_uuid(idgen::Uuid::nil()).nature;
    /// assert_eq!(nature.describe(), "the nil UUID");
    /// ```
    pub const fn describe(self) -> &'static str {
        self.words().1
    }

    /// The name, and the phrase.
    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Nature::Nil => ("nil", "the nil UUID"),
            Nature::Max => ("max", "the max UUID"),
            Nature::V1 => ("v1", "UUID version 1: time, clock sequence, node"),
            Nature::V4 => ("v4", "UUID version 4: random, or a prefix and a random tail"),
            Nature::V6 => ("v6", "UUID version 6: sortable time, clock sequence, node"),
            Nature::V7 => ("v7", "UUID version 7: milliseconds and their fraction, counter, random"),
            Nature::V8 => ("v8", "UUID version 8: prefixed, or of another program"),
            Nature::OtherVersion => {
                ("other-version", "UUID of another version, such as 3 or 5: the hash of a name")
            }
            Nature::Ulid => ("ulid", "ULID: milliseconds and 80 more bits"),
            Nature::OtherVariant => ("other-variant", "128 bits of another variant"),
            Nature::Short => ("short", "64-bit id: of a device, or of UUID_SHORT()"),
        }
    }
}
