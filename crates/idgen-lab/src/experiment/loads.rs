//! Experiments in which several clients load tables at once.

use std::collections::BTreeMap;

use idgen_record::{Load, Published, TIMES_FIRST, Tolerance};
use serde::Deserialize;

use super::{Scale, at};
use crate::{Error, Result};

/// The name of the table that is loaded; followed by the client's number if each client has its own.
const TABLE: &str = "loaded";

/// An experiment of loads: each case is loaded with each number of rows per statement by each number of clients.
///
/// In its statements, `{table}` stands for the table, `{client}` for the number of the client, counted from 1, and
/// `{rows}` for the rows of a statement.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Loads {
    /// The name on the command line.
    pub id: String,
    /// The question that it answers.
    pub question: String,
    /// Statements that run before the first case.
    #[serde(default)]
    pub setup: Vec<String>,
    /// Additional counts to read: status variables, names of `INNODB_METRICS`, mutexes of the Performance Schema, and
    /// `context_switches`.
    #[serde(default)]
    pub counters: Vec<String>,
    /// True if each client loads a table of its own.
    #[serde(default)]
    table_each: bool,
    /// The statement that the clients repeat.
    insert: String,
    /// A row of the statement.
    row: String,
    /// The numbers of rows per statement.
    statement_rows: Vec<u32>,
    scale: BTreeMap<Scale, Size>,
    /// The cases to compare. With the same clients and rows, the other cases are compared with the first one.
    #[serde(rename = "case")]
    cases: Vec<Case>,
}

/// The size of one scale.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    /// Rows that each client inserts.
    rows: u32,
    clients: Vec<u32>,
    runs: u32,
}

/// A case of the comparison.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    /// Statements that make a table, not timed.
    create: Vec<String>,
    /// A statement and a row of its own, instead of those of the experiment.
    insert: Option<String>,
    row: Option<String>,
    #[serde(default)]
    published: Vec<PublishedLoad>,
}

/// The published figures of a case. If the number of clients or rows is absent, they hold for any.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct PublishedLoad {
    clients: Option<u32>,
    statement_rows: Option<u32>,
    /// Seconds.
    secs: Option<f64>,
    /// Seconds as a multiple of those of the first case.
    times: Option<f64>,
    /// The tolerance of `times`, or of the multiple that follows from `secs`, at the full scale.
    tolerance: Option<Tolerance>,
}

impl PublishedLoad {
    fn is_of(&self, load: Load) -> bool {
        self.clients.is_none_or(|wanted| wanted == load.clients)
            && self.statement_rows.is_none_or(|wanted| wanted == load.statement_rows)
    }
}

/// A load of one case and size, with all placeholders replaced.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadyLoad {
    /// The case, in a few words.
    pub name: String,
    /// Clients that work at the same time.
    pub clients: u32,
    /// Rows of each statement.
    pub statement_rows: u32,
    /// The number of times that each client sends its statement.
    pub repeats: u32,
    /// The number of runs of the load; the median counts.
    pub runs: u32,
    /// Statements that run before each run and are not timed. After them, the tables are empty.
    pub prepare: Vec<String>,
    /// The tables.
    pub tables: Vec<String>,
    /// The statements of the clients, one for each client.
    pub inserts: Vec<String>,
    /// The statement in a short form for people.
    pub shown: String,
}

impl ReadyLoad {
    /// Rows of a run.
    pub fn rows(&self) -> u64 {
        u64::from(self.clients) * u64::from(self.repeats) * u64::from(self.statement_rows)
    }
}

impl Loads {
    /// The loads of a scale: the cases of the same size together, because they are compared with each other.
    ///
    /// # Errors
    /// The definition lacks the scale, or its numbers or statements do not form a load.
    pub fn at(&self, scale: Scale) -> Result<Vec<Vec<ReadyLoad>>> {
        let size = at(&self.scale, scale, &self.id)?;
        self.check(size)?;
        let mut loads = Vec::new();
        for &statement_rows in &self.statement_rows {
            for &clients in &size.clients {
                loads.push(
                    self.cases.iter().map(|case| self.load(case, size, clients, statement_rows)).collect(),
                );
            }
        }
        Ok(loads)
    }

