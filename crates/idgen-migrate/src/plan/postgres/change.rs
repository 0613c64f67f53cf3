//! What the templates are filled with.

mod index;

use std::collections::BTreeMap;

use serde::Serialize;

use self::index::{IndexChange, index_change};
use super::catalog::{Catalog, Column, ForeignKey, Place, Table};
use super::graph::{Graph, key_of, pairs};
use super::names::{hash, identity, quoted, with_ending};
use super::spelling::Spelling;
use crate::plan::data::Target;
use idgen_database::{Error, Result};

/// The whole change.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    /// The identity of the plan, which is a part of all names that it makes.
    pub(super) id: String,
    /// Differs between two plans for the same tables, unless all of their statements are the same.
    pub(super) fingerprint: String,
    /// The schema of the plan's own objects.
    pub(super) schema: String,
    /// The names of the triggers before and after the switch. They fire after those of others.
    pub(super) forward: String,
    pub(super) reverse: String,
    /// The names of the tables, for people.
    pub(super) shown: String,
    pub(super) steps: Vec<StepFile>,
    /// The names of the steps' files.
    pub(super) files: BTreeMap<&'static str, String>,
    /// Columns or views with the texts, where they are asked for.
    pub(super) texts: Vec<String>,
    /// The server's version, as in 180001.
    pub(super) version: i32,
    pub(super) keep_text: bool,
    /// What the server knows of the columns and their tables. It must be the same when the plan is executed.
    pub(super) shape: Vec<String>,
    /// Parents before children.
    pub(super) tables: Vec<TableChange>,
    pub(super) keys: Vec<KeyChange>,
}

/// A step in the ledger.
#[derive(Debug, Serialize)]
pub(super) struct StepFile {
    pub(super) name: &'static str,
    pub(super) file: String,
    /// `read` or `change`.
    pub(super) kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct TableChange {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) shown: String,
    /// Names of the plan's routines for this table begin with it.
    pub(super) tag: String,
    pub(super) columns: Vec<ColumnChange>,
    pub(super) indexes: Vec<IndexChange>,
    /// The columns that do not change.
    pub(super) others: Vec<String>,
    /// The name of a view with the texts.
    pub(super) view: String,
}

#[derive(Debug, Serialize)]
pub(super) struct ColumnChange {
    pub(super) name: String,
    /// The name of the new column until the switch.
    pub(super) new: String,
    /// The name of the old column after the switch.
    pub(super) kept: String,
    /// The name of a column with the text, where one is asked for.
    pub(super) text: String,
    pub(super) spelling: Spelling,
    pub(super) not_null: bool,
    /// The name of the old column's constraint, on servers that give it one, and the one that it has after the switch.
    pub(super) not_null_name: Option<String>,
    pub(super) not_null_kept: String,
    /// `NO INHERIT`, or nothing.
    pub(super) not_null_ending: &'static str,
    pub(super) not_null_comment: Option<String>,
    /// The name of the constraint that says so until the switch.
    pub(super) check: String,
    /// The name of the constraint that the old and the new key are the same, until the last step.
    pub(super) same: String,
    pub(super) default: Option<String>,
    pub(super) new_default: Option<String>,
    pub(super) comment: Option<String>,
    /// The target of `SET STATISTICS`.
    pub(super) statistics: Option<i32>,
    /// Settings of the column, such as `n_distinct`.
    pub(super) options: Option<String>,
    pub(super) parent: Option<Parent>,
}

