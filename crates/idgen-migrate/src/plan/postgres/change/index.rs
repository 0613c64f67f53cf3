//! The indexes of a change.

use serde::Serialize;

use super::Endings;
use crate::plan::postgres::catalog::{Catalog, Index};
use crate::plan::postgres::graph::Graph;
use crate::plan::postgres::names::{quoted, with_ending};
use crate::plan::postgres::refuse::not_null;

/// An index with a changed column.
#[derive(Debug, Serialize)]
pub(crate) struct IndexChange {
    pub(crate) name: String,
    pub(crate) new: String,
    pub(crate) kept: String,
    pub(crate) primary: bool,
    pub(crate) unique: bool,
    pub(crate) constraint: bool,
    /// `CLUSTER` uses it.
    pub(crate) clustered: bool,
    pub(crate) comment: Option<String>,
    /// The extensions of `DEPENDS ON EXTENSION`.
    pub(crate) extensions: Vec<String>,
    pub(crate) constraint_comment: Option<String>,
    pub(crate) method: String,
    /// Lists of columns with their order, until the switch and for the way back.
    pub(crate) new_columns: String,
    pub(crate) kept_columns: String,
    /// The names of all columns, for the search of duplicates.
    pub(crate) columns: Vec<String>,
    pub(crate) condition: Option<String>,
    pub(crate) new_condition: Option<String>,
    pub(crate) nulls_not_distinct: bool,
    /// The text after the columns: `NULLS NOT DISTINCT`, `WITH`, `TABLESPACE`.
    pub(crate) ending: String,
}

/// Returns how an index is made for the new columns, and for the old ones on the way back.
pub(super) fn index_change(
    catalog: &Catalog,
    graph: &Graph,
    endings: &Endings,
    index: &Index,
) -> IndexChange {
    let name = |number: i32, ending: &str| {
        let name = catalog.column((index.table, number)).map_or("", |column| &column.name);
        match graph.columns.contains_key(&(index.table, number)) && !ending.is_empty() {
            true => with_ending(name, ending),
            false => name.to_owned(),
        }
    };
    let list = |ending: &str| {
        let (keys, included) = index.columns.split_at(index.key_columns);
        let keys =
            keys.iter().zip(&index.options).zip(&index.collations).map(|((&number, option), collation)| {
                let changes = graph.columns.contains_key(&(index.table, number));
                let collation = collation.as_ref().filter(|_| !changes);
                let collate = collation.map_or(String::new(), |collation| format!(" COLLATE {collation}"));
                format!("{}{collate}{}", quoted(&name(number, ending)), order(&index.method, *option))
            });
        let mut list = format!("({})", keys.collect::<Vec<_>>().join(", "));
        if !included.is_empty() {
            let included: Vec<_> = included.iter().map(|&number| quoted(&name(number, ending))).collect();
            list += &format!(" INCLUDE ({})", included.join(", "));
        }
        list
    };
    let condition = index.predicate.as_ref().map(|predicate| {
        let own = index.columns.iter().find(|&&number| *predicate == not_null(&name(number, "")));
        own.map_or(predicate.clone(), |&number| {
            format!("({} IS NOT NULL)", quoted(&name(number, &endings.new)))
        })
    });
    IndexChange {
        name: index.name.clone(),
        new: with_ending(&index.name, &endings.new),
        kept: with_ending(&index.name, &endings.old),
        primary: index.primary,
        unique: index.unique,
        constraint: index.constraint.is_some(),
        clustered: index.clustered,
        comment: index.comment.clone(),
        extensions: index.extensions.clone(),
        constraint_comment: index.constraint_comment.clone(),
        method: index.method.clone(),
        new_columns: list(&endings.new),
        kept_columns: list(&endings.old),
        columns: index.columns[..index.key_columns].iter().map(|&number| name(number, "")).collect(),
        condition: index.predicate.clone(),
        new_condition: condition,
        nulls_not_distinct: index.nulls_not_distinct,
        ending: index_ending(index),
    }
}

fn index_ending(index: &Index) -> String {
    let mut ending = String::new();
    if index.nulls_not_distinct {
        ending += " NULLS NOT DISTINCT";
    }
    if !index.settings.is_empty() {
        ending += &format!(" WITH ({})", index.settings.join(", "));
    }
    if let Some(tablespace) = &index.tablespace {
        ending += &format!(" TABLESPACE {}", quoted(tablespace));
    }
    ending
}

/// The bits of `indoption`: descending, nulls first. Only a B-tree has them.
fn order(method: &str, option: i32) -> &'static str {
    match (method, option & 3) {
        ("btree", 1) => " DESC NULLS LAST",
        ("btree", 2) => " NULLS FIRST",
        ("btree", 3) => " DESC",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_of_an_index_are_its_order() {
        let orders = [0, 1, 2, 3].map(|option| order("btree", option));
        assert_eq!(orders, ["", " DESC NULLS LAST", " NULLS FIRST", " DESC"]);
    }
}