    /// The published figures of the loads of a scale: seconds, and seconds as a multiple of those of the first case. Runs at the
    /// full scale have tolerances.
    ///
    /// # Errors
    /// The errors of [`at`](Self::at).
    pub fn published(&self, scale: Scale) -> Result<Vec<Published>> {
        let mut all = Vec::new();
        for cases in self.at(scale)? {
            let mut first = None;
            for (number, (case, load)) in self.cases.iter().zip(&cases).enumerate() {
                let size = Load { clients: load.clients, statement_rows: load.statement_rows };
                let Some(published) = case.published.iter().find(|published| published.is_of(size)) else {
                    continue;
                };
                let times = published.times.or_else(|| Some(published.secs? / first?)).filter(|_| number > 0);
                first = first.or(published.secs.filter(|_| number == 0));
                let tolerance = published.tolerance.filter(|_| scale == Scale::Full);
                let figures = [("secs", published.secs, None), (TIMES_FIRST, times, tolerance)];
                all.extend(Published::of(&size.name_of(&case.name), figures));
            }
        }
        Ok(all)
    }

    fn check(&self, size: &Size) -> Result<()> {
        let wrong = |what: String| Err(Error::config(format!("the experiment {}: {what}", self.id)));
        let inserts = self.cases.iter().filter_map(|case| case.insert.as_ref());
        for insert in inserts.chain([&self.insert]) {
            if let Some(part) = ["{table}", "{rows}"].into_iter().find(|part| !insert.contains(part)) {
                return wrong(format!("insert = \"{insert}\" lacks {part}"));
            }
        }
        if size.runs == 0 || size.clients.is_empty() || size.clients.contains(&0) {
            return wrong(format!(
                "clients = {:?}, runs = {}: name at least one client and one run",
                size.clients, size.runs
            ));
        }
        for &rows in &self.statement_rows {
            if rows == 0 || size.rows == 0 || !size.rows.is_multiple_of(rows) {
                return wrong(format!("{} rows a client cannot be sent by {rows} a statement", size.rows));
            }
        }
        Ok(())
    }

