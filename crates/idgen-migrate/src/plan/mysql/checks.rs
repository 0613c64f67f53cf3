//! What must be true before anything is changed, and before each step: each check is a query for the rows that are wrong.

use super::catalog::Table;
use super::check::{Check, check};
use super::form::Form;
use super::quote::{name, text};
use super::texts::{TableText, Texts};
use crate::plan::data::{Engine, Target};

fn list(names: impl Iterator<Item = String>) -> String {
    names.map(|name| text(&name)).collect::<Vec<_>>().join(", ")
}

/// The checks of the first step.
pub(super) fn of_data(texts: &Texts<'_>, fingerprints: &[(String, String)]) -> Vec<Check> {
    let mut checks = of_server();
    checks.extend(cascades_in_innodb(texts.engine));
    let catalog = texts.catalog;
    checks.extend(of_schema(texts, fingerprints));
    for table in texts.graph.order.iter().filter_map(|table| catalog.tables.get(table)) {
        for column in &table.columns {
            let Some(form) = texts.graph.keys.get(&(table.name.clone(), column.name.clone())) else {
                continue;
            };
            checks.extend(of_values(table, &column.name, *form, texts.options.to));
        }
    }
    checks.extend(texts.map.iter().flat_map(|map| map.checks(texts.owners())));
    for key in catalog.foreign.iter().filter(|key| texts.graph.order.contains(&key.table)) {
        let on = key.columns.iter().zip(&key.to_columns);
        let on: Vec<_> = on.map(|(from, to)| format!("p.{} = c.{}", name(to), name(from))).collect();
        let given: Vec<_> = key.columns.iter().map(|from| format!("c.{} IS NOT NULL", name(from))).collect();
        let parent = key.to_columns.first().map(|to| name(to)).unwrap_or_default();
        let shown: Vec<_> = key.columns.iter().map(|from| format!("c.{}", name(from))).collect();
        checks.push(check(
            format!("Each row of {} must have its row in {}.", key.table, key.to_table),
            format!(
                "SELECT {} FROM {} AS c LEFT JOIN {} AS p ON {} WHERE {} AND p.{parent} IS NULL",
                shown.join(", "),
                name(&key.table),
                name(&key.to_table),
                on.join(" AND "),
                given.join(" AND ")
            ),
            format!(
                "{}.{}: the rows above have no parent in {}",
                key.table,
                key.columns.join(","),
                key.to_table
            ),
        ));
    }
    checks
}

/// For each step that begins to depend on triggers: the server may have been started otherwise since the plan was made.
pub(super) fn cascades_in_innodb(engine: Engine) -> Option<Check> {
    let rows = "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_variables \
                WHERE VARIABLE_NAME = 'innodb_native_foreign_keys' AND VARIABLE_VALUE = 'OFF'";
    (engine == Engine::MySql).then(|| {
        check(
            "MySQL 9.6 and later report no error when a cascade outside of InnoDB ends in a timeout or a deadlock.",
            rows,
            "innodb_native_foreign_keys is OFF: start the server with --innodb-native-foreign-keys=ON, or changes are lost",
        )
    })
}

fn of_server() -> Vec<Check> {
    let by_statement = "SELECT @@binlog_format AS binlog_format FROM DUAL WHERE @@log_bin = 1 AND @@binlog_format = 'STATEMENT'";
    vec![check(
        "A replica must get the rows that triggers write, not execute the triggers again.",
        by_statement,
        "binlog_format is STATEMENT: the copy and the triggers need ROW or MIXED",
    )]
}

fn of_schema(texts: &Texts<'_>, fingerprints: &[(String, String)]) -> Vec<Check> {
    let tables = list(texts.graph.order.iter().cloned());
    let mut checks = vec![check(
        "All tables must be in InnoDB, or a change and its copy are not one transaction.",
        format!(
            "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() \
             AND TABLE_NAME IN ({tables}) AND ENGINE <> 'InnoDB'"
        ),
        "the tables above are not in InnoDB",
    )];
    checks.extend(of_later_changes(texts, fingerprints));
    checks
}

