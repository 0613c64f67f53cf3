//! Which question to `idgen lab advise` belongs to a key that the survey found.

use idgen_survey::{Arrival, ColumnReport, Engine, FoundBy, Kind, Survey};

/// Questions about so many keys are printed.
const MOST: usize = 3;
/// A key is of a kind if this share of its values is.
const CLEARLY: f64 = 0.9;

/// The commands that predict what other keys would cost, of the largest tables whose new keys are scattered.
pub fn commands(survey: &Survey) -> Vec<String> {
    let mut keys: Vec<(u64, &'static str)> = Vec::new();
    for table in &survey.tables {
        // A key of several columns is not among the strategies of the lab.
        let mut primary =
            table.columns.iter().filter(|column| column.found_by.contains(&FoundBy::PrimaryKey));
        if let (Some(rows), Some(column), None) = (table.rows, primary.next(), primary.next())
            && let Some(strategy) =
                strategy(column).filter(|_| rows > 0 && column.arrival == Arrival::Scattered)
        {
            keys.push((rows, strategy));
        }
    }
    keys.sort_by_key(|&(rows, _)| std::cmp::Reverse(rows));
    keys.truncate(MOST);
    let engine = match survey.engine {
        Engine::MySql => "mysql",
        Engine::MariaDb => "mariadb",
        Engine::Postgres => "postgres",
        Engine::Sqlite => "sqlite",
    };
    // The buffer pool of the server is asked for only where the model has one.
    let pool = match (survey.engine, survey.pool_bytes) {
        (Engine::MySql | Engine::MariaDb, Some(bytes)) => format!(" --pool {}M", (bytes >> 20).max(5)),
        _ => String::new(),
    };
    keys.iter()
        .map(|(rows, strategy)| {
            format!("idgen lab advise --engine {engine} --rows {rows} --existing {strategy}:{rows}{pool}")
        })
        .collect()
}

/// The strategy of the lab that has such keys.
fn strategy(column: &ColumnReport) -> Option<&'static str> {
    let share = column.kinds.first().filter(|share| share.share >= CLEARLY)?;
    let bytes = column.cost.as_ref()?.value_bytes;
    // One byte more is the length of a value.
    let is = |length: f64| bytes == length || bytes == length + 1.0;
    match share.kind {
        Kind::V4 if is(16.0) => Some("v4-binary"),
        Kind::V4 if is(36.0) => Some("v4-text36"),
        Kind::V4 if is(22.0) => Some("v4-base64"),
        Kind::V1 if is(16.0) => Some("v1-binary"),
        _ => None,
    }
}
