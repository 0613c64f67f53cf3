//! Everything that is attached to a table, as lines of text: the server's catalog of the table itself, its columns,
//! indexes, constraints and triggers, and foreign keys in both directions. The server is asked for the columns of the
//! catalog, so columns that a later version adds are compared as well.

use std::collections::BTreeMap;

use super::quote::text;
use super::session::Session;
use super::signature::{IS_ELSEWHERE, comparable, referring};
use super::texts::TableText;
use idgen_database::Result;

/// A view of the catalog, the column with the name of the table, and the columns that are not compared: where it is, what
/// changes with rows, and who may see it.
const VIEWS: [(&str, &str, &[&str]); 6] = [
    (
        "TABLES",
        "TABLE_NAME",
        &[
            "VERSION",
            "TABLE_ROWS",
            "AVG_ROW_LENGTH",
            "DATA_LENGTH",
            "MAX_DATA_LENGTH",
            "INDEX_LENGTH",
            "DATA_FREE",
            "AUTO_INCREMENT",
            "CREATE_TIME",
            "UPDATE_TIME",
            "CHECK_TIME",
            "CHECKSUM",
            "MAX_INDEX_LENGTH",
            "TEMPORARY",
        ],
    ),
    ("COLUMNS", "TABLE_NAME", &["PRIVILEGES"]),
    ("STATISTICS", "TABLE_NAME", &["CARDINALITY", "INDEX_SCHEMA"]),
    ("TRIGGERS", "EVENT_OBJECT_TABLE", &["CREATED", "EVENT_OBJECT_SCHEMA"]),
    ("TABLES_EXTENSIONS", "TABLE_NAME", &[]),
    ("COLUMNS_EXTENSIONS", "TABLE_NAME", &[]),
];

/// The columns of the catalog that are compared.
pub(super) struct Attached {
    views: BTreeMap<String, Vec<String>>,
    is_mysql: bool,
}

/// The names that the tables of a plan have at the moment, and those of the applications. What the server names after a table
/// is compared without it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The old tables before the renaming, and after it.
    Old,
    OldRenamed,
    /// The new tables before the renaming, and after it.
    New,
    NewRenamed,
}

impl Role {
    fn name(self, table: &TableText) -> &str {
        match self {
            Role::Old | Role::NewRenamed => &table.now,
            Role::OldRenamed => &table.old,
            Role::New => &table.new,
        }
    }
}

impl Attached {
    pub(super) async fn read(session: &mut Session) -> Result<Attached> {
        let names = VIEWS.map(|(view, ..)| text(view)).join(", ");
        let sql = format!(
            "SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'information_schema' \
             AND TABLE_NAME IN ({names}) ORDER BY TABLE_NAME, ORDINAL_POSITION"
        );
        let mut views: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for row in session.rows(&sql).await? {
            let [view, column] = &row[..] else { continue };
            let (view, column) = (view.to_uppercase(), column.to_uppercase());
            let Some((_, key, volatile)) = VIEWS.iter().find(|(name, ..)| *name == view) else { continue };
            let is_place = column == *key || column.ends_with("_CATALOG") || column.ends_with("_SCHEMA");
            if !is_place && !volatile.contains(&column.as_str()) {
                views.entry(view).or_default().push(column);
            }
        }
        Ok(Attached { views, is_mysql: session.engine == crate::plan::data::Engine::MySql })
    }

    /// The lines of a table as they are now.
    pub(super) async fn now(&self, session: &mut Session, table: &str) -> Result<Vec<String>> {
        Ok(session.rows(&self.lines_of_one(table)).await?.into_iter().flatten().collect())
    }