/// What was changed in the schema since the plan was made would be lost by the renaming.
pub(super) fn of_later_changes(texts: &Texts<'_>, fingerprints: &[(String, String)]) -> Vec<Check> {
    let tables = list(texts.graph.order.iter().cloned());
    let keys = list(texts.catalog.foreign.iter().map(|key| format!("{}.{}", key.table, key.name)));
    let mut checks = vec![
        check(
            "Triggers would belong to the old tables after the renaming.",
            format!(
                "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS \
                 WHERE TRIGGER_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE IN ({tables}) \
                 AND TRIGGER_NAME NOT LIKE '%|_plan|_f_' ESCAPE '|'"
            ),
            "the tables have the triggers above: drop them, and create them again after the last step",
        ),
        check(
            "A foreign key that is newer than the plan would follow the old tables.",
            format!(
                "SELECT TABLE_SCHEMA, TABLE_NAME, CONSTRAINT_NAME FROM information_schema.KEY_COLUMN_USAGE \
                 WHERE REFERENCED_TABLE_SCHEMA = DATABASE() AND (REFERENCED_TABLE_NAME IN ({tables}) \
                 OR TABLE_NAME IN ({tables})) AND CONCAT(TABLE_NAME, '.', CONSTRAINT_NAME) NOT IN ({}) \
                 AND TABLE_NAME NOT LIKE '%|_plan|_new' ESCAPE '|'",
                if keys.is_empty() { "''".to_owned() } else { keys }
            ),
            "the foreign keys above are newer than the plan: make the plan again",
        ),
    ];
    checks.extend(fingerprints.iter().map(|(table, fingerprint)| unchanged(table, fingerprint)));
    checks
}

/// A check that a table is as it was when the plan was made.
pub(super) fn unchanged(table: &str, fingerprint: &str) -> Check {
    check(
        format!("The columns, indexes and conditions of {table} must be those that the plan was made for."),
        format!("SELECT * FROM ({}) AS now WHERE now.fingerprint <> {fingerprint}", fingerprint_sql(table)),
        format!(
            "the columns, indexes or conditions of {table} have changed since the plan was made: make it again"
        ),
    )
}

/// A number that changes with a table's columns, indexes and check constraints.
pub(super) fn fingerprint_sql(table: &str) -> String {
    let of = |columns: &str, view: &str, only: &str| {
        format!(
            "(SELECT COALESCE(SUM(CRC32(CONCAT_WS(' ', {columns}))), 0) FROM information_schema.{view} \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {}{only})",
            text(table)
        )
    };
    let columns =
        of("ORDINAL_POSITION, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLLATION_NAME", "COLUMNS", "");
    let indexes = of("INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME, SUB_PART, NON_UNIQUE", "STATISTICS", "");
    // Foreign keys have a check of their own.
    let conditions = of("CONSTRAINT_NAME", "TABLE_CONSTRAINTS", " AND CONSTRAINT_TYPE = 'CHECK'");
    format!("SELECT CAST({columns} + {indexes} + {conditions} AS CHAR) AS fingerprint")
}

fn of_values(table: &Table, column: &str, form: Form, to: Target) -> Vec<Check> {
    let of = name(column);
    let mut shown: Vec<_> = table.primary.iter().map(|key| name(key)).collect();
    if !table.primary.iter().any(|key| key == column) {
        shown.push(of.clone());
    }
    let select = format!("SELECT {} FROM {}", shown.join(", "), name(&table.name));
    let mut checks = Vec::new();
    if let Some((pattern, length)) = form.pattern() {
        checks.push(check(
            format!("Each value of {}.{column} must be an id of {length} characters, and all must be spelled alike.", table.name),
            // One spelling for all: no two values can become the same key, and the way back writes each as it was.
            // As bytes, since the server compares texts of CHAR without the spaces at their end.
            format!("{select} WHERE {of} IS NOT NULL AND (LENGTH({of}) <> {length} OR {of} NOT RLIKE '{pattern}')"),
            format!("{}.{column}: the values above are no ids, or are spelled otherwise than most", table.name),
        ));
    }
    if to == Target::Uuid {
        checks.push(check(
            format!("MariaDB's type UUID must accept each value of {}.{column}.", table.name),
            format!("{select} WHERE {of} IS NOT NULL AND CAST({of} AS UUID) IS NULL"),
            format!("{}.{column}: MariaDB's type UUID does not accept the values above", table.name),
        ));
    }
    if to == Target::Swapped {
        let version = match form {
            Form::Text { .. } => format!("SUBSTR(REPLACE({of}, '-', ''), 13, 1)"),
            Form::Bytes => format!("SUBSTR(HEX({of}), 13, 1)"),
        };
        checks.push(check(
            format!(
                "Only ids of version 1 may be swapped; each value of {}.{column} must be one.",
                table.name
            ),
            format!("{select} WHERE {of} IS NOT NULL AND {version} <> '1'"),
            format!(
                "{}.{column}: the ids above are not of version 1, and swapping would destroy their order",
                table.name
            ),
        ));
    }
    checks
}

