//! The new tables do not get rights on columns that are replaced, nor statistics, and only the server shows them: they are named, with the
//! statements that make them again.

use super::quote::{name, text};
use super::session::Session;
use super::texts::Texts;
use super::texts::values::integer_name;
use crate::plan::data::Engine;
use idgen_database::catalog::Grants;

/// The notes about what this account may read; [`unread`] says what it may not read.
pub(super) async fn notes(session: &mut Session, texts: &Texts<'_>) -> Vec<String> {
    [rights(session, texts).await, statistics(session, texts).await].into_iter().flatten().collect()
}

/// Says what this account may not read: the rights of other accounts are shown only with SELECT on the schema of the server.
pub(super) async fn unread(session: &mut Session, texts: &Texts<'_>) -> Vec<String> {
    let mut unread = Vec::new();
    let may_read = match session.rows(Grants::QUERY).await {
        Ok(rows) => Grants::of_rows(&rows).has_on_schema("SELECT", "mysql"),
        Err(_) => false,
    };
    if !may_read && texts.replaced().next().is_some() {
        unread.push(
            "Not read: the rights of other accounts on single columns, which do not follow to the columns of integers: the account that made \
             this plan lacks SELECT on mysql.*. Look for them with SELECT * FROM information_schema.COLUMN_PRIVILEGES, and give them again \
             after the step `rename`."
                .to_owned(),
        );
    }
    let statistics = "SELECT table_name FROM mysql.column_stats LIMIT 1";
    if session.engine == Engine::MariaDb && session.rows(statistics).await.is_err() {
        unread.push(
            "Not read: the statistics that ANALYZE TABLE … PERSISTENT made, which the new tables do not have: the account that made this plan \
             lacks SELECT on mysql.column_stats. If there are any, make them again after the step `rename`."
                .to_owned(),
        );
    }
    unread
}

async fn rights(session: &mut Session, texts: &Texts<'_>) -> Option<String> {
    let of_columns: Vec<_> = texts
        .replaced()
        .map(|(table, column)| format!("(TABLE_NAME = {} AND COLUMN_NAME = {})", text(table), text(column)))
        .collect();
    if of_columns.is_empty() {
        return None;
    }
    let sql = format!(
        "SELECT PRIVILEGE_TYPE, COLUMN_NAME, TABLE_NAME, GRANTEE FROM information_schema.COLUMN_PRIVILEGES WHERE TABLE_SCHEMA = DATABASE() AND ({}) \
         ORDER BY TABLE_NAME, GRANTEE, COLUMN_NAME, PRIVILEGE_TYPE",
        of_columns.join(" OR ")
    );
    let rows = session.rows(&sql).await.unwrap_or_default();
    let grants: Vec<_> = rows.iter().filter_map(|row| grant(row)).collect();
    (!grants.is_empty()).then(|| {
        format!(
            "Rights on single columns do not follow to the columns of integers. Give them again after the step `rename`: {}.",
            grants.join("; ")
        )
    })
}

/// MariaDB's own statistics, which are rows of its schema. The histograms of MySQL are read with what is attached to a table.
async fn statistics(session: &mut Session, texts: &Texts<'_>) -> Option<String> {
    if session.engine != Engine::MariaDb {
        return None;
    }
    let tables: Vec<_> = texts.graph.order.iter().map(|table| text(table)).collect();
    let sql = format!(
        "SELECT DISTINCT table_name FROM mysql.column_stats WHERE db_name = DATABASE() AND table_name IN ({}) ORDER BY 1",
        tables.join(", ")
    );
    let rows = session.rows(&sql).await.unwrap_or_default();
    let analyze: Vec<_> = rows
        .iter()
        .flatten()
        .map(|table| format!("ANALYZE TABLE {} PERSISTENT FOR ALL", name(table)))
        .collect();
    (!analyze.is_empty()).then(|| {
        format!(
            "The new tables do not have the statistics that ANALYZE TABLE … PERSISTENT made. Make them again after the step `rename`: {}.",
            analyze.join("; ")
        )
    })
}

fn grant(row: &[String]) -> Option<String> {
    let [privilege, column, table, grantee] = row else { return None };
    Some(format!("GRANT {privilege} ({}) ON {} TO {grantee}", name(&integer_name(column)), name(table)))
}
