//! Names and texts as MySQL and MariaDB quote them.

/// A name as an identifier.
pub(super) fn name(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text that means the same with and without the mode `NO_BACKSLASH_ESCAPES`.
pub(super) fn text(text: &str) -> String {
    if text.contains('\\') {
        let digits: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        return format!("CONVERT(x'{digits}' USING utf8mb4)");
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// A text where the grammar accepts no expression. It depends on the mode that each file of a plan sets.
pub(super) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\\', r"\\").replace('\'', "''"))
}

/// The longest name, in characters.
pub(super) const LONGEST: usize = 64;
/// When a table is renamed, the server renames its foreign keys and conditions that have names of its own, such as `orders_ibfk_12`.
/// They must still fit.
const OF_TABLE: &str = "_ibfk_1000";

/// The end of a name cut off, so that it fits with an ending.
pub(super) fn with_ending(name: &str, ending: &str) -> String {
    shortened(name, ending, LONGEST)
}

/// A table name with this ending, shortened to the limit of 64 characters.
pub(super) fn table_with_ending(table: &str, ending: &str) -> String {
    shortened(table, ending, LONGEST - OF_TABLE.len())
}

fn shortened(name: &str, ending: &str, longest: usize) -> String {
    let most = longest - ending.chars().count();
    if name.chars().count() <= most {
        return format!("{name}{ending}");
    }
    // FNV-1a: two long names that begin alike stay different.
    let hash =
        name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let kept: String = name.chars().take(most - 8).collect();
    format!("{kept}{hash:08x}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_in_names_and_texts_end_nothing() {
        assert_eq!(name("a`b"), "`a``b`");
        assert_eq!(text("a'b"), "'a''b'");
        assert_eq!(text("\\"), "CONVERT(x'5c' USING utf8mb4)");
        assert_eq!(literal(r"it's a\b"), r"'it''s a\\b'");
    }

    #[test]
    fn long_names_stay_different() {
        let (a, b) = ("x".repeat(63) + "a", "x".repeat(63) + "b");
        assert_eq!(with_ending(&a, "_plan_new").chars().count(), 64);
        assert_ne!(with_ending(&a, "_plan_new"), with_ending(&b, "_plan_new"));
        assert_eq!(with_ending("orders", "_plan_new"), "orders_plan_new");
        assert_eq!(table_with_ending(&a, "_plan_new").len() + OF_TABLE.len(), 64);
        assert_eq!(table_with_ending("orders", "_plan_new"), "orders_plan_new");
    }
}
