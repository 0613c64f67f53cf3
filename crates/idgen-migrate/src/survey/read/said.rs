//! Statements that the server counted, and those of views, routines, events and triggers: any of them may page by an id. What the user may
//! not see of them is named, since the catalog leaves it out without an error.

use std::collections::BTreeSet;

use crate::programs::{Program, Sight};
use crate::survey::session::{Cell, Engine, Refused, Session};
use idgen_database::catalog::{Grants, mysql};

/// A statement or a definition that the server keeps.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) place: String,
    pub(crate) text: String,
}

/// Reads them. What the survey cannot see is added to `unseen`.
pub(super) async fn read(session: &mut Session, unseen: &mut Vec<String>) -> Vec<Said> {
    let mut found = counted(session, unseen).await;
    found.extend(match session.engine {
        Engine::MySql | Engine::MariaDb => programs(session, unseen).await,
        Engine::Postgres | Engine::Sqlite => views(session, unseen).await,
    });
    found
}

async fn rows(
    session: &mut Session,
    purpose: &str,
    sql: &str,
) -> std::result::Result<Vec<Vec<String>>, Refused> {
    let rows = session.rows(purpose, sql, &[]).await?;
    Ok(rows.iter().map(|row| Cell::texts(row)).collect())
}

async fn counted(session: &mut Session, unseen: &mut Vec<String>) -> Vec<Said> {
    let of_postgres = counted_by_postgres(session).await;
    let (sql, needs) = match session.engine {
        Engine::MySql | Engine::MariaDb => (
            "SELECT CAST(COUNT_STAR AS CHAR), DIGEST_TEXT FROM performance_schema.events_statements_summary_by_digest \
             WHERE DIGEST_TEXT LIKE '%ORDER BY%' OR DIGEST_TEXT LIKE '%>%' OR DIGEST_TEXT LIKE '%<%' LIMIT 10000",
            "SELECT on performance_schema.events_statements_summary_by_digest",
        ),
        Engine::Postgres => (
            of_postgres.as_deref().unwrap_or_default(),
            "the extension pg_stat_statements, and the role pg_read_all_stats",
        ),
        Engine::Sqlite => return Vec::new(),
    };
    let purpose = "statements that the server counted";
    let missing = |why: &str| {
        format!(
            "statements that the server counted, of which some may page by an id: they need {needs} ({why})"
        )
    };
    if sql.is_empty() {
        unseen.push(missing("it is not installed"));
        return Vec::new();
    }
    match rows(session, purpose, sql).await {
        Err(refused) => unseen.push(missing(&refused.why)),
        Ok(rows) => {
            // PostgreSQL shows this in the place of the statements of others.
            if rows.iter().any(|row| row.last().is_some_and(|text| text == "<insufficient privilege>")) {
                unseen.push(missing("those of other roles are hidden"));
            }
            if rows.is_empty() && counts_none(session).await {
                unseen.push(
                    "statements that the server counted, of which some may page by an id: it has counted none (performance_schema is OFF, or \
                     its counts were deleted)"
                        .to_owned(),
                );
            }
            let said = |row: Vec<String>| {
                let [times, text] = row.try_into().ok()?;
                Some(Said { place: format!("a statement that was executed {times} times"), text })
            };
            return rows.into_iter().filter_map(said).collect();
        }
    }
    Vec::new()
}

/// The query of the statements that PostgreSQL counted: the extension's own view, in whichever schema, because another one of this name would be
/// somebody's functions. `None` without the extension, and on other servers.
async fn counted_by_postgres(session: &mut Session) -> Option<String> {
    if session.engine != Engine::Postgres {
        return None;
    }
    let sql = "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_extension e \
               JOIN pg_depend d ON (d.refclassid, d.refobjid, d.classid, d.deptype) = ('pg_extension'::regclass, e.oid, 'pg_class'::regclass, 'e') \
               JOIN pg_class c ON c.oid = d.objid JOIN pg_namespace n ON n.oid = c.relnamespace \
               WHERE e.extname = 'pg_stat_statements' AND c.relname = 'pg_stat_statements'";
    let found = rows(session, "whether pg_stat_statements is installed", sql).await.ok()?;
    let view = found.first()?.first()?;
    Some(format!(
        "SELECT s.calls::text, s.query FROM {view} s JOIN pg_database d ON d.oid = s.dbid \
         WHERE d.datname = current_database() LIMIT 10000"
    ))
}

