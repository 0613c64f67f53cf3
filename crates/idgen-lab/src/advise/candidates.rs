//! The strategies that advice compares, the same for every database, and the choice among them.

use serde::Serialize;

use super::amounts::bytes;
use crate::strategy::{self, Strategy};
use crate::{Error, Result};
use idgen_record::{Column, Database};

/// Who makes the ids of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdsFrom {
    /// It is not known: a key for each case is recommended.
    #[default]
    Either,
    /// The database, and clients learn the id after the insert.
    Server,
    /// Clients, which know the id before the insert.
    Clients,
}

/// A strategy that is compared.
struct Entry {
    name: &'static str,
    /// Its ids hide when they were made.
    hides: bool,
    /// Only a table that holds rows may need it.
    for_existing: bool,
}

const fn entry(name: &'static str, hides: bool, for_existing: bool) -> Entry {
    Entry { name, hides, for_existing }
}

/// All of them, the simplest first. If two are equal, the first one wins.
const ALL: [Entry; 11] = [
    entry("auto-increment", false, false),
    entry("device", false, true),
    entry("v7-binary", false, false),
    entry("fixed-prefix", false, true),
    entry("minute-ascending", true, false),
    entry("minute-random", true, false),
    entry("v4-binary", true, false),
    entry("v7-text36", false, true),
    entry("fixed-text36", false, true),
    entry("minute-text36", true, true),
    entry("v4-text36", true, false),
];

/// What advice knows of a strategy that it compares.
pub(super) trait Compared {
    /// Its name.
    fn strategy(&self) -> &'static str;

    /// Whether it clearly costs less than another one.
    fn is_cheaper_than(&self, other: &Self) -> bool;
}

/// The strategies to compare: of a table that holds rows, those that fit its column.
///
/// # Errors
/// Nothing but the old kind of id fits the column.
pub(super) fn compared(
    database: Database,
    existing: Option<(&'static Strategy, u64)>,
) -> Result<Vec<&'static Strategy>> {
    let wanted = |entry: &&Entry| existing.is_some() || !entry.for_existing;
    let all: Vec<_> =
        ALL.iter().filter(wanted).map(|entry| strategy::find(entry.name)).collect::<Result<_>>()?;
    let fits = |strategy: &&Strategy| existing.is_none_or(|(old, _)| shares_a_column(old, strategy));
    let can = |strategy: &&Strategy| strategy.check(database).is_ok();
    let mut compared: Vec<_> = all.into_iter().filter(fits).filter(can).collect();
    let place = |name: &str| compared.iter().position(|strategy| strategy.name == name);
    if let (false, Some(ascending), Some(random)) =
        (database.clusters_rows(), place("minute-ascending"), place("minute-random"))
    {
        // In an index beside a heap, an ascending tail fills no pages, and the random tail is the simpler one.
        compared.swap(ascending, random);
    }
    match existing {
        Some((old, _)) if compared.iter().all(|strategy| strategy.name == old.name) => Err(nothing_fits(old)),
        _ => Ok(compared),
    }
}

/// Whether the ids of both fit one column, as they must if new rows go into an existing table. Counted numbers would follow
/// the largest of those that devices made.
fn shares_a_column(old: &Strategy, new: &Strategy) -> bool {
    match (old.column, new.column) {
        (Column::Integer, Column::CountedInteger) => false,
        (Column::CountedInteger, Column::Integer) => true,
        (old, new) => old == new,
    }
}

fn nothing_fits(old: &Strategy) -> Error {
    Error::config(format!(
        "nothing else that is compared fits the column of {}: predict it with simulate",
        old.name
    ))
}

/// Whether the database makes the ids of this strategy.
pub(super) fn is_made_by_server(name: &str) -> bool {
    name == "auto-increment"
}

/// What is recommended.
pub(super) struct Choice<'a, C> {
    /// The cheapest of those that were asked for.
    pub best: &'a C,
    /// The cheapest of those that the database makes, if `best` is made by clients and it was not asked who makes ids.
    pub from_server: Option<&'a C>,
    /// The cheapest whose ids hide when they were made.
    pub hiding: Option<&'a C>,
}

/// Chooses among these candidates.
///
/// # Errors
/// None of them is made by whom ids should be from.
pub(super) fn choose<C: Compared>(candidates: &[C], from: IdsFrom) -> Result<Choice<'_, C>> {
    let cheapest = |wanted: &dyn Fn(&str) -> bool| {
        candidates
            .iter()
            .filter(|one| wanted(one.strategy()))
            .reduce(|best, other| if other.is_cheaper_than(best) { other } else { best })
    };
    let server = cheapest(&is_made_by_server);
    let clients = cheapest(&|name| !is_made_by_server(name));
    let hides = |name: &str| ALL.iter().any(|entry| entry.name == name && entry.hides);
    let (best, from_server, who, other) = match from {
        IdsFrom::Either => (clients.or(server), server.filter(|_| clients.is_some()), "", ""),
        IdsFrom::Server => (server, None, " and is made by the database", ": choose --ids-from clients"),
        IdsFrom::Clients => (clients, None, " and is made by clients", ": choose --ids-from server"),
    };
    let best = best.ok_or_else(|| {
        Error::config(format!("nothing that is compared fits the column of the table{who}{other}"))
    })?;
    Ok(Choice { best, from_server, hiding: cheapest(&hides).filter(|_| from != IdsFrom::Server) })
}

