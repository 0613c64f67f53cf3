//! Checks the tables of the map as a whole: each must be a table of InnoDB, and no view.

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use crate::error::failure::Attempt;
use crate::statement::values::Values;

/// A table that is wrong as a whole, and what is wrong with it. Tables that are not there are not wrong.
pub(crate) async fn problem(
    connection: &mut MySqlConnection,
    tables: &[&str],
) -> Attempt<Option<(String, String)>> {
    // Several names in one condition would make MariaDB read the whole schema.
    let kinds = tables.iter().map(|table| {
        format!(
            "SELECT table_name, table_type, engine FROM information_schema.tables \
             WHERE table_schema = DATABASE() AND table_name = '{table}'"
        )
    });
    let kinds = kinds.collect::<Vec<_>>().join(" UNION ALL ");
    for row in connection.fetch_all(sqlx::raw_sql(AssertSqlSafe(kinds))).await? {
        let table = row.text(0)?.unwrap_or_default();
        match (row.text(1)?.as_deref(), row.text(2)?.as_deref()) {
            (Some("VIEW"), _) => return Ok(Some((table, VIEW.to_owned()))),
            (_, Some("InnoDB")) => {}
            (_, engine) => {
                let problem = other_engine(&table, engine.unwrap_or("unknown"));
                return Ok(Some((table, problem)));
            }
        }
    }
    Ok(None)
}

/// Describes the problem of a view in the place of a table of the map.
pub(crate) const VIEW: &str = "a view has its name, and the map needs the table itself: drop the view, and give the table its name \
    back; if there was none, call install (idgen map install) then";

/// Describes the problem of a table of another engine than InnoDB.
pub(crate) fn other_engine(table: &str, engine: &str) -> String {
    let why = why_not(engine);
    format!(
        "its engine is {engine}, not InnoDB, {why}: run ALTER TABLE {table} ENGINE = InnoDB, and then check the map (idgen map \
         check)"
    )
}

/// Explains why an engine cannot replace InnoDB, as the end of a sentence.
pub(crate) fn why_not(engine: &str) -> &'static str {
    /// Engines with transactions that have other locks.
    const OTHERS: [&str; 3] = ["ROCKSDB", "NDBCLUSTER", "TOKUDB"];
    if OTHERS.iter().any(|other| other.eq_ignore_ascii_case(engine)) {
        "on whose locks of ranges and order of commits idgen relies"
    } else {
        "so a transaction cannot undo what it stores"
    }
}