/// Returns true if MySQL or MariaDB has not counted any statement.
async fn counts_none(session: &mut Session) -> bool {
    let sql = "SELECT DIGEST FROM performance_schema.events_statements_summary_by_digest LIMIT 1";
    session.engine.speaks_mysql()
        && rows(session, "whether statements are counted", sql).await.is_ok_and(|rows| rows.is_empty())
}

async fn views(session: &mut Session, unseen: &mut Vec<String>) -> Vec<Said> {
    let sql = match session.engine {
        Engine::Postgres => {
            "SELECT viewname::text, definition FROM pg_views WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        }
        _ => "SELECT name, sql FROM sqlite_schema WHERE type IN ('view', 'trigger')",
    };
    match rows(session, "views", sql).await {
        Err(refused) => {
            unseen.push(format!("views, of which some may page by an id: {}", refused.why));
            Vec::new()
        }
        Ok(rows) => {
            let said = |row: Vec<String>| {
                let [name, text] = row.try_into().ok()?;
                Some(Said { place: format!("the view {name}"), text })
            };
            rows.into_iter().filter_map(said).collect()
        }
    }
}

/// Programs of all schemas. If the URL names a schema, those of others count if they name it.
async fn programs(session: &mut Session, unseen: &mut Vec<String>) -> Vec<Said> {
    let purpose = "views, routines, events and triggers";
    let about = "views, routines, events and triggers, of which some may page by an id";
    let sql = format!(
        "SELECT SCHEMA_NAME, COALESCE(DATABASE(), '') FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN {}",
        mysql::OF_SERVER
    );
    let listed = rows(session, "schemas", &sql).await.unwrap_or_default();
    let here = listed.first().and_then(|row| row.last()).cloned().unwrap_or_default();
    let schemas: BTreeSet<String> = listed.into_iter().filter_map(|row| row.into_iter().next()).collect();
    let mut all: Vec<Program> = Vec::new();
    let condition = format!("{{schema}} NOT IN {}", mysql::OF_SERVER);
    let parts = match here.is_empty() {
        true => vec![condition],
        false => {
            vec!["{schema} = DATABASE()".to_owned(), format!("{{schema}} <> DATABASE() AND {condition}")]
        }
    };
    for (at, part) in parts.iter().enumerate() {
        match rows(session, purpose, &mysql::programs(part)).await {
            Ok(rows) => all.extend(rows.into_iter().filter_map(Program::of_row)),
            Err(refused) if at == 0 => unseen.push(format!("{about}: {}", refused.why)),
            Err(refused) => unseen.push(format!("{about}, in other schemas: {}", refused.why)),
        }
    }
    match rows(session, "the privileges of this user", Grants::QUERY).await {
        Err(refused) => {
            unseen.push(format!(
                "{about}, if this user may not see them: its privileges are not known ({})",
                refused.why
            ));
        }
        Ok(rows) => {
            let grants = Grants::of_rows(&rows);
            let is_mysql = session.engine == Engine::MySql;
            let sight = Sight { grants: &grants, is_mysql, programs: &all };
            let (own, others): (Vec<_>, Vec<_>) =
                schemas.into_iter().partition(|schema| here.is_empty() || *schema == here);
            for missing in [sight.missing(&own, &here), sight.missing(&others, &here)].into_iter().flatten() {
                unseen.push(format!(
                    "{} of {}, of which some may page by an id: this user lacks {}",
                    missing.what(),
                    missing.of_schemas(),
                    missing.privileges()
                ));
            }
            if !sight.sees_schemas() {
                unseen.push(format!(
                    "{about}, in schemas that this user does not see, if there are any: that needs SELECT, SHOW VIEW, EVENT and TRIGGER on *.*"
                ));
            }
        }
    }
    let counts = |one: &Program| {
        let is_own = here.is_empty() || one.schema.eq_ignore_ascii_case(&here);
        !one.text.is_empty() && (is_own || one.mentions(&here))
    };
    let said = |one: Program| Said { place: format!("the {}", one.shown(&here)), text: one.text };
    all.into_iter().filter(counts).map(said).collect()
}