/// The reasons, of which there is at least one.
///
/// # Errors
/// There is none: a mistake of the program, not of the load.
pub(super) fn given(reasons: Vec<String>, recommended: &str) -> Result<Vec<String>> {
    if reasons.is_empty() {
        return Err(Error::mistake(format!(
            "{recommended} would be recommended without a reason, which is a mistake of this program: please report it with \
             the command"
        )));
    }
    Ok(reasons)
}

/// Why ids that the database counts are the other answer.
pub(super) fn counted(name: &str, size: &str, best: &str, best_size: &str) -> String {
    format!(
        "If the database makes the ids, {name} ends at {size}, and {best} at {best_size}: an integer is the smallest key. \
         Clients then learn the id only after the insert, and its numbers tell how many rows there are."
    )
}

/// Why new rows may stay with the kind of the old ones.
pub(super) fn staying(name: &str) -> String {
    format!("No other key that fits the column is clearly cheaper than {name}, so new rows can stay with it.")
}

/// Adds what every answer ends with: that a counted integer is the smallest key, if it is the `best` or else what one `from_server` would cost, each
/// with the bytes of its table; and first of all, if the best key is that of the existing rows, that new rows can stay with it.
pub(super) fn conclude(
    reasons: &mut Vec<String>,
    best: (&str, f64),
    from_server: Option<(&str, f64)>,
    existing: Option<(&Strategy, u64)>,
) {
    let (best, best_bytes) = best;
    if best == "auto-increment" {
        reasons.push("An integer that the database counts is the smallest key.".into());
    }
    if let Some((one, one_bytes)) = from_server {
        reasons.push(counted(one, &bytes(one_bytes), best, &bytes(best_bytes)));
    }
    if existing.is_some_and(|(old, _)| old.name == best) {
        reasons.insert(0, staying(best));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Priced(&'static str, u32);

    impl Compared for Priced {
        fn strategy(&self) -> &'static str {
            self.0
        }
        fn is_cheaper_than(&self, other: &Self) -> bool {
            self.1 < other.1
        }
    }

    #[test]
    fn the_column_decides_what_is_compared_on_every_database() {
        for database in [Database::MySql, Database::MariaDb, Database::Postgres, Database::Sqlite] {
            let names = |existing: Option<&str>| -> Vec<&str> {
                let existing = existing.map(|name| (strategy::find(name).unwrap(), 1_000));
                compared(database, existing).unwrap().iter().map(|strategy| strategy.name).collect()
            };
            let text = ["v7-text36", "fixed-text36", "minute-text36", "v4-text36"];
            assert_eq!(names(Some("v4-text36")), text, "{database:?}");
            assert_eq!(names(Some("auto-increment")), ["auto-increment", "device"], "{database:?}");
            assert!(names(Some("v4-binary")).contains(&"fixed-prefix"), "{database:?}");
            assert!(names(None).contains(&"v4-text36") && !names(None).contains(&"device"), "{database:?}");
            let old = Some((strategy::find("v4-base64").unwrap(), 1_000));
            assert!(compared(database, old).unwrap_err().is_config());
        }
    }

    #[test]
    fn who_makes_ids_decides_and_both_are_shown_if_it_is_not_known() {
        let all = [Priced("auto-increment", 1), Priced("v7-binary", 2), Priced("minute-random", 3)];
        let chosen = |candidates: &[Priced], from| {
            let found = choose(candidates, from)?;
            Ok((found.best.0, found.from_server.map(|one| one.0), found.hiding.map(|one| one.0)))
        };
        let hiding = Some("minute-random");
        assert_eq!(chosen(&all, IdsFrom::Either).unwrap(), ("v7-binary", Some("auto-increment"), hiding));
        assert_eq!(chosen(&all, IdsFrom::Clients).unwrap(), ("v7-binary", None, hiding));
        assert_eq!(chosen(&all, IdsFrom::Server).unwrap(), ("auto-increment", None, None));
        let error: Error = chosen(&all[1..], IdsFrom::Server).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("--ids-from clients"), "{error}");
    }

    #[test]
    fn an_answer_without_a_reason_is_a_mistake() {
        let error = given(Vec::new(), "v4-text36").unwrap_err();
        assert!(!error.is_config() && error.to_string().contains("v4-text36"), "{error}");
        assert_eq!(given(vec!["why".into()], "v4-text36").unwrap(), ["why"]);
    }
}