/// What a column refers to.
#[derive(Debug, Serialize)]
pub(super) struct Parent {
    pub(super) schema: String,
    pub(super) name: String,
    /// The old column of the row that is referred to.
    pub(super) kept: String,
    /// The columns of the foreign key, and those that they refer to.
    pub(super) from: Vec<String>,
    pub(super) to: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct KeyChange {
    pub(super) name: String,
    pub(super) new: String,
    pub(super) kept: String,
    pub(super) child: Side,
    pub(super) parent: Side,
    /// The operators that compare a parent's column with the child's.
    pub(super) operators: Vec<String>,
    /// `MATCH`, `ON UPDATE`, `ON DELETE` and `DEFERRABLE`, until the switch and for the way back.
    pub(super) new_ending: String,
    pub(super) kept_ending: String,
    pub(super) comment: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Side {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) columns: Vec<String>,
    /// The same columns until the switch and for the way back. Those that do not change have their own names.
    pub(super) new: Vec<String>,
    pub(super) kept: Vec<String>,
}

/// The endings of the plan's names.
#[derive(Debug)]
pub(super) struct Endings {
    new: String,
    old: String,
    not_null: String,
    same: String,
}

impl Endings {
    fn of(id: &str) -> Endings {
        let ending = |what: &str| format!("_{id}_{what}");
        Endings { new: ending("new"), old: ending("old"), not_null: ending("not_null"), same: ending("same") }
    }
}

/// The steps in their order, with their kinds.
pub(super) const STEPS: [(&str, &str); 10] = [
    ("check", "read"),
    ("prepare", "change"),
    ("triggers", "change"),
    ("backfill", "change"),
    ("indexes", "change"),
    ("constraints", "change"),
    ("verify", "read"),
    (TEXT, "change"),
    ("switch", "change"),
    ("finish", "change"),
];
/// The step that only a plan with texts has.
pub(super) const TEXT: &str = "text";

impl Change {
    pub(super) fn of(
        catalog: &Catalog,
        graph: &Graph,
        root: &Table,
        version: i32,
        keep_text: bool,
    ) -> Change {
        let id = identity(&[&root.schema, &root.name, Target::Uuid.name()]);
        let endings = Endings::of(&id);
        let tables = graph.tables.iter().filter_map(|&id| catalog.table(id)).enumerate();
        let tables: Vec<_> =
            tables.map(|(at, table)| table_change(catalog, graph, &endings, table, at)).collect();
        let keys = graph
            .foreign_keys
            .iter()
            .filter_map(|&at| key(catalog, graph, &endings, &catalog.foreign_keys[at]));
        let steps = STEPS.into_iter().filter(|(name, _)| keep_text || *name != TEXT).enumerate();
        let steps: Vec<_> = steps
            .map(|(at, (name, kind))| StepFile { name, file: format!("{:02}-{name}.sql", at + 1), kind })
            .collect();
        let mut change = Change {
            schema: format!("idgen_{id}"),
            fingerprint: String::new(),
            forward: format!("zzz_idgen_{id}_forward"),
            reverse: format!("zzz_idgen_{id}_reverse"),
            shown: tables.iter().map(|table| table.shown.as_str()).collect::<Vec<_>>().join(", "),
            files: steps.iter().map(|step| (step.name, step.file.clone())).collect(),
            steps,
            texts: Vec::new(),
            id,
            version,
            keep_text,
            shape: Vec::new(),
            keys: keys.collect(),
            tables,
        };
        if keep_text {
            let of = |table: &TableChange| match version >= 180_000 {
                true => table.columns.iter().map(|column| column.text.clone()).collect(),
                false => vec![table.view.clone()],
            };
            change.texts = change.tables.iter().flat_map(of).collect();
        }
        change
    }

