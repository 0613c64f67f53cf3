//! Says what the account of the planning could not see: the catalog shows only what an account has privileges for, without an error.

use std::collections::BTreeSet;

use super::catalog::Catalog;
use super::quote::name;
use super::session::Session;
use crate::plan::data::Engine;
use crate::programs::{Sight, names_of_schemas};
use idgen_database::Result;
use idgen_database::catalog::{ForeignKey, Grants, mysql};

/// The sentences about programs and columns that were not read.
pub(super) async fn sentences(session: &mut Session, catalog: &Catalog) -> Result<Vec<String>> {
    let mut unread = Vec::new();
    if let Some(why) = &catalog.others_unread {
        unread.push(format!(
            "Not read: the views, routines, events and triggers of other schemas: {why}. If they name the tables, they read and write the new \
             columns from the renaming on; look for them yourself."
        ));
    }
    let others = others(session, catalog).await?;
    if !others.is_empty() {
        unread.push(format!(
            "Not read: the columns of {}. Only the columns of this schema were searched for ids of the tables of the plan.",
            names_of_schemas(&others.iter().cloned().collect())
        ));
    }
    let grants = match session.rows(Grants::QUERY).await {
        Ok(rows) => Grants::of_rows(&rows),
        Err(error) => {
            unread.push(format!(
                "Not read: the privileges of this account, so there may be views, routines, events and triggers that it does not see, and \
                 that name the tables: {error}."
            ));
            return Ok(unread);
        }
    };
    let sight = sight(session, catalog, &grants);
    let about = "If they name the tables, they read and write the new columns from the renaming on; a table of the plan with a trigger is \
                 refused by the first file.";
    let here = sight.missing(std::slice::from_ref(&catalog.schema), &catalog.schema);
    let elsewhere = sight.missing(&others, &catalog.schema);
    for missing in [here, elsewhere].into_iter().flatten() {
        unread.push(format!(
            "Not read: {} of {}: the account that made this plan lacks {}. {about} Plan again with these privileges ({}), or look for them \
             yourself.",
            missing.what(),
            missing.of_schemas(),
            missing.privileges(),
            missing.grants(name)
        ));
    }
    if !sight.sees_schemas() {
        unread.push(
            "Not read: schemas that the account that made this plan does not see, if there are any: their views, routines, events and triggers \
             may name the tables, and their columns may hold ids of them. To see all schemas, it needs SELECT, SHOW VIEW, EVENT and TRIGGER on \
             *.*."
                .to_owned(),
        );
    }
    Ok(unread)
}

/// The sentence for a plan that keeps the columns, so that only triggers matter.
pub(super) async fn of_triggers(session: &mut Session, catalog: &Catalog) -> Option<String> {
    let (is_seen, why) = match session.rows(Grants::QUERY).await {
        Ok(rows) => {
            let grants = Grants::of_rows(&rows);
            let is_seen = sight(session, catalog, &grants).sees_triggers(&catalog.schema);
            (is_seen, format!("the account that made this plan lacks TRIGGER on {}", name(&catalog.schema)))
        }
        Err(error) => (false, format!("the privileges of this account are not known: {error}")),
    };
    (!is_seen).then(|| {
        format!(
            "Not read: the triggers of the table: {why}. One that sets the key replaces the id of the default: change it."
        )
    })
}

/// The reason not to change a table whose foreign key has rules that this account may not see: MariaDB shows them only with another
/// privilege than `SELECT`.
pub(super) fn rules(catalog: &Catalog, key: &ForeignKey) -> Option<String> {
    (key.on_update.is_empty() || key.on_delete.is_empty()).then(|| {
        format!(
            "the rules (ON DELETE, ON UPDATE) of the foreign key {} of {} are hidden from this account, since it has only SELECT on the table: \
             GRANT SHOW VIEW ON {}.* TO …, and plan again",
            key.name,
            key.table,
            name(&catalog.schema)
        )
    })
}

/// The reasons not to change tables with check constraints that MariaDB shows without the tables that they are of. A plan without them
/// would be refused by its first file.
pub(super) async fn conditions(
    session: &mut Session,
    catalog: &Catalog,
    tables: &[String],
) -> Result<Vec<String>> {
    let has = |table: &&String| catalog.tables.get(*table).is_some_and(|table| !table.conditions.is_empty());
    let tables: Vec<&String> = tables.iter().filter(has).collect();
    if session.engine != Engine::MariaDb || tables.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "SELECT DISTINCT TABLE_NAME FROM information_schema.TABLE_CONSTRAINTS \
               WHERE TABLE_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK'";
    let seen: BTreeSet<String> = session.rows(sql).await?.into_iter().flatten().collect();
    let hidden = tables.into_iter().filter(|table| !seen.contains(*table));
    let reason = |table: &String| {
        format!(
            "the constraints of {table} are hidden from this account, since it has only SELECT on the table: GRANT SHOW VIEW ON {}.* TO …, and \
             plan again",
            name(&catalog.schema)
        )
    };
    Ok(hidden.map(reason).collect())
}

fn sight<'a>(session: &Session, catalog: &'a Catalog, grants: &'a Grants) -> Sight<'a> {
    Sight { grants, is_mysql: session.engine == Engine::MySql, programs: &catalog.programs }
}

/// The other schemas that this account sees, without those of the server.
async fn others(session: &mut Session, catalog: &Catalog) -> Result<Vec<String>> {
    let sql = format!(
        "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN {}",
        mysql::OF_SERVER
    );
    let schemas: BTreeSet<String> = session.rows(&sql).await?.into_iter().flatten().collect();
    Ok(schemas.into_iter().filter(|schema| *schema != catalog.schema).collect())
}
