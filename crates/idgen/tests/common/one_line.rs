//! The one-line functions of the 128-bit kinds, so that a test holds all of them to a promise.

use idgen::Uuid;

/// A kind: its name, whether its ids ascend within a thread, and the functions that make one id or many.
pub type Kind = (&'static str, bool, fn() -> Uuid, fn(&mut [Uuid]));

pub const KINDS: [Kind; 8] = [
    ("v1", false, idgen::v1, idgen::fill_v1),
    ("v4", false, idgen::v4, idgen::fill_v4),
    ("v6", true, idgen::v6, idgen::fill_v6),
    ("v7", true, idgen::v7, idgen::fill_v7),
    ("ulid", true, idgen::ulid, idgen::fill_ulid),
    ("week", false, idgen::week, idgen::fill_week),
    ("prefixed", true, idgen::prefixed, idgen::fill_prefixed),
    ("fixed-prefix", true, idgen::fixed_prefix, idgen::fill_fixed_prefix),
];

/// No 128-bit kind is missing above.
#[test]
fn all_kinds_are_listed() {
    let kinds = idgen::Kind::ALL.iter().filter(|kind| kind.bits() == 128).map(|kind| kind.name());
    assert!(kinds.eq(KINDS.iter().map(|(name, ..)| *name)));
}
