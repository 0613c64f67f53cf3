//! The tables of a sync: their keys and references, read from the schema.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt;

use idgen_database::catalog::ForeignKey;

use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::installed::IdWidth;
use crate::statement::caller::Connection;
use crate::sync::catalog::{self, CatalogTable, UniquePart};
use crate::sync::expression::Expression;
use crate::sync::fits::Holds;
use crate::table::table_kind::why_not;

/// A table of a sync: its name, and references that the schema has no foreign key for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    name: String,
    references: Vec<(String, String)>,
}

impl Table {
    /// A table whose key and foreign keys are read from the schema.
    pub fn new(name: &str) -> Table {
        Table { name: name.to_owned(), references: Vec::new() }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// A column that holds the key of a row of another table, without a foreign key in the schema.
    #[must_use]
    pub fn refers(mut self, column: &str, table: &str) -> Table {
        self.references.push((column.to_owned(), table.to_owned()));
        self
    }
}

/// True for a name that needs no quoting.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The rule of a foreign key: what becomes of a row when the row is deleted that it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnDelete {
    /// It refuses the deletion, or there is no foreign key.
    Stays,
    /// It deletes the row, too.
    Cascades,
    /// It sets the column to NULL.
    SetsNull,
}

/// A column that refers to a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Reference {
    /// The table that it refers to.
    pub(super) table: String,
    /// True if it may be NULL.
    pub(super) nullable: bool,
    /// True if the schema has a foreign key for it.
    pub(super) enforced: bool,
    /// The rule for a deletion of the row that it refers to.
    pub(super) on_delete: OnDelete,
    /// The column that the foreign key names, which must be the key.
    column: Option<String>,
}

/// A table, as it is in the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) name: String,
    pub(super) key: String,
    pub(super) references: BTreeMap<String, Reference>,
    /// The other columns that can be set, and what they hold.
    pub(super) columns: HashMap<String, Holds>,
    /// The unique indexes except for the primary key: the name, which errors have, and the parts.
    pub(super) unique: Vec<(String, Vec<Compared>)>,
    /// Columns that may be NULL.
    pub(super) nullable: HashSet<String>,
    /// Columns whose default is a value that `DEFAULT(column)` shows.
    pub(super) defaults: HashSet<String>,
    /// Columns with a default, also an expression, which the server gives to a column that is set to `DEFAULT`.
    pub(super) with_default: HashSet<String>,
}

/// A part of a unique index: two rows are equal in it if these values are equal, or have an element in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    /// The column or the expression as a statement must write it for the server to use the index.
    pub(super) text: String,
    /// The expression by which its value follows from columns that can be set: generated columns are replaced by their own expressions.
    pub(super) expression: Expression,
    /// The characters or bytes of it that the index compares; `None` if it compares all.
    pub(super) prefix: Option<u64>,
    /// True for a JSON array, each element of which is a value of the index (MySQL, "Multi-Valued Indexes").
    pub(super) is_array: bool,
}

impl Shape {
    /// The columns that can be set and have a default, NULL included, in their order.
    pub(super) fn columns_with_default(&self) -> impl Iterator<Item = &str> {
        let own = self
            .columns
            .keys()
            .filter(|name| self.nullable.contains(*name) || self.with_default.contains(*name));
        let references =
            self.references.iter().filter(|(_, reference)| reference.nullable).map(|(name, _)| name);
        own.chain(references).map(String::as_str).collect::<BTreeSet<_>>().into_iter()
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: key {}", self.name, self.key)?;
        for (column, reference) in &self.references {
            let (null, by) = (
                if reference.nullable { ", may be NULL" } else { "" },
                if reference.enforced { "by a foreign key" } else { "as declared" },
            );
            write!(f, "\n  {column} refers to {} {by}{null}", reference.table)?;
        }
        let mut columns: Vec<&str> = self.columns.keys().map(String::as_str).collect();
        columns.sort_unstable();
        write!(f, "\n  other columns: {}", columns.join(", "))
    }
}

/// Reads the tables from the schema, parents before their children as far as there is such an order.
pub(super) async fn read<C: Connection>(
    connection: &mut C,
    wanted: &[Table],
    width: IdWidth,
) -> Attempt<Vec<Shape>> {
    let names: HashSet<&str> = wanted.iter().map(|table| table.name.as_str()).collect();
    if names.len() != wanted.len() || wanted.is_empty() {
        return Err(wrong("name each table of the sync once, and at least one".to_owned()));
    }
    let mut shapes = Vec::new();
    for table in wanted {
        shapes.push(shape(connection, table, &names, width).await?);
    }
    for shape in &shapes {
        for (column, reference) in &shape.references {
            let key = shapes.iter().find(|target| target.name == reference.table).map(|target| &target.key);
            if reference.column.is_some() && reference.column.as_ref() != key {
                return Err(wrong(format!(
                    "the table {:?} cannot be synced: its column {column} must refer to the key of {} alone",
                    shape.name, reference.table
                )));
            }
        }
    }
    Ok(in_order(shapes))
}

