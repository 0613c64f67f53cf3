//! The table of the 128-bit kinds. It names what it uses by `idgen::` paths, and imports nothing.

/// The table of the 128-bit kinds: calls a macro with the kind, its name in Python, the functions that make one id or
/// many, whether `UUID.is_safe` is known, a description and an example.
macro_rules! for_kinds {
    ($then:ident, $argument:ident) => {
        $then! { $argument,
            V1 "v1" = idgen::v1, idgen::fill_v1, Safe:
                "A UUID of version 1, with a random node (RFC 9562 section 6.10)."
                ">>> idgen.v1().version\n1";
            V4 "v4" = idgen::v4, idgen::fill_v4, Unknown:
                "A random UUID, of version 4."
                ">>> idgen.v4().version\n4";
            V6 "v6" = idgen::v6, idgen::fill_v6, Unknown:
                "A UUID of version 6: as version 1, but sorted by time. Strictly ascending within a thread."
                ">>> idgen.v6() < idgen.v6()\nTrue";
            V7 "v7" = idgen::v7, idgen::fill_v7, Unknown:
                "A UUID of version 7: sorted by time. Strictly ascending within a thread."
                ">>> idgen.v7() < idgen.v7()\nTrue";
            Ulid "ulid" = idgen::ulid, idgen::fill_ulid, Unknown:
                "A ULID, as a uuid.UUID; to_base32 gives its 26 characters. Strictly ascending within a thread."
                ">>> len(idgen.to_base32(idgen.ulid()))\n26";
            Week "week" = idgen::week, idgen::fill_week, Unknown:
                "A week-prefixed id, version 4: 16 bits that stay for the week (in UTC), and a random tail."
                ">>> idgen.week().version\n4";
            Prefixed "prefixed" = idgen::prefixed, idgen::fill_prefixed, Unknown:
                "A prefixed id, version 8: 16 bits for the day (in UTC), and an ascending tail.\n\n\
                 Prefixed() takes other prefixes, intervals and tails."
                ">>> idgen.prefixed() < idgen.prefixed()\nTrue";
            FixedPrefix "fixed_prefix" = idgen::fixed_prefix, idgen::fill_fixed_prefix, Unknown:
                "A UUID of version 8 that begins with ffff, and an ascending tail: new rows go to the right edge of an\n\
                 index that already holds random keys. FixedPrefix() takes other prefixes."
                ">>> str(idgen.fixed_prefix())[:4]\n'ffff'";
        }
    };
}
pub(crate) use for_kinds;
