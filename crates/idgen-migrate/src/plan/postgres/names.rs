//! Quoted names, literals, and names made of others.

/// Begins and ends the bodies of the plan's functions.
pub(super) const BODY: &str = "$idgen$";
/// PostgreSQL cuts longer names.
const LONGEST: usize = 63;

/// A name as SQL reads it.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text as SQL reads it, in one line and also in a body, whatever `standard_conforming_strings` is.
pub(super) fn literal(text: &str) -> String {
    let escaped = text.replace('\'', "''");
    if !escaped.contains(['\\', '\n', '\r']) && !escaped.contains(BODY) {
        return format!("'{escaped}'");
    }
    let escaped = escaped.replace('\\', "\\\\").replace('\n', "\\n").replace('\r', "\\r");
    format!("E'{}'", escaped.replace(BODY, &BODY.replace('$', "\\x24")))
}

/// A name with an ending. If it is too long, its end is replaced by a number that depends on all of it.
pub(super) fn with_ending(name: &str, ending: &str) -> String {
    if name.len() + ending.len() <= LONGEST {
        return format!("{name}{ending}");
    }
    let hash = hash(name.as_bytes()) as u32;
    let mut end = LONGEST - ending.len() - 9;
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}_{hash:08x}{ending}", &name[..end])
}

/// FNV-1a, 64 bits.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Eight lowercase letters and digits, the first one a letter, that depend on all of the names. The same names give the same
/// identity on a logical replica, whose columns must have the names of those of its source.
pub(super) fn identity(names: &[&str]) -> String {
    let all: Vec<String> = names.iter().map(|name| quoted(name)).collect();
    let mut left = hash(all.join(".").as_bytes());
    // The lowest bits of a product depend on the lowest bits only.
    left ^= left >> 32;
    let mut next = |letters: u64| {
        let digit = u32::try_from(left % letters).unwrap_or_default();
        left /= letters;
        char::from_digit((digit + 10) % 36, 36).unwrap_or('a')
    };
    std::iter::once(26).chain([36; 7]).map(&mut next).collect()
}

/// Returns true if the text contains the name as a word, or in quotes.
pub(super) fn mentions(text: &str, name: &str) -> bool {
    if text.contains(&quoted(name)) {
        return true;
    }
    let part = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name)
        .any(|(at, _)| !text[..at].ends_with(part) && !text[at + name.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_are_quoted() {
        assert_eq!(quoted("a\"b"), "\"a\"\"b\"");
        assert_eq!((literal("it's"), literal("a\\b")), ("'it''s'".into(), "E'a\\\\b'".into()));
        assert_eq!(literal("two\nlines"), "E'two\\nlines'");
        assert_eq!(literal("end $idgen$"), "E'end \\x24idgen\\x24'");
    }

    #[test]
    fn long_names_differ_and_fit() {
        let (a, b) = (format!("{}a", "ü".repeat(31)), format!("{}b", "ü".repeat(31)));
        let (a, b) = (with_ending(&a, "_idgen_new"), with_ending(&b, "_idgen_new"));
        assert!(a != b && a.len() <= LONGEST && b.len() <= LONGEST);
        assert_eq!(with_ending("id", "_idgen_new"), "id_idgen_new");
    }

    #[test]
    fn an_identity_depends_on_each_name() {
        let names =
            [["a", "b.c"], ["a.b", "c"], ["a\".\"b", "c"], ["a", "b\".\"c"], ["A", "b.c"], ["b.c", "a"]];
        let all: std::collections::BTreeSet<String> = names.iter().map(|names| identity(names)).collect();
        assert_eq!(all.len(), names.len());
        for id in all {
            assert!(
                id.len() == 8 && id.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()),
                "{id}"
            );
            assert!(id.as_bytes()[0].is_ascii_lowercase(), "{id}");
        }
        assert_eq!(identity(&["a", "b"]), identity(&["a", "b"]));
    }

    #[test]
    fn a_name_is_a_word() {
        assert!(mentions("(parent_id IS NOT NULL)", "parent_id"));
        assert!(!mentions("(parent_id IS NOT NULL)", "parent"));
        assert!(mentions("(\"a\"\"b\" IS NOT NULL)", "a\"b"));
    }
}