fn wrong(problem: String) -> Failure {
    Error::new(Kind::Config { problem }).into()
}

async fn shape<C: Connection>(
    connection: &mut C,
    table: &Table,
    names: &HashSet<&str>,
    width: IdWidth,
) -> Attempt<Shape> {
    let name = &table.name;
    let refused = |problem: String| wrong(format!("the table {name:?} cannot be synced: {problem}"));
    if !is_plain(name) {
        return Err(refused("its name may have only a-z, A-Z, 0-9 and _".to_owned()));
    }
    let CatalogTable { engine, columns, references: foreign, unique } =
        catalog::read(connection, name).await?;
    if columns.is_empty() {
        return Err(refused("the schema has no such table, or the user may not see it".to_owned()));
    }
    match engine.as_deref() {
        Some("InnoDB") => {}
        None => return Err(refused("it is a view: name the table itself".to_owned())),
        Some(engine) => {
            return Err(refused(format!(
                "its engine is {engine}, not InnoDB, {}: ALTER TABLE {name} ENGINE=InnoDB",
                why_not(engine)
            )));
        }
    }
    let (mut keys, mut settable, mut types) = (Vec::new(), HashMap::new(), BTreeMap::new());
    let (mut may_be_null, mut defaults, mut with_default) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut generated = HashMap::new();
    for column in columns {
        let (holds, kind) = (Holds::of(&column), column.full_type.to_lowercase());
        // It reads generated columns before it alone.
        if !column.generated.is_empty() {
            let expression = Expression::read(&column.generated, &generated).stored_as(&kind);
            generated.insert(column.name.clone(), expression);
        }
        let catalog::CatalogColumn { name: column, nullable, is_primary, extra, has_default, .. } = column;
        if !is_plain(&column) {
            return Err(refused(format!(
                "the name of its column {column:?} may have only a-z, A-Z, 0-9 and _"
            )));
        }
        types.insert(column.clone(), (kind, nullable));
        if nullable {
            may_be_null.insert(column.clone());
        }
        if has_default && !extra.contains("generated") {
            defaults.insert(column.clone());
        }
        if has_default && !extra.contains(" generated") {
            with_default.insert(column.clone());
        }
        if is_primary {
            if extra.contains("auto_increment") {
                return Err(refused(format!(
                    "its key {column} is AUTO_INCREMENT, and would give numbers that the map gives to other rows: remove \
                     AUTO_INCREMENT, and take the ids of all new rows from the map"
                )));
            }
            keys.push(column);
        } else if !extra.contains(" generated") && !extra.contains("auto_increment") {
            // In an `AUTO_INCREMENT` column, the server stores the next number for 0 and NULL. The extra of a generated
            // column is `VIRTUAL GENERATED` or `STORED GENERATED`; MySQL calls a default that is an expression
            // `DEFAULT_GENERATED`.
            settable.insert(column, holds);
        }
    }
    let [key] = keys.as_slice() else {
        return Err(refused(format!("its primary key must be one column, and has {}", keys.len())));
    };
    let holds_ids = |column: &str| {
        let kind = types.get(column).map_or("", |(kind, _)| kind);
        match width {
            IdWidth::Bits32 => {
                kind.starts_with("bigint") || (kind.starts_with("int") && kind.contains("unsigned"))
            }
            IdWidth::Bits64 => kind.starts_with("bigint"),
        }
    };
    let mut references = BTreeMap::new();
    let mut add = |column: &str, target: &str, key_column: Option<String>, on_delete: OnDelete| {
        let Some((kind, nullable)) = types.get(column) else {
            return Err(refused(format!(
                "it has no column {column}, although the sync declares it as a reference to {target}"
            )));
        };
        if !holds_ids(column) {
            return Err(refused(format!(
                "its column {column} is {kind}, which cannot hold the {width} ids of the map"
            )));
        }
        let reference = Reference {
            table: target.to_owned(),
            nullable: *nullable,
            enforced: key_column.is_some(),
            on_delete,
            column: key_column,
        };
        if column == key || references.insert(column.to_owned(), reference).is_some() {
            return Err(refused(format!("its column {column} is a key, or refers to two tables")));
        }
        Ok(())
    };
    if !holds_ids(key) {
        let kind = types.get(key).map_or("", |(kind, _)| kind);
        return Err(refused(format!(
            "its key {key} is {kind}, which cannot hold the {width} ids of the map"
        )));
    }
    // The ids of other tables are not the map's: their columns are plain numbers.
    let is_synced = |key: &ForeignKey| key.schema == key.to_schema && names.contains(key.to_table.as_str());
    let mut by_keys: HashSet<(String, String)> = HashSet::new();
    for key in foreign.into_iter().filter(is_synced) {
        by_keys.extend(key.columns.iter().map(|column| (column.clone(), key.to_table.clone())));
        let on_delete = match key.on_delete.as_str() {
            "CASCADE" => OnDelete::Cascades,
            "SET NULL" => OnDelete::SetsNull,
            // MariaDB hides it from an account that has no privilege on the table but SELECT.
            "" => {
                return Err(refused(format!(
                    "the server does not show this account the rule of the foreign key of {}: it needs INSERT, UPDATE and DELETE on the table",
                    key.columns.join(", ")
                )));
            }
            _ => OnDelete::Stays,
        };
        for (column, to_column) in key.columns.iter().zip(key.to_columns) {
            add(column, &key.to_table, Some(to_column), on_delete)?;
        }
    }
    for (column, target) in &table.references {
        if !names.contains(target.as_str()) {
            return Err(refused(format!(
                "its column {column} refers to {target}, which is not a table of the sync"
            )));
        }
        // The schema may have got a foreign key for it since.
        if !by_keys.contains(&(column.clone(), target.clone())) {
            add(column, target, None, OnDelete::Stays)?;
        }
    }
    settable.retain(|column, _| !references.contains_key(column));
    let compared = |part: UniquePart| {
        let UniquePart { column, expression, prefix } = part;
        let array = array_of(&expression);
        let (text, expression) = match (array.unwrap_or(&expression), generated.get(&column)) {
            ("", Some(own)) => (format!("`{column}`"), own.clone()),
            ("", None) => (format!("`{column}`"), Expression::of_column(&column)),
            (text, _) => (format!("({text})"), Expression::read(text, &generated)),
        };
        Compared { text, expression, prefix, is_array: array.is_some() }
    };
    let unique =
        unique.into_iter().map(|(index, parts)| (index, parts.into_iter().map(compared).collect())).collect();
    let (name, key) = (name.clone(), key.clone());
    Ok(Shape {
        name,
        key,
        references,
        columns: settable,
        unique,
        nullable: may_be_null,
        defaults,
        with_default,
    })
}

