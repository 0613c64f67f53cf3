//! Names and values of the settings of a copy, which differ by database and are refused alike.

use idgen_database::{Error, Result};

/// The setting's name, if it is one of these.
pub(crate) fn known<'a>(name: &str, names: &[&'a str]) -> Result<&'a str> {
    let found = names.iter().find(|known| **known == name);
    found
        .copied()
        .ok_or_else(|| Error::new(format!("a copy has no setting {name:?}: choose {}", names.join(", "))))
}

/// True for the value `none` of a limit above which a copy ends: it then has no such limit.
pub(crate) fn is_off(name: &str, value: &str) -> bool {
    name.starts_with("abort_") && value == "none"
}
