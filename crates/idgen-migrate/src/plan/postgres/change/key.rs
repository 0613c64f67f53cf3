//! The foreign keys of a change.

use serde::Serialize;

use super::Endings;
use crate::plan::postgres::catalog::{Catalog, ForeignKey, Place};
use crate::plan::postgres::graph::{Graph, pairs};
use crate::plan::postgres::names::{quoted, with_ending};

#[derive(Debug, Serialize)]
pub(crate) struct KeyChange {
    pub(crate) name: String,
    pub(crate) new: String,
    pub(crate) kept: String,
    pub(crate) child: Side,
    pub(crate) parent: Side,
    /// The operators that compare a parent's column with the child's.
    pub(crate) operators: Vec<String>,
    /// `MATCH`, `ON UPDATE`, `ON DELETE` and `DEFERRABLE`, until the switch and for the way back.
    pub(crate) new_ending: String,
    pub(crate) kept_ending: String,
    pub(crate) comment: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Side {
    pub(crate) schema: String,
    pub(crate) name: String,
    pub(crate) columns: Vec<String>,
    /// The names of these columns until the switch, and for the way back. Columns that do not change keep their names.
    pub(crate) new: Vec<String>,
    pub(crate) kept: Vec<String>,
}

fn deferral(deferrable: bool, deferred: bool) -> &'static str {
    match (deferrable, deferred) {
        (true, true) => " DEFERRABLE INITIALLY DEFERRED",
        (true, false) => " DEFERRABLE",
        _ => "",
    }
}

pub(super) fn key(
    catalog: &Catalog,
    graph: &Graph,
    endings: &Endings,
    key: &ForeignKey,
) -> Option<KeyChange> {
    let action = |letter: &str| match letter {
        "c" => "CASCADE",
        "n" => "SET NULL",
        "r" => "RESTRICT",
        _ => "NO ACTION",
    };
    let child = side(catalog, graph, endings, pairs(key).map(|(child, _)| child))?;
    let ending = |names: &[String]| {
        let of_set = key.columns.iter().zip(names).filter(|(number, _)| key.set_columns.contains(number));
        let of_set: Vec<_> = of_set.map(|(_, name)| quoted(name)).collect();
        format!(
            "{} ON UPDATE {} ON DELETE {}{}{}",
            if key.match_full { " MATCH FULL" } else { "" },
            action(&key.on_update),
            action(&key.on_delete),
            if of_set.is_empty() { String::new() } else { format!(" ({})", of_set.join(", ")) },
            deferral(key.deferrable, key.deferred)
        )
    };
    Some(KeyChange {
        name: key.name.clone(),
        operators: key.operators.clone(),
        new: with_ending(&key.name, &endings.new),
        kept: with_ending(&key.name, &endings.old),
        new_ending: ending(&child.new),
        kept_ending: ending(&child.kept),
        child,
        parent: side(catalog, graph, endings, pairs(key).map(|(_, parent)| parent))?,
        comment: key.comment.clone(),
    })
}

/// One side of a foreign key. All of its columns are of one table.
pub(super) fn side(
    catalog: &Catalog,
    graph: &Graph,
    endings: &Endings,
    places: impl Iterator<Item = Place>,
) -> Option<Side> {
    let places: Vec<Place> = places.collect();
    let table = catalog.table(places.first()?.0)?;
    let columns = names(catalog, places.iter().copied());
    let with = |ending: &str| {
        let named =
            places.iter().zip(&columns).map(|(place, name)| match graph.columns.contains_key(place) {
                true => with_ending(name, ending),
                false => name.clone(),
            });
        named.collect()
    };
    let (new, kept) = (with(&endings.new), with(&endings.old));
    Some(Side { schema: table.schema.clone(), name: table.name.clone(), columns, new, kept })
}

pub(super) fn names(catalog: &Catalog, places: impl Iterator<Item = Place>) -> Vec<String> {
    places.filter_map(|place| Some(catalog.column(place)?.name.clone())).collect()
}
