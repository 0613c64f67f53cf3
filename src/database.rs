//! A database as the value of an option.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use idgen_record::Database;

/// Accepts the databases for which `about` has a line of help.
pub fn databases(about: fn(Database) -> Option<&'static str>) -> impl TypedValueParser<Value = Database> {
    let possible = Database::ALL
        .iter()
        .filter_map(move |database| Some(PossibleValue::new(database.id()).help(about(*database)?)));
    PossibleValuesParser::new(possible.collect::<Vec<_>>())
        .try_map(|id| Database::with_id(&id).ok_or("there is no such database"))
}
