//! The columns that change: those of the table's key, and what foreign keys connect with them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::catalog::{Catalog, Column, ForeignKey, Index, Place, Table};
use super::names::quoted;
use super::session::Session;
use super::spelling::Spelling;
use idgen_database::{Error, Result};

/// The connected component of a table.
#[derive(Debug)]
pub(super) struct Graph {
    /// Ids of tables, parents before children.
    pub(super) tables: Vec<i64>,
    /// The columns that change, with the spelling of their ids.
    pub(super) columns: BTreeMap<Place, Spelling>,
    /// Foreign keys between columns that change, as places in the catalog's list.
    pub(super) foreign_keys: Vec<usize>,
    /// The columns and tables that were left out, and why.
    pub(super) notes: Vec<String>,
}

const NO_KEY: &str = "has no primary key: there is no key to change";

impl Graph {
    /// An index of a changed column that serves searches in texts, for which the new type has no use.
    pub(super) fn is_useless(&self, index: &Index) -> bool {
        let changed = index.columns.first().and_then(|&number| self.columns.get(&(index.table, number)));
        index.serves_texts() && changed.is_some_and(|&spelling| spelling != Spelling::Integer)
    }
}

/// Finds the component. Keys that are no ids, as those of a table of currencies, stay as they are.
pub(super) async fn find(session: &mut Session, catalog: &Catalog, root: i64) -> Result<Graph> {
    let mut graph =
        Graph { tables: Vec::new(), columns: BTreeMap::new(), foreign_keys: Vec::new(), notes: Vec::new() };
    let mut seen = BTreeSet::new();
    let mut tables = VecDeque::from([root]);
    let mut visited = BTreeSet::from([root]);
    let own = key_of(catalog, root);
    if own.is_empty() {
        return Err(Error::new(format!("the table {NO_KEY}")));
    }
    while let Some(table) = tables.pop_front() {
        for place in ends(catalog, table) {
            if !seen.insert(place) {
                continue;
            }
            let linked = linked(catalog, place);
            seen.extend(linked.iter().copied());
            // In a key of several columns, only the columns that hold ids change.
            let is_own = own == [place];
            let Some(spelling) = spelling(session, catalog, &linked, is_own, &mut graph.notes).await? else {
                continue;
            };
            for place in linked {
                graph.columns.insert(place, spelling);
                if visited.insert(place.0) {
                    tables.push_back(place.0);
                }
            }
        }
    }
    if !own.iter().any(|place| graph.columns.contains_key(place)) {
        let shown = own.iter().filter_map(|&place| Some((place, catalog.column(place)?)));
        let shown: Vec<_> =
            shown.map(|(place, column)| format!("{} ({})", catalog.shown(place), column.type_text)).collect();
        return Err(Error::new(format!(
            "the primary key is {}, which holds no ids as text or bytes: there is nothing to change. {}",
            shown.join(", "),
            graph.notes.join(" ")
        )));
    }
    graph.foreign_keys = (0..catalog.foreign_keys.len())
        .filter(|&at| pairs(&catalog.foreign_keys[at]).any(|(child, _)| graph.columns.contains_key(&child)))
        .collect();
    let members: BTreeSet<i64> = graph.columns.keys().map(|place| place.0).collect();
    graph.tables = parents_first(catalog, &graph.foreign_keys, members);
    Ok(graph)
}

/// Finds the columns for `--to bigint`: the key of the table, and the columns that foreign keys connect with it. All
/// other integers stay as they are.
pub(super) fn of_integers(catalog: &Catalog, root: &Table) -> Result<Graph> {
    let key = key_of(catalog, root.id);
    if key.is_empty() {
        return Err(Error::new(format!("the table {} {NO_KEY}", root.shown())));
    }
    let &[place] = &key[..] else {
        let names: Vec<_> =
            key.iter().filter_map(|&place| Some(catalog.column(place)?.name.as_str())).collect();
        return Err(Error::new(format!(
            "the primary key of {} has {} columns ({}): --to bigint changes primary keys of one column. If one of them refers to another \
             table, name that table",
            root.shown(),
            names.len(),
            names.join(", ")
        )));
    };
    let described = |place: Place| {
        let declared = catalog.column(place).map_or("", |column| &column.type_text);
        format!("{} ({declared})", catalog.shown(place))
    };
    let kind = |place: Place| catalog.column(place).map_or("", |column| &column.kind);
    match kind(place) {
        "int2" | "int4" => {}
        "int8" => return Err(Error::new(format!("{} is bigint already", catalog.shown(place)))),
        _ => {
            return Err(Error::new(format!(
                "the primary key is {}: --to bigint changes keys of smallint or integer",
                described(place)
            )));
        }
    }
    let linked = linked(catalog, place);
    let shown = |kinds: &dyn Fn(&str) -> bool| {
        let found = linked.iter().filter(|&&place| kinds(kind(place)));
        found.map(|&place| described(place)).collect::<Vec<_>>().join(", ")
    };
    let others = shown(&|kind| !matches!(kind, "int2" | "int4" | "int8"));
    if !others.is_empty() {
        return Err(Error::new(format!(
            "foreign keys connect {} with columns that are no integers: {others}. Drop them for the change",
            described(place)
        )));
    }
    let bigints = shown(&|kind| kind == "int8");
    let note = format!(
        "These columns are bigint already, and are copied nevertheless, because foreign keys connect them with the key: {bigints}."
    );
    let foreign_keys = (0..catalog.foreign_keys.len())
        .filter(|&at| pairs(&catalog.foreign_keys[at]).any(|(child, _)| linked.contains(&child)))
        .collect::<Vec<_>>();
    let members = linked.iter().map(|place| place.0).collect();
    Ok(Graph {
        tables: parents_first(catalog, &foreign_keys, members),
        columns: linked.into_iter().map(|place| (place, Spelling::Integer)).collect(),
        foreign_keys,
        notes: if bigints.is_empty() { Vec::new() } else { vec![note] },
    })
}