/// Fails if a step that must come later was executed already, or if one that must come before was not.
pub(super) fn triggers_absent(tables: &[TableText]) -> Check {
    let names = list(
        tables
            .iter()
            .flat_map(|table| {
                [&table.forward, &table.backward]
                    .map(|side| [&side.insert, &side.update, &side.delete].map(|name| name.clone()))
            })
            .flatten(),
    );
    check(
        "Tables that triggers write to must not be made again.",
        format!(
            "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS \
             WHERE TRIGGER_SCHEMA = DATABASE() AND TRIGGER_NAME IN ({names})"
        ),
        "later steps were executed already: undo them first",
    )
}

pub(super) fn triggers_present(table: &TableText, backward: bool) -> Check {
    let side = if backward { &table.backward } else { &table.forward };
    let names = list([&side.insert, &side.update, &side.delete].into_iter().cloned());
    check(
        format!("The triggers of {} must be there.", side.from),
        format!(
            "SELECT {} AS table_without_triggers FROM DUAL WHERE (SELECT COUNT(*) FROM information_schema.TRIGGERS \
             WHERE TRIGGER_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE = {} AND TRIGGER_NAME IN ({names})) <> 3",
            text(&side.from),
            text(&side.from)
        ),
        "triggers are missing: execute the steps before this one",
    )
}

pub(super) fn table_present(table: &str) -> Check {
    check(
        format!("The table {table} must be there."),
        format!(
            "SELECT {0} AS missing FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {0})",
            text(table)
        ),
        format!("the table {table} is missing: execute the steps before this one"),
    )
}

pub(super) fn table_absent(table: &str) -> Check {
    check(
        format!("The table {table} must not be there."),
        format!(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {}",
            text(table)
        ),
        format!(
            "the table {table} is there already: this step was executed, or another plan is not finished"
        ),
    )
}

pub(super) fn copied(table: &TableText) -> Check {
    check(
        format!("The copy of {} must be complete.", table.now),
        format!(
            "SELECT {} AS not_copied FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM {} WHERE finished = TRUE)",
            text(&table.now),
            name(&table.at)
        ),
        format!("the copy of {} is not complete: execute its step again", table.now),
    )
}

/// What the table of the phase says before the renaming, after it, and from the beginning of the last step.
#[derive(Clone, Copy)]
pub(super) enum Phase {
    Before = 0,
    After = 1,
    Ending = 2,
}

/// Fails if the plan is in this phase.
pub(super) fn phase_is_not(table: &str, wrong: Phase, message: &str) -> Check {
    check(
        "The plan must be in the right phase.",
        format!("SELECT renamed FROM {} WHERE renamed = {}", name(table), wrong as u8),
        message,
    )
}

/// `renamed` is what the table of the phase must say.
pub(super) fn phase(table: &str, renamed: bool) -> Vec<Check> {
    let (wrong, message) = match renamed {
        true => (Phase::Before, "the tables are not renamed yet: execute the steps before this one"),
        false => (Phase::After, "the tables are renamed already: undo that first"),
    };
    let ending = "the last step has begun: execute it until it ends without an error";
    vec![
        table_present(table),
        phase_is_not(table, wrong, message),
        phase_is_not(table, Phase::Ending, ending),
    ]
}

/// Before the renaming, or after its undo. It needs no table of the plan.
pub(super) fn not_renamed(old: &str) -> Check {
    Check { message: "the tables are renamed: undo that first".into(), ..table_absent(old) }
}

/// The opposite, for the last step, which can be executed again when it has removed tables.
pub(super) fn renamed(new: &str) -> Check {
    Check {
        message: "the tables are not renamed yet: execute the steps before this one".into(),
        ..table_absent(new)
    }
}
