//! Foreign keys that change other rows on a server that does not report the errors of that.

use std::collections::{BTreeMap, BTreeSet};

use super::{Code, Finding, Level};
use crate::survey::schema::{Catalog, ForeignKey};
use crate::survey::session::Engine;
use crate::survey::sql;

/// Foreign keys, and tables, that a finding names.
const MOST_NAMED: usize = 5;

/// MySQL from 9.6 on cascades outside of InnoDB unless `innodb_native_foreign_keys` is on. If such a cascade times out
/// waiting for a lock or meets a deadlock, the client sees a statement that succeeded and changed no row. There is one
/// finding for each schema, since one setting of the server fixes all of them.
pub(crate) fn hidden_errors(engine: Engine, catalog: &Catalog) -> Vec<Finding> {
    let mut schemas: BTreeMap<&str, Vec<&ForeignKey>> = BTreeMap::new();
    for foreign in catalog.foreign.iter().filter(|foreign| foreign.unreported.is_some()) {
        schemas.entry(&catalog.tables[foreign.table].schema).or_default().push(foreign);
    }
    schemas.into_iter().map(|(schema, foreign)| finding(engine, catalog, schema, &foreign)).collect()
}

fn finding(engine: Engine, catalog: &Catalog, schema: &str, foreign: &[&ForeignKey]) -> Finding {
    let keys = foreign.iter().map(|foreign| {
        let rule = foreign.unreported.as_deref().unwrap_or_default();
        format!("{} of {} ({rule})", foreign.name, catalog.tables[foreign.table].name)
    });
    let parents: BTreeSet<&str> =
        foreign.iter().map(|foreign| catalog.tables[foreign.parent].name.as_str()).collect();
    let what = format!(
        "innodb_native_foreign_keys is OFF, and foreign keys change rows of other tables: {}. If this waits too long for a lock \
         or meets a deadlock, a DELETE or UPDATE of {} reports success and leaves all rows as they were",
        named(keys.collect()),
        named(parents.into_iter().map(str::to_owned).collect())
    );
    let statement = format!(
        "SELECT @@innodb_native_foreign_keys, TABLE_NAME, CONSTRAINT_NAME, REFERENCED_TABLE_NAME, DELETE_RULE, UPDATE_RULE \
         FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = {} \
         AND (DELETE_RULE IN ('CASCADE', 'SET NULL') OR UPDATE_RULE IN ('CASCADE', 'SET NULL'))",
        sql::text(engine, schema)
    );
    let remedy = "start the server with --innodb-native-foreign-keys=ON, so that InnoDB cascades and reports its errors; until \
                  then, compare the number of rows that each such DELETE or UPDATE changed with what was expected, and repeat \
                  it if there are too few";
    Finding {
        level: Level::Danger,
        code: Code::HiddenCascadeError,
        table: schema.to_owned(),
        column: None,
        what,
        statement,
        remedy: remedy.to_owned(),
        examples: Vec::new(),
    }
}

/// The first of these names, and the number of the others.
fn named(mut names: Vec<String>) -> String {
    let others = names.len().saturating_sub(MOST_NAMED);
    names.truncate(MOST_NAMED);
    let shown = names.join(", ");
    if others == 0 { shown } else { format!("{shown} and {others} more") }
}