/// The columns of the primary key.
pub(super) fn key_of(catalog: &Catalog, table: i64) -> Vec<Place> {
    let primary = catalog.indexes.iter().find(|index| index.table == table && index.primary);
    primary.map_or(Vec::new(), |index| {
        index.columns[..index.key_columns].iter().map(|&number| (table, number)).collect()
    })
}

/// The columns of the primary key, and those of foreign keys to and from the table.
fn ends(catalog: &Catalog, table: i64) -> Vec<Place> {
    let mut places = key_of(catalog, table);
    for (child, parent) in catalog.foreign_keys.iter().flat_map(pairs) {
        places.extend([child, parent].into_iter().filter(|place| place.0 == table));
    }
    places
}

/// The columns of a foreign key, each with the one that it refers to.
pub(super) fn pairs(key: &ForeignKey) -> impl Iterator<Item = (Place, Place)> {
    let both = key.columns.iter().zip(&key.refers_to);
    both.map(|(&child, &parent)| ((key.child, child), (key.parent, parent)))
}

/// All columns that foreign keys connect with one.
fn linked(catalog: &Catalog, place: Place) -> BTreeSet<Place> {
    let mut found = BTreeSet::from([place]);
    let mut next = VecDeque::from([place]);
    while let Some(at) = next.pop_front() {
        for (child, parent) in catalog.foreign_keys.iter().flat_map(pairs) {
            let other = if child == at {
                parent
            } else if parent == at {
                child
            } else {
                continue;
            };
            if found.insert(other) {
                next.push_back(other);
            }
        }
    }
    found
}

/// Returns the spelling of the ids in the columns; `None` if they stay as they are.
async fn spelling(
    session: &mut Session,
    catalog: &Catalog,
    places: &BTreeSet<Place>,
    is_own: bool,
    notes: &mut Vec<String>,
) -> Result<Option<Spelling>> {
    let columns: Vec<&Column> = places.iter().filter_map(|&place| catalog.column(place)).collect();
    let is_text = |column: &&Column| matches!(column.kind.as_str(), "text" | "varchar" | "bpchar" | "citext");
    if columns.iter().all(|column| column.kind == "bytea") {
        return Ok(Some(Spelling::Bytes));
    }
    if !columns.iter().all(is_text) {
        if columns.iter().any(is_text) {
            let shown: Vec<_> = columns.iter().map(|column| column.type_text.as_str()).collect();
            let shown: BTreeSet<_> = places.iter().map(|&place| catalog.shown(place)).zip(shown).collect();
            let shown: Vec<_> = shown.into_iter().map(|(name, kind)| format!("{name} ({kind})")).collect();
            notes.push(format!(
                "These columns stay as they are, because they do not all have a type of text: {}.",
                shown.join(", ")
            ));
        }
        return Ok(None);
    }
    let mut values = Vec::new();
    for &place in places {
        let (Some(table), Some(column)) = (catalog.table(place.0), catalog.column(place)) else { continue };
        if table.readable && table.kind == "r" {
            values.extend(session.sample(&table.written(), &quoted(&column.name)).await?);
        }
    }
    let most = Spelling::of_most(&values);
    let declared = columns.iter().any(|column| column.type_text.contains("(36)"));
    if most.is_some() || (values.is_empty() && (is_own || declared)) {
        return Ok(Some(most.unwrap_or(Spelling::Hyphenated)));
    }
    // The key that was asked for is taken whatever it holds: the first step shows the rows.
    if is_own {
        return Ok(Some(Spelling::Hyphenated));
    }
    let mut shown: Vec<_> = places.iter().map(|&place| catalog.shown(place)).collect();
    shown.sort();
    let why = if values.is_empty() {
        "hold no rows yet, and no length of 36"
    } else {
        "hold other texts than UUIDs"
    };
    notes.push(format!("These columns stay as they are, because they {why}: {}.", shown.join(", ")));
    Ok(None)
}

/// Parents before children. Tables that refer to each other in a circle keep the order of their ids.
fn parents_first(catalog: &Catalog, keys: &[usize], mut left: BTreeSet<i64>) -> Vec<i64> {
    let mut sorted = Vec::new();
    while let Some(&first) = left.first() {
        let waits = |table: i64| {
            keys.iter()
                .map(|&at| &catalog.foreign_keys[at])
                .any(|key| key.child == table && key.parent != table && left.contains(&key.parent))
        };
        let next = left.iter().copied().find(|&table| !waits(table)).unwrap_or(first);
        left.remove(&next);
        sorted.push(next);
    }
    sorted
}
