//! The engines that a model predicts, as an option.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use idgen_lab::forecast::{self, Model};
use idgen_lab::{lsm, ranges};

/// An engine that is predicted.
#[derive(Clone, Copy, Debug)]
pub enum Predicted {
    /// A database that keeps its keys in a B-tree.
    Tree(&'static Model),
    /// A database that keeps them in an LSM tree.
    Lsm(lsm::Engine),
    /// A database that keeps them in ranges on several nodes.
    Ranges(&'static ranges::Engine),
}

impl Predicted {
    /// The name for people.
    pub fn name(self) -> &'static str {
        match self {
            Predicted::Tree(model) => model.database.name(),
            Predicted::Lsm(engine) => engine.name(),
            Predicted::Ranges(engine) => engine.name,
        }
    }

    fn all() -> impl Iterator<Item = (&'static str, &'static str, Predicted)> {
        let trees =
            forecast::MODELS.iter().map(|model| (model.database.id(), model.about, Predicted::Tree(model)));
        let lsm = lsm::Engine::ALL.into_iter().map(|one| (one.id(), one.about(), Predicted::Lsm(one)));
        let sharded = ranges::ENGINES.iter().map(|one| (one.id, one.about, Predicted::Ranges(one)));
        trees.chain(lsm).chain(sharded)
    }
}

/// Accepts the engines that a model predicts.
pub fn modeled() -> impl TypedValueParser<Value = Predicted> {
    let possible = Predicted::all().map(|(id, about, _)| PossibleValue::new(id).help(about));
    PossibleValuesParser::new(possible.collect::<Vec<_>>()).try_map(|id| {
        let found = Predicted::all().find(|(known, ..)| *known == id);
        found.map(|(_, _, engine)| engine).ok_or("there is no such engine")
    })
}
