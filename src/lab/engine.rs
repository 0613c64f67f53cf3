//! The databases that the model predicts, as an option.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use idgen_lab::forecast;
use idgen_record::Database;

/// Accepts the databases that the model predicts.
pub fn modeled() -> impl TypedValueParser<Value = Database> {
    let possible =
        forecast::MODELS.iter().map(|model| PossibleValue::new(model.database.id()).help(model.about));
    PossibleValuesParser::new(possible.collect::<Vec<_>>())
        .try_map(|id| Database::with_id(&id).ok_or("there is no such database"))
}