    fn load(&self, case: &Case, size: &Size, clients: u32, statement_rows: u32) -> ReadyLoad {
        let each: Vec<_> = (1..=clients)
            .map(|client| {
                let table = if self.table_each { format!("{TABLE}_{client}") } else { TABLE.to_owned() };
                (client.to_string(), table)
            })
            .collect();
        let tables: Vec<_> = each.iter().take(if self.table_each { each.len() } else { 1 }).collect();
        let fill = |text: &str, (client, table): &(String, String)| {
            text.replace("{client}", client).replace("{table}", table)
        };
        let prepare = tables
            .iter()
            .flat_map(|place| {
                let drop = format!("DROP TABLE IF EXISTS {}", place.1);
                std::iter::once(drop).chain(case.create.iter().map(|sql| fill(sql, place)))
            })
            .collect();
        let insert = case.insert.as_ref().unwrap_or(&self.insert);
        let row = case.row.as_ref().unwrap_or(&self.row);
        let rows = vec![row.as_str(); statement_rows as usize].join(", ");
        let shown = match statement_rows {
            1 => row.clone(),
            many => format!("{row}, \u{2026} {many} rows"),
        };
        ReadyLoad {
            name: case.name.clone(),
            clients,
            statement_rows,
            repeats: size.rows / statement_rows,
            runs: size.runs,
            prepare,
            tables: tables.iter().map(|place| place.1.clone()).collect(),
            inserts: each.iter().map(|place| fill(&insert.replace("{rows}", &rows), place)).collect(),
            shown: fill(&case.create.join("; "), &each[0])
                + "; "
                + &fill(&insert.replace("{rows}", &shown), &each[0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, all};

    fn known() -> Vec<Loads> {
        let known = all().unwrap().into_iter().filter_map(|experiment| match experiment {
            Experiment::Loads(known) => Some(known),
            _ => None,
        });
        known.collect()
    }

    const TWO_CLIENTS: &str = r#"
        id = "two"
        question = "Which?"
        table_each = true
        insert = "INSERT INTO {table} VALUES {rows}"
        row = "({client})"
        statement_rows = [1, 2]
        [scale.ci]
        rows = 6
        clients = [1, 2]
        runs = 1
        [[case]]
        name = "plain"
        create = ["CREATE TABLE {table} (a INT)"]
        [[case]]
        name = "keyed"
        create = ["CREATE TABLE {table} (a INT, KEY (a))"]
        insert = "INSERT INTO {table} SELECT {rows}"
        row = "-{client}"
        published = [{ clients = 2, statement_rows = 1, times = 1.5 }, { clients = 1, secs = 0.5 }]
    "#;

    fn parse(text: &str) -> Result<Loads> {
        match Experiment::parse(&format!("mode = 'loads'\n{text}"))? {
            Experiment::Loads(experiment) => Ok(experiment),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_definition_has_its_scales_and_no_placeholder_is_left() {
        for experiment in known() {
            for scale in [Scale::Ci, Scale::Default, Scale::Full] {
                let loads = experiment.at(scale).unwrap().concat();
                assert!(loads.len() > 1, "{} {scale}", experiment.id);
                for load in &loads {
                    assert_eq!(load.inserts.len(), load.clients as usize);
                    for sql in load.prepare.iter().chain(&load.inserts) {
                        assert!(!sql.contains('{'), "{}: {sql}", experiment.id);
                    }
                }
                // At the published scale, the published figures appear beside the measured ones.
                if scale == Scale::Full {
                    let all = experiment.published(scale).unwrap();
                    for published in experiment.cases.iter().flat_map(|case| &case.published) {
                        assert!(published.secs.is_some() || published.times.is_some());
                        let figure = |name: &str, value: Option<f64>| {
                            value.is_none_or(|value| {
                                all.iter().any(|found| found.figures.get(name) == Some(&value))
                            })
                        };
                        assert!(
                            figure("secs", published.secs) && figure(TIMES_FIRST, published.times),
                            "{}: {published:?}",
                            experiment.id
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn each_case_is_loaded_by_each_number_of_clients_and_rows() {
        let loads = parse(TWO_CLIENTS).unwrap().at(Scale::Ci).unwrap().concat();
        let order: Vec<_> =
            loads.iter().map(|load| (load.statement_rows, load.clients, load.name.as_str())).collect();
        let expected: Vec<_> = [1, 2]
            .into_iter()
            .flat_map(|rows| [1, 2].map(|clients| [(rows, clients, "plain"), (rows, clients, "keyed")]))
            .flatten()
            .collect();
        assert_eq!(order, expected);

        let last = &loads[7];
        assert_eq!((last.repeats, last.rows()), (3, 12));
        assert_eq!(last.tables, ["loaded_1", "loaded_2"]);
        assert_eq!(last.inserts[1], "INSERT INTO loaded_2 SELECT -2, -2");
        assert_eq!(loads[6].inserts[1], "INSERT INTO loaded_2 VALUES (2), (2)");
        assert_eq!(
            last.prepare[2..],
            ["DROP TABLE IF EXISTS loaded_2", "CREATE TABLE loaded_2 (a INT, KEY (a))"]
        );
        let published = parse(TWO_CLIENTS).unwrap().published(Scale::Ci).unwrap();
        let published: Vec<_> = published
            .iter()
            .flat_map(|of| {
                of.figures.iter().map(|(name, value)| (of.strategy.as_str(), name.as_str(), *value))
            })
            .collect();
        assert_eq!(
            published,
            [
                ("keyed, 1 clients, 1 rows a statement", "secs", 0.5),
                ("keyed, 2 clients, 1 rows a statement", TIMES_FIRST, 1.5),
                ("keyed, 1 clients, 2 rows a statement", "secs", 0.5),
            ]
        );
    }

    #[test]
    fn clients_share_a_table_unless_each_has_its_own() {
        let text = TWO_CLIENTS.replace("table_each = true", "");
        let loads = parse(&text).unwrap().at(Scale::Ci).unwrap().concat();
        assert_eq!(loads[2].tables, ["loaded"]);
        assert_eq!(loads[2].prepare.len(), 2);
        assert_eq!(loads[2].inserts, ["INSERT INTO loaded VALUES (1)", "INSERT INTO loaded VALUES (2)"]);
    }

    #[test]
    fn numbers_and_statements_that_make_no_load_are_refused() {
        for (given, instead, says) in [
            ("[1, 2]\n        runs", "[1, 0]\n        runs", "clients = [1, 0]"),
            ("[1, 2]\n        runs", "[]\n        runs", "clients = []"),
            ("runs = 1", "runs = 0", "runs = 0"),
            ("statement_rows = [1, 2]", "statement_rows = [1, 4]", "6 rows a client cannot be sent by 4"),
            ("statement_rows = [1, 2]", "statement_rows = [0]", "by 0 a statement"),
            ("rows = 6", "rows = 0", "0 rows a client"),
            ("VALUES {rows}", "VALUES (1)", "lacks {rows}"),
            ("INTO {table}", "INTO t", "lacks {table}"),
            ("INTO {table} SELECT", "SELECT", "\"INSERT SELECT {rows}\" lacks {table}"),
        ] {
            let text = TWO_CLIENTS.replacen(given, instead, 1);
            assert_ne!(text, TWO_CLIENTS, "{given}");
            let error = parse(&text).unwrap().at(Scale::Ci).unwrap_err();
            assert!(error.is_config() && error.to_string().contains(says), "{instead}: {error}");
        }
        let error = parse(TWO_CLIENTS).unwrap().at(Scale::Full).unwrap_err();
        assert!(error.to_string().contains("no scale full"), "{error}");
        assert!(parse(&TWO_CLIENTS.replace("row = ", "rows = ")).is_err());
    }
}
