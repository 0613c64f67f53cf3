//! Character sets of MySQL and MariaDB.

/// The bytes of the shortest character: more than one where ASCII is not written as itself (MySQL manual, "Unicode Support"). Other databases
/// have 1.
pub(crate) fn least_bytes(charset: &str) -> u64 {
    match charset {
        "ucs2" | "utf16" | "utf16le" => 2,
        "utf32" => 4,
        _ => 1,
    }
}
