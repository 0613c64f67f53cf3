//! Decides which strategies RocksDB can have: its keys and values are bytes, and it has no column types.

use idgen_record::{Column, IdKind};

use super::Strategy;
use crate::{Error, Result};

/// Refuses a strategy that takes a database with SQL.
///
/// # Errors
/// The error says why, and what to choose instead.
pub(super) fn check(strategy: &Strategy) -> Result<()> {
    let column = strategy.column;
    let (why, instead) = match column {
        Column::CountedInteger | Column::Unkeyed16 => ("it numbers no rows", "device"),
        Column::MappedInteger
        | Column::MappedUnique
        | Column::MappedDedup
        | Column::MappedReferenceLock
        | Column::MappedReferenceDedup => ("it keeps one table, and a map takes two", "v4-binary"),
        Column::Uuid | Column::Bytea | Column::TwoIntegers | Column::VarText36 | Column::VarBinary36 => {
            ("it has no column types", same_bytes(strategy))
        }
        Column::Integer
        | Column::Binary16
        | Column::Swapped16
        | Column::Text36
        | Column::Base64
        | Column::Base32 => match strategy.ids.is_server_made() {
            true => ("a library makes no ids", strategy.portable()),
            false => return Ok(()),
        },
    };
    Err(Error::config(format!("RocksDB cannot run {}: {why}; choose {instead}", strategy.name)))
}

/// Names a strategy that stores the same ids in bytes or in text.
fn same_bytes(strategy: &Strategy) -> &'static str {
    match (strategy.column, strategy.ids) {
        (Column::VarText36 | Column::VarBinary36, IdKind::V7) => "v7-text36",
        (Column::VarText36 | Column::VarBinary36, IdKind::FixedPrefix) => "fixed-text36",
        (Column::VarText36 | Column::VarBinary36, IdKind::MinuteRandom) => "minute-text36",
        (Column::VarText36 | Column::VarBinary36, _) => "v4-text36",
        _ => strategy.portable(),
    }
}

#[cfg(test)]
mod tests {
    use crate::strategy::{ALL, default_set_on, find};

    #[test]
    fn rocksdb_has_the_strategies_whose_keys_are_bytes() {
        let names: Vec<_> = default_set_on(None).iter().map(|strategy| strategy.name).collect();
        for name in ["v4-binary", "v7-binary", "v4-text36", "device", "minute-random"] {
            assert!(names.contains(&name), "{names:?}");
        }
        for (name, says) in [
            ("auto-increment", "it numbers no rows; choose device"),
            ("mapped", "a map takes two"),
            ("v7-uuid", "no column types; choose v7-binary"),
            ("v7-varchar36", "choose v7-text36"),
            ("v4-varchar36", "no column types; choose v4-text36"),
            ("v4-server", "a library makes no ids; choose v4-binary"),
        ] {
            let refused = find(name).unwrap().check_on(None).unwrap_err();
            assert!(refused.is_config() && refused.to_string().contains(says), "{refused}");
        }
        // The strategy that an error proposes is possible.
        for strategy in ALL.iter().filter_map(|strategy| strategy.check_on(None).err()) {
            let text = strategy.to_string();
            let (_, instead) = text.rsplit_once("choose ").unwrap();
            assert!(find(instead).unwrap().check_on(None).is_ok(), "{text}");
        }
    }
}