    /// Takes what the server knows of the tables, which completes the plan.
    pub(super) fn complete(&mut self, shape: Vec<String>) -> Result<()> {
        self.shape = shape;
        let all =
            serde_json::to_string(self).map_err(|error| Error::of("cannot write the plan down", error))?;
        self.fingerprint = format!("{:016x}", hash(all.as_bytes()));
        Ok(())
    }
}

impl Change {
    /// The texts that stay are generated columns, which older servers would store: there they are in a view.
    pub(super) fn columns_of_text(&self) -> bool {
        self.version >= 180_000
    }
}

fn table_change(
    catalog: &Catalog,
    graph: &Graph,
    endings: &Endings,
    table: &Table,
    at: usize,
) -> TableChange {
    let places = graph.columns.iter().filter(|(place, _)| place.0 == table.id);
    let columns = places.filter_map(|(&place, &spelling)| {
        Some(column_change(catalog, graph, endings, catalog.column(place)?, spelling))
    });
    let indexes = catalog.indexes.iter().filter(|index| {
        let changes = |number: &i32| graph.columns.contains_key(&(index.table, *number));
        index.table == table.id && index.columns.iter().any(changes) && !index.useless()
    });
    let others = catalog.columns.iter().filter(|column| {
        column.table == table.id && !graph.columns.contains_key(&(column.table, column.number))
    });
    TableChange {
        schema: table.schema.clone(),
        name: table.name.clone(),
        shown: table.shown(),
        tag: format!("t{}", at + 1),
        columns: columns.collect(),
        indexes: indexes.map(|index| index_change(catalog, graph, endings, index)).collect(),
        others: others.map(|column| column.name.clone()).collect(),
        view: with_ending(&table.name, "_text"),
    }
}

fn column_change(
    catalog: &Catalog,
    graph: &Graph,
    endings: &Endings,
    column: &Column,
    spelling: Spelling,
) -> ColumnChange {
    let place = (column.table, column.number);
    let keys = graph.foreign_keys.iter().map(|&at| &catalog.foreign_keys[at]);
    let parent = keys.into_iter().find_map(|key| {
        let (_, to) = pairs(key).find(|&(child, parent)| child == place && parent != place)?;
        let side = side(catalog, graph, endings, pairs(key).map(|(_, parent)| parent))?;
        Some(Parent {
            schema: side.schema,
            name: side.name,
            kept: with_ending(&catalog.column(to)?.name, &endings.old),
            from: names(catalog, pairs(key).map(|(child, _)| child)),
            to: side.columns,
        })
    });
    ColumnChange {
        name: column.name.clone(),
        new: with_ending(&column.name, &endings.new),
        kept: with_ending(&column.name, &endings.old),
        text: with_ending(&column.name, "_text"),
        spelling,
        not_null: column.not_null || key_of(catalog, column.table).contains(&place),
        not_null_kept: with_ending(column.not_null_name.as_deref().unwrap_or(""), &endings.old),
        not_null_name: column.not_null_name.clone(),
        not_null_ending: if column.not_null_own { " NO INHERIT" } else { "" },
        not_null_comment: column.not_null_comment.clone(),
        check: with_ending(&column.name, &endings.not_null),
        same: with_ending(&column.name, &endings.same),
        default: column.default.clone(),
        new_default: column.default.as_deref().map(|default| as_uuid(default, spelling)),
        comment: column.comment.clone(),
        statistics: column.statistics,
        options: (!column.options.is_empty()).then(|| column.options.join(", ")),
        parent,
    }
}

/// A default as uuid. A text that is made of a uuid, as `(gen_random_uuid())::text`, is taken without the text.
fn as_uuid(default: &str, spelling: Spelling) -> String {
    let inner = default.strip_prefix('(').and_then(|rest| rest.strip_suffix("())::text"));
    match inner {
        _ if spelling == Spelling::Bytes => format!("CAST(encode(({default}), 'hex') AS uuid)"),
        Some(name) if !name.contains(['(', ')', '\'', '"', ' ']) => format!("CAST({name}() AS uuid)"),
        _ => format!("CAST(CAST(({default}) AS text) AS uuid)"),
    }
}

fn deferral(deferrable: bool, deferred: bool) -> &'static str {
    match (deferrable, deferred) {
        (true, true) => " DEFERRABLE INITIALLY DEFERRED",
        (true, false) => " DEFERRABLE",
        _ => "",
    }
}

fn key(catalog: &Catalog, graph: &Graph, endings: &Endings, key: &ForeignKey) -> Option<KeyChange> {
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
fn side(
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

fn names(catalog: &Catalog, places: impl Iterator<Item = Place>) -> Vec<String> {
    places.filter_map(|place| Some(catalog.column(place)?.name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_become_uuids() {
        let of = |default| as_uuid(default, Spelling::Hyphenated);
        assert_eq!(of("(gen_random_uuid())::text"), "CAST(gen_random_uuid() AS uuid)");
        assert_eq!(
            of("(a(b())::text || c())::text"),
            "CAST(CAST(((a(b())::text || c())::text) AS text) AS uuid)"
        );
        assert_eq!(of("upper((uuidv7())::text)"), "CAST(CAST((upper((uuidv7())::text)) AS text) AS uuid)");
        let bytes = as_uuid("uuid_send(uuidv7())", Spelling::Bytes);
        assert_eq!(bytes, "CAST(encode((uuid_send(uuidv7())), 'hex') AS uuid)");
    }
}