    /// A query of the lines of a table. What the plan itself added is left out by its exact names.
    pub(super) fn lines(&self, tables: &[TableText], table: &TableText, role: Role) -> String {
        let triggers: Vec<&str> = tables
            .iter()
            .flat_map(|table| table.forward.triggers().into_iter().chain(table.backward.triggers()))
            .map(String::as_str)
            .collect();
        let renamed = tables.iter().filter(|table| role.name(table) != table.now);
        let names: Vec<_> = renamed.map(|table| (role.name(table), &*table.now)).collect();
        let physical = role.name(table);
        let lines = self.lines_of(physical, &table.now, &triggers, &names);
        // The account may not see the tables of another schema. A plan for a table that they refer to was refused.
        let others = line(
            &format!("'REFERENCED BY', {}, f.referring", text(&table.now)),
            &format!("({}) AS f WHERE {IS_ELSEWHERE}", referring(self.is_mysql, physical)),
        );
        format!("{lines} UNION ALL {others}")
    }

    /// Returns the lines of a table without a plan.
    pub(super) fn lines_of_one(&self, table: &str) -> String {
        self.lines_of(table, table, &[], &[])
    }

    /// `names` are pairs of the name that a table has, and the one that is written in its place.
    fn lines_of(&self, physical: &str, logical: &str, without: &[&str], names: &[(&str, &str)]) -> String {
        let (physical, logical) = (text(physical), text(logical));
        let without = without.iter().map(|name| text(name)).collect::<Vec<_>>().join(", ");
        let mut parts = Vec::new();
        for (view, key, _) in VIEWS {
            let Some(columns) = self.views.get(view) else { continue };
            let is_triggers = view == "TRIGGERS";
            let schema = if is_triggers { "EVENT_OBJECT_SCHEMA" } else { "TABLE_SCHEMA" };
            let shown: Vec<_> =
                columns.iter().map(|column| format!("CONCAT('{column}=', v.{column})")).collect();
            let more = match is_triggers && !without.is_empty() {
                true => format!(" AND v.TRIGGER_NAME NOT IN ({without})"),
                false => String::new(),
            };
            parts.push(line(
                &format!("'{view}', {logical}, {}", shown.join(", ")),
                &format!(
                    "information_schema.{view} AS v WHERE v.{schema} = DATABASE() AND {}{more}",
                    is(&format!("v.{key}"), &physical)
                ),
            ));
        }
        parts.push(self.conditions(&logical, &physical));
        parts.push(foreign_keys(names, &physical));
        parts.push(match self.is_mysql {
            true => line(
                &format!("'HISTOGRAM', {logical}, h.COLUMN_NAME"),
                &format!(
                    "information_schema.COLUMN_STATISTICS AS h WHERE h.SCHEMA_NAME = DATABASE() AND {}",
                    is("h.TABLE_NAME", &physical)
                ),
            ),
            // MariaDB shows the SRID of a column here alone.
            false => line(
                &format!("'GEOMETRY', {logical}, g.G_GEOMETRY_COLUMN, g.SRID"),
                &format!(
                    "information_schema.GEOMETRY_COLUMNS AS g WHERE g.G_TABLE_SCHEMA = DATABASE() AND {}",
                    is("g.G_TABLE_NAME", &physical)
                ),
            ),
        });
        parts.join(" UNION ALL ")
    }

    fn conditions(&self, logical: &str, physical: &str) -> String {
        let (enforced, join) = match self.is_mysql {
            true => ("t.ENFORCED", ""),
            false => ("'YES'", " AND c.TABLE_NAME = t.TABLE_NAME"),
        };
        line(
            &format!("'CHECK', {logical}, {}, {enforced}, c.CHECK_CLAUSE", generated("t", logical)),
            &format!(
                "information_schema.TABLE_CONSTRAINTS AS t JOIN information_schema.CHECK_CONSTRAINTS AS c \
                 ON c.CONSTRAINT_SCHEMA = t.CONSTRAINT_SCHEMA AND c.CONSTRAINT_NAME = t.CONSTRAINT_NAME{join} \
                 WHERE t.CONSTRAINT_TYPE = 'CHECK' AND t.TABLE_SCHEMA = DATABASE() AND {}",
                is("t.TABLE_NAME", physical)
            ),
        )
    }
}

