//! Dangers that the catalog shows, and ids that no constraint keeps unique.

use std::collections::HashMap;

use super::{Code, Context, Finding, Level, about_table};
use crate::survey::judge::columns::FoundBy;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;
use crate::survey::schema::{Catalog, Class, Column, Counter, Table};
use crate::survey::session::Engine;
use crate::survey::sql;

/// A unique key without nulls serves as well: InnoDB clusters by it, and replication finds rows with it.
pub(super) fn no_primary_key(engine: Engine, table: &Table) -> Option<Finding> {
    if table.identity().is_some() {
        return None;
    }
    let is_innodb = table.storage.as_deref().is_none_or(|storage| storage.eq_ignore_ascii_case("InnoDB"));
    let (level, what) = match engine {
        Engine::MySql | Engine::MariaDb if !is_innodb => (
            Level::Danger,
            "there is no primary key and no unique key without nulls: a replica searches the table for each changed row, and no tool \
             can change the table in chunks",
        ),
        Engine::MySql | Engine::MariaDb => (
            Level::Danger,
            "there is no primary key and no unique key without nulls: InnoDB adds a hidden key of 6 bytes from one counter \
             of the whole server, a replica searches the table for each changed row, and no tool can change the table in chunks",
        ),
        Engine::Postgres => (
            Level::Danger,
            "there is no primary key and no unique key without nulls: logical replication refuses updates and deletes, and \
             equal rows cannot be told apart",
        ),
        // Each row has a hidden integer, by which it is stored.
        Engine::Sqlite => (
            Level::Warning,
            "there is no primary key and no unique key without nulls: only the hidden rowid identifies rows, and VACUUM may \
             change it",
        ),
    };
    let finding = about_table(level, Code::NoPrimaryKey, table, None, what.to_owned());
    let statement = match table.columns.is_empty() {
        true => String::new(),
        // Some types, such as JSON and points, have no operator for equality.
        false if engine == Engine::Postgres => format!(
            "SELECT ROW(same.*)::text AS row, COUNT(*) FROM {} AS same GROUP BY 1 HAVING COUNT(*) > 1",
            sql::table(engine, table)
        ),
        false => {
            let names: Vec<String> =
                table.columns.iter().map(|column| sql::name(engine, &column.name)).collect();
            let names = names.join(", ");
            format!(
                "SELECT {names}, COUNT(*) FROM {} GROUP BY {names} HAVING COUNT(*) > 1",
                sql::table(engine, table)
            )
        }
    };
    let remedy = "add an integer key that the server counts, or make the id that programs use the primary key; the statement \
                  shows rows that are equal";
    Some(Finding { statement, remedy: remedy.to_owned(), ..finding })
}

/// The share of a counter's values from which it is near its end.
const NEAR: f64 = 0.8;

/// Counters near their end. One that belongs to a partitioned table is found at its first partition.
pub(super) fn counters(engine: Engine, catalog: &Catalog, table_at: usize) -> Vec<Finding> {
    let table = &catalog.tables[table_at];
    let is_same = |one: &Counter, other: &Counter| one.parent == other.parent && one.name == other.name;
    let is_first = |counter: &Counter| {
        let before = catalog.tables[..table_at].iter().flat_map(|table| &table.counters);
        counter.parent.is_none() || !before.into_iter().any(|other| is_same(other, counter))
    };
    let near = table.counters.iter().filter_map(|counter| {
        let used = counter.used.as_ref().ok().copied().filter(|&used| used >= NEAR)?;
        is_first(counter).then_some((counter, used))
    });
    near.map(|(counter, used)| {
        let column = &table.columns[counter.column];
        let of_all = counter.parent.as_ref().map(|(schema, name)| {
            format!(", of the partitioned table {schema}.{name} and all its partitions,")
        });
        let what = format!(
            "{} of this column ({}){} has used {:.1} % of its values; at the end, every insert fails",
            counter.name,
            column.type_text,
            of_all.unwrap_or_default(),
            (used * 100.0).min(100.0)
        );
        let finding = about_table(Level::Danger, Code::CounterNearEnd, table, Some(column), what);
        let remedy = counter_remedy(engine, table, counter);
        let place = match &counter.parent {
            Some((schema, name)) => format!("{}.{}", sql::name(engine, schema), sql::name(engine, name)),
            None => sql::table(engine, table),
        };
        let of = sql::name(engine, &column.name);
        // A counter can count down.
        let statement = format!("SELECT MIN({of}), MAX({of}) FROM {place}");
        Finding { statement, remedy, ..finding }
    })
    .collect()
}

fn counter_remedy(engine: Engine, table: &Table, counter: &Counter) -> String {
    let at = counter.column;
    let column = &table.columns[at];
    let is_small = matches!(column.class, Class::Int { bits, .. } if bits < 64);
    // The plan changes no partitioned tables.
    let is_key = counter.parent.is_none() && table.primary().is_some_and(|key| key.columns == [at]);
    match engine {
        Engine::MySql | Engine::MariaDb | Engine::Postgres if is_small && is_key => format!(
            "make it a BIGINT, with the columns that refer to it, while clients work, before the end: idgen plan URL --table {} --to bigint",
            if engine == Engine::Postgres { table.shown() } else { table.name.clone() }
        ),
        Engine::MySql | Engine::MariaDb => {
            "make the column BIGINT UNSIGNED, and the columns that refer to it too, before the end".to_owned()
        }
        Engine::Postgres => "make the column bigint and let the sequence count as far (ALTER SEQUENCE ... AS bigint), and change the \
             columns that refer to it too, before the end"
            .to_owned(),
        Engine::Sqlite => "start another table: no integer is larger".to_owned(),
    }
}