/// The array whose elements an index has: `cast(… as unsigned array)`, as MySQL writes it.
fn array_of(expression: &str) -> Option<&str> {
    let cast = expression.strip_prefix("cast(")?.strip_suffix(" array)")?;
    cast.rsplit_once(" as ").map(|(array, _)| array)
}

/// Parents first. In a circle of tables, the first one of the list begins.
fn in_order(mut left: Vec<Shape>) -> Vec<Shape> {
    let mut ordered: Vec<Shape> = Vec::new();
    while !left.is_empty() {
        let is_ready = |shape: &Shape| {
            shape.references.values().all(|reference| {
                reference.table == shape.name || ordered.iter().any(|parent| parent.name == reference.table)
            })
        };
        let at = left.iter().position(is_ready).unwrap_or(0);
        ordered.push(left.remove(at));
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_on_elements_names_their_array() {
        let shown = "cast(json_extract(`tags`,_utf8mb4'$[*]') as char(20) array)";
        assert_eq!(array_of(shown), Some("json_extract(`tags`,_utf8mb4'$[*]')"));
        assert_eq!(array_of("cast(`n` as unsigned)"), None);
    }

    #[test]
    fn parents_come_first_and_circles_end() {
        let shape = |name: &str, targets: &[&str]| Shape {
            name: name.to_owned(),
            key: "id".to_owned(),
            references: targets
                .iter()
                .map(|target| {
                    let reference = Reference {
                        table: (*target).to_owned(),
                        nullable: false,
                        enforced: true,
                        on_delete: OnDelete::Stays,
                        column: None,
                    };
                    (format!("{target}_id"), reference)
                })
                .collect(),
            columns: HashMap::new(),
            unique: Vec::new(),
            nullable: HashSet::new(),
            defaults: HashSet::new(),
            with_default: HashSet::new(),
        };
        let names =
            |shapes: Vec<Shape>| -> Vec<String> { in_order(shapes).into_iter().map(|s| s.name).collect() };
        let tables = vec![shape("c", &["b", "a"]), shape("b", &["a", "b"]), shape("a", &[])];
        assert_eq!(names(tables), ["a", "b", "c"]);
        assert_eq!(names(vec![shape("y", &["x"]), shape("x", &["y"]), shape("z", &[])]), ["z", "y", "x"]);
    }
}
