//! The conditions of the first change and of each step, as checks: queries for the rows that are wrong.

mod attached;
mod roles;
mod transactions;

pub(super) use attached::{as_made, as_planned, as_read, as_recorded, column_as_read, only_own_refer};
pub(super) use transactions::{
    earliest, is_prepared, no_older_transaction, no_older_transaction_of_replicas, no_prepared_transaction,
};

use super::catalog::Table;
use super::check::{Check, check};
use super::form::Form;
use super::names::Names;
use super::quote::{name, text};
use super::signature;
use super::texts::{SideText, TableText, Texts};
use crate::plan::data::{Engine, Target};

fn list(names: impl Iterator<Item = String>) -> String {
    names.map(|name| text(&name)).collect::<Vec<_>>().join(", ")
}

/// The checks of the first step.
pub(super) fn of_data(texts: &Texts<'_>) -> Vec<Check> {
    let mut checks = of_server();
    checks.extend(of_server_now(texts.engine));
    checks.extend(may_lack_primary_keys(texts.engine, texts.graph.order.iter().map(String::as_str)));
    let catalog = texts.catalog;
    checks.extend(of_schema(texts));
    let own = "ALTER TABLE … TABLESPACE = innodb_file_per_table";
    checks.extend(texts.graph.order.iter().map(|table| has_identity(texts.names, table, own)));
    for table in texts.graph.order.iter().filter_map(|table| catalog.tables.get(table)) {
        for column in &table.columns {
            let Some(form) = texts.graph.keys.get(&(table.name.clone(), column.name.clone())) else {
                continue;
            };
            checks.extend(of_values(table, &column.name, *form, texts.options.to));
        }
        checks.extend(of_first_date(table));
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

/// Checks of the server and the account before each step that begins to depend on triggers: the server may have been started with other
/// settings since the plan was made, and the session may have other roles.
pub(super) fn of_server_now(engine: Engine) -> Vec<Check> {
    let mut checks = vec![one_node_writes(engine), no_replica(engine), roles::rights_of_triggers(engine)];
    checks.extend(cascades_in_innodb(engine));
    checks
}

/// A row that the copy has locked can be changed on another node of a cluster, whose triggers do not see its copy yet.
pub(super) fn one_node_writes(engine: Engine) -> Check {
    let rows = match engine {
        Engine::MySql => {
            "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_variables \
             WHERE VARIABLE_NAME = 'group_replication_single_primary_mode' AND VARIABLE_VALUE = 'OFF' \
             UNION ALL SELECT VARIABLE_NAME, VARIABLE_VALUE FROM performance_schema.global_status \
             WHERE VARIABLE_NAME = 'wsrep_cluster_size' AND VARIABLE_VALUE > 0"
        }
        _ => {
            "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS \
             WHERE VARIABLE_NAME = 'WSREP_CLUSTER_SIZE' AND VARIABLE_VALUE > 0"
        }
    };
    check(
        "No other node of a cluster may take writes: a lock of this server does not hold there.",
        rows,
        "other nodes of this cluster take writes: make the change on one primary, or while the server is no node of Galera",
    )
}

/// Rows from the binary log of another server fire no triggers, unless MariaDB is set to execute them.
pub(super) fn no_replica(engine: Engine) -> Check {
    let rows = match engine {
        // The threads of a group belong to the server that takes its writes, too.
        Engine::MySql => {
            "SELECT ID, STATE FROM performance_schema.processlist WHERE USER = 'system user' AND COMMAND <> 'Daemon' AND NOT EXISTS \
             (SELECT 1 FROM performance_schema.global_variables WHERE VARIABLE_NAME = 'group_replication_group_name' AND VARIABLE_VALUE <> '')"
        }
        _ => {
            "SELECT VARIABLE_NAME, VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS \
             WHERE VARIABLE_NAME = 'SLAVES_RUNNING' AND VARIABLE_VALUE > 0 AND @@GLOBAL.slave_run_triggers_for_rbr = 'NO'"
        }
    };
    check(
        "Changes that this server receives from another one fire no triggers, and would be missing in the new tables.",
        rows,
        "this server is a replica, whose changes fire no triggers: execute the plan on its source, or STOP REPLICA until the end",
    )
}

/// A table whose rows only a unique key tells apart gets a new one without a primary key, which MySQL may refuse. Older servers do not have the
/// variable.
pub(super) fn may_lack_primary_keys<'a>(
    engine: Engine,
    tables: impl Iterator<Item = &'a str>,
) -> Option<Check> {
    let tables = list(tables.map(str::to_owned));
    (engine == Engine::MySql).then(|| {
        check(
            "The server must take a table without a primary key, if the plan makes one like a table that has none.",
            format!(
                "SELECT t.TABLE_NAME AS table_without_primary_key FROM information_schema.TABLES AS t WHERE t.TABLE_SCHEMA = DATABASE() \
                 AND t.TABLE_NAME IN ({tables}) AND NOT EXISTS (SELECT 1 FROM information_schema.STATISTICS AS s WHERE s.TABLE_SCHEMA = DATABASE() \
                 AND s.TABLE_NAME = t.TABLE_NAME AND s.INDEX_NAME = 'PRIMARY') AND EXISTS (SELECT 1 FROM performance_schema.session_variables \
                 WHERE VARIABLE_NAME = 'sql_require_primary_key' AND VARIABLE_VALUE = 'ON')"
            ),
            "sql_require_primary_key is ON: give the tables above a primary key and plan again, or SET GLOBAL it to OFF until the end",
        )
    })
}

fn cascades_in_innodb(engine: Engine) -> Option<Check> {
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

/// A table that is emptied or rebuilt must be noticed. `first` is what to do where the server does not show that.
fn has_identity(names: &Names, table: &str, first: &str) -> Check {
    check(
        format!("The server must show a number for {table} that changes when it is rebuilt."),
        format!(
            "SELECT 1 AS missing FROM DUAL WHERE {} = '{}'",
            signature::identity(names, table),
            signature::NONE
        ),
        format!("{table} shares its tablespace, where MySQL hides such names. First: {first}"),
    )
}

/// An emptied copy must be noticed, too. A new table is in the tablespace that `innodb_file_per_table` says when it is made, not in that of
/// the old one.
pub(super) fn new_have_identities(names: &Names, tables: &[TableText]) -> Vec<Check> {
    let first = "SET GLOBAL innodb_file_per_table = ON; then execute this file again";
    tables.iter().map(|table| has_identity(names, &table.new, first)).collect()
}

fn of_server() -> Vec<Check> {
    let by_statement = "SELECT @@binlog_format AS binlog_format FROM DUAL WHERE @@log_bin = 1 AND @@binlog_format = 'STATEMENT'";
    vec![check(
        "A replica must get the rows that triggers write, not execute the triggers again.",
        by_statement,
        "binlog_format is STATEMENT: the copy and the triggers need ROW or MIXED",
    )]
}

fn of_schema(texts: &Texts<'_>) -> Vec<Check> {
    let tables = list(texts.graph.order.iter().cloned());
    vec![check(
        "All tables must be in InnoDB, or a change and its copy are not one transaction.",
        format!(
            "SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() \
             AND TABLE_NAME IN ({tables}) AND ENGINE <> 'InnoDB'"
        ),
        "the tables above are not in InnoDB",
    )]
}

/// The position of the copy is in a variable, which takes no 31st of February. Sessions with ALLOW_INVALID_DATES can store one.
fn of_first_date(table: &Table) -> Option<Check> {
    let first = table.primary.first().and_then(|first| table.column(first))?;
    matches!(first.data_type.as_str(), "date" | "datetime").then(|| {
        let of = name(&first.name);
        check(
            format!("The copy of {} follows {}, whose days must be in the calendar.", table.name, first.name),
            format!(
                "SELECT {of} FROM {} WHERE DAYOFMONTH({of}) > DAYOFMONTH(LAST_DAY({of}))",
                name(&table.name)
            ),
            format!(
                "{}.{}: the days above are in no month (ALLOW_INVALID_DATES): correct them",
                table.name, first.name
            ),
        )
    })
}

fn of_values(table: &Table, column: &str, form: Form, to: Target) -> Vec<Check> {
    let of = name(column);
    let mut shown: Vec<_> = table.primary.iter().map(|key| name(key)).collect();
    if !table.primary.iter().any(|key| key == column) {
        shown.push(of.clone());
    }
    let select = format!("SELECT {} FROM {}", shown.join(", "), name(&table.name));
    let mut checks = Vec::new();
    if let (Some((_, length)), Some(misspelled)) = (form.pattern(), form.misspelled(&of)) {
        checks.push(check(
            format!("Each value of {}.{column} must be an id of {length} characters, and all must be spelled alike.", table.name),
            format!("{select} WHERE {misspelled}"),
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
            _ => format!("SUBSTR(HEX({of}), 13, 1)"),
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

/// Fails if a step that must come later was executed already.
pub(super) fn triggers_absent(tables: &[TableText]) -> Check {
    let names = list(
        tables
            .iter()
            .flat_map(|table| table.forward.triggers().into_iter().chain(table.backward.triggers()))
            .cloned(),
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

/// Before the renaming, triggers that are missing can be made again, and the copy after them.
pub(super) const MAKE_AGAIN: &str = "undo the steps to those that make them";

/// After it, the old tables are not current any more, and nothing can make them so.
pub(super) const NO_WAY_BACK: &str = "there is no way back and no last step, see README.md of the plan";

/// The three triggers of a side must be on this table.
pub(super) fn triggers_present(on: &str, side: &SideText, remedy: &str) -> Check {
    let names = list(side.triggers().into_iter().cloned());
    check(
        format!("The triggers of {on} must be there."),
        format!(
            "SELECT {0} AS table_without_triggers FROM DUAL WHERE (SELECT COUNT(*) FROM information_schema.TRIGGERS \
             WHERE TRIGGER_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE = {0} AND TRIGGER_NAME IN ({names})) <> 3",
            text(on)
        ),
        format!("{remedy}: triggers of the plan on {on} are missing, so the tables are not kept equal"),
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

pub(super) fn table_absent(table: &str, message: &str) -> Check {
    check(
        format!("The table {table} must not be there."),
        format!(
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {}",
            text(table)
        ),
        message,
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

/// The table of the phase says 0 before the renaming, 1 after it, and 2 from the beginning of the last step.
pub(super) fn phase_is(table: &str, phase: u8, message: &str) -> Check {
    check(
        "The plan must be in the right phase.",
        format!("SELECT renamed FROM {} WHERE renamed <> {phase}", name(table)),
        message,
    )
}

/// The signature that a step recorded is that of now.
pub(super) fn signature_is(steps: &str, place: usize, now: &str, message: String) -> Check {
    check(
        "Tables and triggers must be those of before.",
        format!(
            "SELECT f.file AS step, f.signature AS recorded, n.signature AS now FROM {} AS f CROSS JOIN (SELECT {now} AS signature) AS n \
             WHERE f.place = {place} AND NOT (f.signature <=> n.signature)",
            name(steps)
        ),
        message,
    )
}

/// The signature that one of two steps recorded is that of now.
pub(super) fn signature_is_one_of(steps: &str, places: [usize; 2], now: &str, message: String) -> Check {
    let [first, second] = places;
    check(
        "Tables and triggers must be those of before.",
        format!(
            "SELECT n.signature AS now FROM (SELECT {now} AS signature) AS n WHERE NOT EXISTS (SELECT 1 FROM {} AS f \
             WHERE (f.place = {first} OR f.place = {second} AND f.state = 'done') AND f.signature <=> n.signature)",
            name(steps)
        ),
        message,
    )
}

/// The verification after the renaming has succeeded, unless the last step has begun.
pub(super) fn ending_or(steps: &str, phase: &str, verified: usize) -> Check {
    check(
        "The rows must have been compared since the renaming, unless this step was begun already.",
        format!(
            "SELECT file FROM {} WHERE place = {verified} AND state <> 'done' AND EXISTS (SELECT 1 FROM {} WHERE renamed <> 2)",
            name(steps),
            name(phase)
        ),
        "the step above has not succeeded since the renaming: execute it first",
    )
}