/// SQLite's rule for a declared type.
fn affinity(type_text: &str) -> &'static str {
    let upper = type_text.to_ascii_uppercase();
    let has = |part: &str| upper.contains(part);
    if has("INT") {
        "INTEGER"
    } else if has("CHAR") || has("CLOB") || has("TEXT") {
        "TEXT"
    } else if has("BLOB") || upper.is_empty() {
        "BLOB"
    } else if has("REAL") || has("FLOA") || has("DOUB") {
        "REAL"
    } else {
        "NUMERIC"
    }
}

/// The type as far as a comparison depends on it: without the width at which integers are displayed.
fn compared_type(engine: Engine, column: &Column) -> String {
    match (engine, column.class) {
        (Engine::Sqlite, _) => affinity(&column.type_text).to_owned(),
        (_, Class::Int { bits, unsigned }) => {
            format!("{bits} bits{}", if unsigned { " unsigned" } else { "" })
        }
        _ => column.type_text.clone(),
    }
}

pub(super) fn foreign_keys(engine: Engine, catalog: &Catalog, table_at: usize) -> Vec<Finding> {
    let mut findings = Vec::new();
    let table = &catalog.tables[table_at];
    for foreign in catalog.foreign_of(table_at) {
        let parent = &catalog.tables[foreign.parent];
        for (&child_at, &parent_at) in foreign.columns.iter().zip(&foreign.parent_columns) {
            let (column, referred) = (&table.columns[child_at], &parent.columns[parent_at]);
            let other_type = compared_type(engine, column) != compared_type(engine, referred);
            let is_text = matches!(column.class, Class::Text { .. } | Class::Any)
                && matches!(referred.class, Class::Text { .. } | Class::Any);
            let other_collation =
                is_text && (column.collation != referred.collation || column.charset != referred.charset);
            if !other_type && !other_collation {
                continue;
            }
            let described = |column: &Column| match (&column.collation, is_text) {
                (Some(collation), true) => format!("{} collate {collation}", column.type_text),
                _ => column.type_text.clone(),
            };
            let what = format!(
                "{} refers to {}.{} with another {}: {} and {}",
                foreign.name,
                parent.shown(),
                referred.name,
                if other_type { "type" } else { "collation" },
                described(column),
                described(referred)
            );
            let finding = about_table(Level::Danger, Code::ForeignKeyDiffers, table, Some(column), what);
            let (child, refers) = (sql::name(engine, &column.name), sql::name(engine, &referred.name));
            let compared = match engine {
                Engine::MySql | Engine::MariaDb => format!("HEX(p.{refers}) = HEX(c.{child})"),
                Engine::Postgres => format!("p.{refers}::text = c.{child}::text"),
                Engine::Sqlite => {
                    format!("p.{refers} IS c.{child} AND typeof(p.{refers}) = typeof(c.{child})")
                }
            };
            let statement = format!(
                "SELECT c.{child} FROM {} c WHERE c.{child} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {} p WHERE {compared})",
                sql::table(engine, table),
                sql::table(engine, parent)
            );
            let remedy = format!(
                "give {} the type and collation of {}.{}: joins then use the index, and both sides hold the same values",
                column.name,
                parent.shown(),
                referred.name
            );
            findings.push(Finding { statement, remedy, ..finding });
        }
    }
    findings
}

/// Returns true if the name means that the column identifies rows of its own table.
fn is_own_id(table: &Table, column: &Column) -> bool {
    let name = column.name.to_ascii_lowercase();
    let table = table.name.to_ascii_lowercase();
    let own = |suffix: &str| {
        let stem = name.strip_suffix(suffix).map(|stem| stem.trim_end_matches('_'));
        stem.is_some_and(|stem| {
            stem.is_empty()
                || stem == table
                || table.strip_suffix('s') == Some(stem)
                || table.strip_suffix("es") == Some(stem)
        })
    };
    ["id", "uuid", "guid", "ulid"].iter().any(|suffix| own(suffix))
}

/// Ids without a unique key that are there twice. A column that refers to other rows repeats them rightly.
pub(super) fn repeated(context: &Context<'_>) -> Option<Finding> {
    let (engine, table, column, ids) = (context.engine, context.table, context.column, context.ids);
    let refers = ids.found_by.contains(&FoundBy::ForeignKey);
    if refers || table.is_unique(ids.column) || !is_own_id(table, column) {
        return None;
    }
    let mut places: HashMap<u128, Vec<usize>> = HashMap::new();
    for (at, (parsed, reading)) in ids.parsed.iter().zip(&ids.readings).enumerate() {
        if let Some(id) = Parsed::id(parsed)
            && !matches!(reading.kind, Kind::Nil | Kind::Max)
        {
            places.entry(id).or_default().push(at);
        }
    }
    let (all, different) = (places.values().map(Vec::len).sum::<usize>(), places.len());
    // Many rows for each id are a history, above all if the id is a part of a longer key.
    let is_part = table.keys.iter().any(|key| key.unique && key.columns.contains(&ids.column));
    let least = if is_part { 9 } else { 5 };
    if all == different || different * 10 < all * least {
        return None;
    }
    let of = sql::name(engine, &column.name);
    let what = format!("{} of {all} ids are repeated, and no unique key forbids it", all - different);
    let finding = context.finding(Level::Danger, Code::RepeatedIds, what);
    let statement =
        format!("SELECT {of}, COUNT(*) FROM {} GROUP BY {of} HAVING COUNT(*) > 1", sql::table(engine, table));
    let remedy = "find out whether rows were loaded twice or a generator repeats ids (idgen check), then add a unique key";
    let examples =
        context.examples(places.into_values().filter(|places| places.len() > 1).map(|places| places[0]));
    Some(Finding { statement, remedy: remedy.to_owned(), examples, ..finding })
}
