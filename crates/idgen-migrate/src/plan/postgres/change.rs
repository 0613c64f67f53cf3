//! What the templates are filled with.

use serde::Serialize;

use super::catalog::{Catalog, Column, ForeignKey, Index, Place, Table};
use super::graph::{Graph, key_of, pairs};
use super::names::{quoted, with_ending};
use super::refuse::not_null;
use super::spelling::Spelling;

/// The whole change.
#[derive(Debug, Serialize)]
pub(super) struct Change {
    /// The schema of the plan's own objects.
    pub(super) schema: String,
    /// The server's version, as in 180001.
    pub(super) version: i32,
    pub(super) keep_text: bool,
    /// What the server knows of the columns and their tables. It must be the same when the plan is executed.
    pub(super) shape: Vec<String>,
    /// Parents before children.
    pub(super) tables: Vec<TableChange>,
    pub(super) keys: Vec<KeyChange>,
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
pub(super) struct IndexChange {
    pub(super) name: String,
    pub(super) new: String,
    pub(super) kept: String,
    pub(super) primary: bool,
    pub(super) unique: bool,
    pub(super) constraint: bool,
    /// `CLUSTER` uses it.
    pub(super) clustered: bool,
    pub(super) comment: Option<String>,
    pub(super) constraint_comment: Option<String>,
    pub(super) method: String,
    /// Lists of columns with their order, until the switch and for the way back.
    pub(super) new_columns: String,
    pub(super) kept_columns: String,
    /// The names of all columns, for the search of duplicates.
    pub(super) columns: Vec<String>,
    pub(super) condition: Option<String>,
    pub(super) new_condition: Option<String>,
    pub(super) nulls_not_distinct: bool,
    /// What comes after the columns: `NULLS NOT DISTINCT`, `WITH`, `TABLESPACE`.
    pub(super) ending: String,
}

#[derive(Debug, Serialize)]
pub(super) struct KeyChange {
    pub(super) name: String,
    pub(super) new: String,
    pub(super) kept: String,
    pub(super) child: Side,
    pub(super) parent: Side,
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

const NEW: &str = "_idgen_new";
const OLD: &str = "_idgen_old";

impl Change {
    pub(super) fn of(
        catalog: &Catalog,
        graph: &Graph,
        root: &Table,
        version: i32,
        keep_text: bool,
    ) -> Change {
        let tables = graph.tables.iter().filter_map(|&id| catalog.table(id));
        let keys = graph.foreign_keys.iter().filter_map(|&at| key(catalog, graph, &catalog.foreign_keys[at]));
        Change {
            schema: schema(root),
            version,
            keep_text,
            shape: Vec::new(),
            tables: tables.enumerate().map(|(at, table)| table_change(catalog, graph, table, at)).collect(),
            keys: keys.collect(),
        }
    }
}

impl Change {
    /// The texts that stay are generated columns, which older servers would store: there they are in a view.
    pub(super) fn columns_of_text(&self) -> bool {
        self.version >= 180_000
    }
}

/// The schema of the objects of a plan for a table.
pub(super) fn schema(root: &Table) -> String {
    with_ending(&format!("idgen_plan_{}", root.name), "")
}

fn table_change(catalog: &Catalog, graph: &Graph, table: &Table, at: usize) -> TableChange {
    let places = graph.columns.iter().filter(|(place, _)| place.0 == table.id);
    let columns = places.filter_map(|(&place, &spelling)| {
        Some(column_change(catalog, graph, catalog.column(place)?, spelling))
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
        indexes: indexes.map(|index| index_change(catalog, graph, index)).collect(),
        others: others.map(|column| column.name.clone()).collect(),
        view: with_ending(&table.name, "_text"),
    }
}

fn column_change(catalog: &Catalog, graph: &Graph, column: &Column, spelling: Spelling) -> ColumnChange {
    let place = (column.table, column.number);
    let keys = graph.foreign_keys.iter().map(|&at| &catalog.foreign_keys[at]);
    let parent = keys.into_iter().find_map(|key| {
        let (_, to) = pairs(key).find(|&(child, parent)| child == place && parent != place)?;
        let side = side(catalog, graph, pairs(key).map(|(_, parent)| parent))?;
        Some(Parent {
            schema: side.schema,
            name: side.name,
            kept: with_ending(&catalog.column(to)?.name, OLD),
            from: names(catalog, pairs(key).map(|(child, _)| child)),
            to: side.columns,
        })
    });
    ColumnChange {
        name: column.name.clone(),
        new: with_ending(&column.name, NEW),
        kept: with_ending(&column.name, OLD),
        text: with_ending(&column.name, "_text"),
        spelling,
        not_null: column.not_null || key_of(catalog, column.table).contains(&place),
        not_null_kept: with_ending(column.not_null_name.as_deref().unwrap_or(""), OLD),
        not_null_name: column.not_null_name.clone(),
        not_null_ending: if column.not_null_own { " NO INHERIT" } else { "" },
        not_null_comment: column.not_null_comment.clone(),
        check: with_ending(&column.name, "_idgen_not_null"),
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

fn index_change(catalog: &Catalog, graph: &Graph, index: &Index) -> IndexChange {
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
        own.map_or(predicate.clone(), |&number| format!("({} IS NOT NULL)", quoted(&name(number, NEW))))
    });
    IndexChange {
        name: index.name.clone(),
        new: with_ending(&index.name, NEW),
        kept: with_ending(&index.name, OLD),
        primary: index.primary,
        unique: index.unique,
        constraint: index.constraint.is_some(),
        clustered: index.clustered,
        comment: index.comment.clone(),
        constraint_comment: index.constraint_comment.clone(),
        method: index.method.clone(),
        new_columns: list(NEW),
        kept_columns: list(OLD),
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

fn deferral(deferrable: bool, deferred: bool) -> &'static str {
    match (deferrable, deferred) {
        (true, true) => " DEFERRABLE INITIALLY DEFERRED",
        (true, false) => " DEFERRABLE",
        _ => "",
    }
}

fn key(catalog: &Catalog, graph: &Graph, key: &ForeignKey) -> Option<KeyChange> {
    let action = |letter: &str| match letter {
        "c" => "CASCADE",
        "n" => "SET NULL",
        "r" => "RESTRICT",
        _ => "NO ACTION",
    };
    let child = side(catalog, graph, pairs(key).map(|(child, _)| child))?;
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
        new: with_ending(&key.name, NEW),
        kept: with_ending(&key.name, OLD),
        new_ending: ending(&child.new),
        kept_ending: ending(&child.kept),
        child,
        parent: side(catalog, graph, pairs(key).map(|(_, parent)| parent))?,
        comment: key.comment.clone(),
    })
}

/// One side of a foreign key. All of its columns are of one table.
fn side(catalog: &Catalog, graph: &Graph, places: impl Iterator<Item = Place>) -> Option<Side> {
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
    let (new, kept) = (with(NEW), with(OLD));
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

    #[test]
    fn bits_of_an_index_are_its_order() {
        let orders = [0, 1, 2, 3].map(|option| order("btree", option));
        assert_eq!(orders, ["", " DESC NULLS LAST", " NULLS FIRST", " DESC"]);
    }
}
