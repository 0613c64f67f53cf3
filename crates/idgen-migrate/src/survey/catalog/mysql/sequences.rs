//! Sequences of MariaDB, which defaults of columns call.

use std::collections::HashMap;

use super::super::rows::{Places, column};
use super::super::sequence::{NEEDS_SELECT, Sequence};
use super::of_schema;
use crate::survey::schema::{Catalog, Counter};
use crate::survey::session::{Engine, Session};
use crate::survey::sql;
use idgen_database::{Cell, Result};

/// Reads the sequences that the defaults of columns call, each with a statement, since each is a table with one row.
pub(super) async fn read(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let defaults = format!(
        "SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, COLUMN_DEFAULT FROM information_schema.COLUMNS \
         WHERE COLUMN_DEFAULT LIKE '%nextval(%' AND {} ORDER BY 1, 2, 3",
        of_schema("TABLE_SCHEMA")
    );
    let mut states: HashMap<(String, String), Option<Sequence>> = HashMap::new();
    for row in session.catalog("defaults that call sequences", &defaults).await? {
        let [schema, table, of, default] = &Cell::texts(&row)[..] else { continue };
        let Some(table) = places.get(schema, table) else { continue };
        let Some(at) = column(&catalog.tables[table], of) else { continue };
        let table = &mut catalog.tables[table];
        let class = table.columns[at].class;
        let Some((in_schema, name)) = called(default, schema) else {
            let why = format!("it is not known which sequence the default calls: {default}");
            table.counters.push(Counter {
                column: at,
                name: "sequence".to_owned(),
                used: Err(why),
                parent: None,
            });
            continue;
        };
        let key = (in_schema, name);
        if !states.contains_key(&key) {
            let state = state(session, &key.0, &key.1).await;
            states.insert(key.clone(), state);
        }
        let used = match &states[&key] {
            Some(state) => Ok(state.used(class)),
            None => Err(NEEDS_SELECT.to_owned()),
        };
        table.counters.push(Counter { column: at, name: key.1, used, parent: None });
    }
    Ok(())
}

/// The state of a sequence; `None` if it cannot be read.
async fn state(session: &mut Session, schema: &str, name: &str) -> Option<Sequence> {
    let of = |text| sql::name(Engine::MariaDb, text);
    let sql = format!(
        "SELECT CAST(next_not_cached_value AS CHAR), CAST(minimum_value AS CHAR), CAST(maximum_value AS CHAR), \
         CAST(increment AS CHAR), CAST(cycle_option AS CHAR) FROM {}.{}",
        of(schema),
        of(name)
    );
    let rows = session.rows(&format!("the sequence {name}"), &sql, &[]).await.ok()?;
    let row = Cell::texts(rows.first()?);
    let [next, min, max, increment, cycles] = &row[..] else { return None };
    Sequence::of([next, min, max, increment], cycles == "1")
}

/// The schema and the name in the first `nextval(...)` of a default.
fn called(default: &str, schema: &str) -> Option<(String, String)> {
    let mut rest = default.split_once("nextval(")?.1;
    let mut names = Vec::new();
    loop {
        rest = rest.strip_prefix('`')?;
        let mut name = String::new();
        loop {
            let (part, behind) = rest.split_once('`')?;
            name.push_str(part);
            rest = behind;
            // A doubled quote is one in the name.
            match rest.strip_prefix('`') {
                Some(behind) => {
                    name.push('`');
                    rest = behind;
                }
                None => break,
            }
        }
        names.push(name);
        match rest.strip_prefix('.') {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    match <[String; 2]>::try_from(names) {
        Ok([schema, name]) => Some((schema, name)),
        Err(names) => Some((schema.to_owned(), names.into_iter().next()?)),
    }
}

#[cfg(test)]
mod tests {
    use super::called;

    #[test]
    fn names_are_read_with_and_without_a_schema() {
        let some = |schema: &str, name: &str| Some((schema.to_owned(), name.to_owned()));
        assert_eq!(called("nextval(`shop`.`s`)", "x"), some("shop", "s"));
        assert_eq!(called("(nextval(`a``b`.`s``.`) + 1)", "x"), some("a`b", "s`."));
        assert_eq!(called("nextval(`s`)", "x"), some("x", "s"));
        assert_eq!(called("nextval(s)", "x"), None);
    }
}
