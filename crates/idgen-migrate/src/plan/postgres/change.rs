//! The values for the templates.

mod index;
mod key;

use std::collections::BTreeMap;

use serde::Serialize;

use self::index::{IndexChange, index_change};
use self::key::{KeyChange, key, names, side};
use super::catalog::{Catalog, Column, Table};
use super::graph::{Graph, key_of, pairs};
use super::names::{hash, identity, with_ending};
use super::spelling::Spelling;
use crate::plan::data::Target;
use crate::plan::options::Options;
use idgen_database::{Error, Result};

/// The path of the file that ends a plan whose steps can neither go on nor back.
pub(in crate::plan) const ABANDON: &str = "undo/abandon.sql";

/// The whole change.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    /// The identity of the plan, which is a part of all names that it makes.
    pub(super) id: String,
    /// The new form of the keys, as on the command line, and the new type of the columns.
    pub(super) target: &'static str,
    pub(super) new_type: &'static str,
    /// The same type, as statements name it whatever schemas the path of the session has.
    pub(super) column_type: &'static str,
    /// The values are integers, and stay as they are.
    pub(super) integers: bool,
    /// A column that has the new type only after the plan.
    pub(super) sign: Sign,
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
    /// The file that ends the plan if its steps cannot.
    pub(super) abandon: &'static str,
    /// The names of the steps' files.
    pub(super) files: BTreeMap<&'static str, String>,
    /// Columns or views with the texts, if the options require them.
    pub(super) texts: Vec<String>,
    /// The server's version, as in 180001.
    pub(super) version: i32,
    pub(super) keep_text: bool,
    /// The server's description of the columns and their tables. It must be the same when the plan is executed.
    pub(super) shape: Vec<String>,
    /// Parents before children.
    pub(super) tables: Vec<TableChange>,
    pub(super) keys: Vec<KeyChange>,
}

/// A column with its table.
#[derive(Debug, Default, Serialize)]
pub(super) struct Sign {
    pub(super) schema: String,
    pub(super) name: String,
    pub(super) column: String,
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
    /// The name of a column with the text, if the options require one.
    pub(super) text: String,
    pub(super) spelling: Spelling,
    /// The type of the old column.
    pub(super) old_type: String,
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

/// The table and the columns to which a column refers.
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
        options: &Options,
    ) -> Change {
        let (target, keep_text) = (options.to.name(), options.keep_text);
        let id = identity(&[&root.schema, &root.name, target]);
        let integers = options.to == Target::Bigint;
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
            target,
            new_type: if integers { "bigint" } else { "uuid" },
            column_type: if integers { "pg_catalog.int8" } else { "pg_catalog.uuid" },
            integers,
            sign: sign(catalog, graph),
            shown: tables.iter().map(|table| table.shown.as_str()).collect::<Vec<_>>().join(", "),
            files: steps.iter().map(|step| (step.name, step.file.clone())).collect(),
            steps,
            abandon: ABANDON,
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

    /// Adds the server's description of the tables, which completes the plan.
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

/// The first column whose type changes: with integers, others may be `bigint` already.
fn sign(catalog: &Catalog, graph: &Graph) -> Sign {
    let of_table = |&table: &i64| {
        let mut columns = graph.columns.keys().filter(|place| place.0 == table);
        let column =
            columns.find_map(|&place| catalog.column(place).filter(|column| column.kind != "int8"))?;
        let table = catalog.table(table)?;
        Some(Sign { schema: table.schema.clone(), name: table.name.clone(), column: column.name.clone() })
    };
    graph.tables.iter().find_map(of_table).unwrap_or_default()
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
        index.table == table.id && index.columns.iter().any(changes) && !graph.is_useless(index)
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
    // An integer has one spelling.
    let parent = keys.into_iter().filter(|_| spelling != Spelling::Integer).find_map(|key| {
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
        old_type: column.type_text.clone(),
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
        _ if spelling == Spelling::Integer => default.to_owned(),
        _ if spelling == Spelling::Bytes => {
            format!("CAST(pg_catalog.encode(({default}), 'hex') AS pg_catalog.uuid)")
        }
        Some(name) if !name.contains(['(', ')', '\'', '"', ' ']) => {
            format!("CAST({name}() AS pg_catalog.uuid)")
        }
        _ => format!("CAST(CAST(({default}) AS pg_catalog.text) AS pg_catalog.uuid)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_become_uuids() {
        let of = |default| as_uuid(default, Spelling::Hyphenated);
        assert_eq!(of("(gen_random_uuid())::text"), "CAST(gen_random_uuid() AS pg_catalog.uuid)");
        assert_eq!(
            of("(a(b())::text || c())::text"),
            "CAST(CAST(((a(b())::text || c())::text) AS pg_catalog.text) AS pg_catalog.uuid)"
        );
        assert_eq!(
            of("upper((uuidv7())::text)"),
            "CAST(CAST((upper((uuidv7())::text)) AS pg_catalog.text) AS pg_catalog.uuid)"
        );
        let bytes = as_uuid("uuid_send(uuidv7())", Spelling::Bytes);
        assert_eq!(bytes, "CAST(pg_catalog.encode((uuid_send(uuidv7())), 'hex') AS pg_catalog.uuid)");
    }
}