/// A query of lines. The last character keeps spaces at the end of a value apart.
fn line(values: &str, from: &str) -> String {
    format!(
        "SELECT CONVERT(CONCAT_WS(' ', {values}, '.') USING utf8mb4) COLLATE utf8mb4_bin AS line FROM {from}"
    )
}

/// Compares a column with a name in all characters. The catalog compares some names without case and accents; that comparison stays, because
/// the server finds the rows by it.
pub(super) fn is(column: &str, name: &str) -> String {
    format!("{column} = {name} AND {} = {}", comparable(column), comparable(name))
}

/// The name of a constraint, without that of its table if it begins with it: the servers rename such constraints with the table, and
/// MariaDB also those whose names only begin like one that it made.
fn generated(row: &str, logical: &str) -> String {
    let rest = |table: &str| {
        let begins = |ending: &str| {
            format!(
                "LEFT({row}.CONSTRAINT_NAME, CHAR_LENGTH({table}) + {}) = CONCAT({table}, '{ending}')",
                ending.chars().count()
            )
        };
        format!(
            "WHEN {} OR {} THEN CONCAT('@', SUBSTR({row}.CONSTRAINT_NAME, CHAR_LENGTH({table}) + 1))",
            begins("_ibfk_"),
            begins("_chk_")
        )
    };
    format!("CASE {} {} ELSE {row}.CONSTRAINT_NAME END", rest(&format!("{row}.TABLE_NAME")), rest(logical))
}

/// Foreign keys of the table and to it, from whatever schema.
fn foreign_keys(names: &[(&str, &str)], physical: &str) -> String {
    let logical = |column: &str| {
        let cases: Vec<_> = names
            .iter()
            .map(|(from, to)| format!("WHEN {} THEN {}", is(column, &text(from)), text(to)))
            .collect();
        match cases.is_empty() {
            true => column.to_owned(),
            false => format!("CASE {} ELSE {column} END", cases.join(" ")),
        }
    };
    line(
        &format!(
            "'FOREIGN KEY', NULLIF(k.TABLE_SCHEMA, DATABASE()), {}, {}, k.ORDINAL_POSITION, k.COLUMN_NAME, 'TO', \
             NULLIF(k.REFERENCED_TABLE_SCHEMA, DATABASE()), {}, k.REFERENCED_COLUMN_NAME, 'MATCH', r.MATCH_OPTION, 'UPDATE', r.UPDATE_RULE, \
             'DELETE', r.DELETE_RULE",
            logical("k.TABLE_NAME"),
            generated("k", &format!("({})", logical("k.TABLE_NAME"))),
            logical("k.REFERENCED_TABLE_NAME")
        ),
        &format!(
            "information_schema.KEY_COLUMN_USAGE AS k JOIN information_schema.REFERENTIAL_CONSTRAINTS AS r \
             ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME AND r.TABLE_NAME = k.TABLE_NAME \
             WHERE k.REFERENCED_TABLE_NAME IS NOT NULL AND (k.TABLE_SCHEMA = DATABASE() AND {} \
             OR k.REFERENCED_TABLE_SCHEMA = DATABASE() AND {})",
            is("k.TABLE_NAME", physical),
            is("k.REFERENCED_TABLE_NAME", physical)
        ),
    )
}

/// A query of the lines that one of two queries has and the other has not.
pub(super) fn differences(expected: &str, now: &str) -> String {
    format!(
        "SELECT IF(MIN(d.side) = 'e', 'it is gone', 'it is new') AS what, MIN(d.line) AS line FROM (\
         SELECT 'e' AS side, e.line FROM ({expected}) AS e UNION ALL SELECT 'n', n.line FROM ({now}) AS n) AS d \
         GROUP BY SHA2(d.line, 224) HAVING COUNT(*) = 1"
    )
}

/// A query of these lines.
pub(super) fn literals(lines: &[String]) -> String {
    let all: Vec<_> = lines
        .iter()
        .map(|line| format!("SELECT CONVERT({} USING utf8mb4) COLLATE utf8mb4_bin AS line", text(line)))
        .collect();
    all.join(" UNION ALL ")
}
