//! Notes for the person who executes the plan.

use super::catalog::{Catalog, Column, Table};
use super::change::Change;
use super::graph::Graph;
use super::names::mentions;

/// Describes the tables that were read, and estimates the size of the log.
pub(super) fn facts(catalog: &Catalog, graph: &Graph) -> Vec<String> {
    let tables: Vec<_> = graph.tables.iter().filter_map(|&id| catalog.table(id)).collect();
    let bytes: i64 = tables.iter().map(|table| table.bytes).sum();
    let mut facts = facts_of(tables);
    facts.push(of_log(bytes));
    facts
}

/// Estimates the log from two changes that docs/migrate.md describes, in which it was 2.4 and 3.9 times the tables.
fn of_log(bytes: i64) -> String {
    let [less, more] = [2, 4].map(|times| times as f64 * bytes as f64 / f64::from(1 << 20));
    format!(
        "Up to the verification, the write-ahead log gets 2 to 4 times as many bytes as the tables have with their indexes, as our tests found: \
         {less:.0} to {more:.0} MiB, more if checkpoints come often. Replicas and the archive must take them."
    )
}

/// Describes the given tables: their rows and their size.
pub(super) fn facts_of<'a>(tables: impl IntoIterator<Item = &'a Table>) -> Vec<String> {
    tables
        .into_iter()
        .map(|table| {
            let (rows, mib) = (table.rows, table.bytes as f64 / f64::from(1 << 20));
            format!(
                "{} has about {rows} rows (the server's estimate) and takes {mib:.1} MiB with its indexes.",
                table.shown()
            )
        })
        .collect()
}

/// The notes, those of the graph first, and last those of columns without a foreign key.
pub(super) fn of(catalog: &Catalog, graph: &Graph, change: &Change, references: Vec<String>) -> Vec<String> {
    let mut notes = graph.notes.clone();
    notes.push(
        "Execute the files with psql as the owner of the tables, and not in a transaction (no `psql -1`). A client that is \
         killed does not end the statement that the server executes for it: before you go back, wait until its session has ended, or \
         end it with pg_terminate_backend."
            .into(),
    );
    let types = match change.integers {
        true => {
            "After the switch the columns are of type bigint: drivers return ids as 64-bit integers from then on, and functions with parameters of \
             type integer do not accept them without a cast. The sequence of a column that is GENERATED AS IDENTITY is made again in the switch and in its \
             way back: lastval() and currval() in a session that took its last number before fail with \"is not yet defined in this session\". Take \
             new ids with INSERT … RETURNING."
        }
        false => {
            "After the switch the columns are of type uuid. Texts without a type are still accepted (`WHERE id = '…'`), but drivers \
             that declare parameters as text are not: use uuid parameters, or for JDBC `stringtype=unspecified`."
        }
    };
    if change.tables.iter().flat_map(|table| &table.columns).any(|column| column.parent.is_some()) {
        notes.push(
            "From the switch to the last step, a trigger reads the old text of the row that a new row refers to, as the role that executed the \
             switch. So that role must keep SELECT on the tables: if you revoke it, or give the tables another owner, clients that write rows which \
             refer to others fail with \"permission denied\". `idgen plan status` names the privilege that is missing."
                .into(),
        );
    }
    notes.push(format!(
        "{types} The new columns are the last of their tables. COPY without a list of columns, and `SELECT *` into a fixed number of columns \
         (INSERT INTO … SELECT *, UNION, functions that return a list of columns), must be changed before 02-prepare.sql, because they see more columns \
         from then on. An INSERT of values without a list of columns must be changed before the switch: it fails after it. Readers of `SELECT *` by \
         place see another order after the switch."
    ));
    notes.push(clients(change));
    notes.push(
        "Room is needed for a second version of each row and for the new indexes: about as much as the tables take now. To see \
         whether replicas lag, the owner of the tables needs the role pg_monitor."
            .into(),
    );
    notes.push(
        "On a hot standby, a transaction whose snapshot is older than the end of the copy reads keys that are null after the switch, without an error. The \
         switch waits for those of standbys with hot_standby_feedback, for a minute, and is then refused. Without it, this server does not know of \
         them: end the transactions of the standbys after the copy has arrived there, and before the switch. To see standbys, the role needs \
         pg_monitor."
            .into(),
    );
    notes.push(
        "Until the switch each key has two unique indexes. Where two sessions insert the same new id with ON CONFLICT at the same \
         instant, one of them may get error 23505 (unique_violation) in place of its DO UPDATE, and must repeat the statement."
            .into(),
    );
    let tables = || graph.tables.iter().filter_map(|&id| catalog.table(id));
    for table in tables().filter(|table| !table.update_triggers.is_empty()) {
        notes.push(format!(
            "The copy updates each row of {}, so these triggers fire: {}. If they must not, execute the file of the copy in a \
             session with `SET session_replication_role = replica` (PGOPTIONS); the plan's own triggers fire nevertheless.",
            table.shown(),
            table.update_triggers.join(", ")
        ));
    }
    for table in tables().filter(|table| !table.row_users.is_empty()) {
        notes.push(format!(
            "These have whole rows of {} as a value, so they have more columns from 02-prepare.sql until the last step, and the columns in \
             another order after the switch: {}. Check each of them on a copy: a function that returns a list of columns as such a row, or a \
             trigger that inserts all columns of a transition table elsewhere, fails.",
            table.shown(),
            table.row_users.join(", ")
        ));
    }
    for table in tables().filter(|table| !table.publications.is_empty()) {
        notes.push(format!(
            "{} is published ({}): make a plan for each subscriber, too, and execute each step there first. Only the switch and the last \
             step come here first. Then execute the switch there, as soon as the changes after it wait; and the last step there, when the \
             subscriber has applied all changes before it (`confirmed_flush_lsn` of its slot), since it cannot apply a change of columns \
             that it has dropped.",
            table.shown(),
            table.publications.join(", ")
        ));
    }
    notes.extend(functions(catalog, change));
    notes.extend(useless_indexes(catalog, graph));
    notes.extend(references);
    notes
}

/// Describes the effects on clients that remember the columns of a table.
fn clients(change: &Change) -> String {
    let new: Vec<_> =
        change.tables.iter().flat_map(|table| &table.columns).map(|column| column.new.as_str()).collect();
    let old: Vec<_> =
        change.tables.iter().flat_map(|table| &table.columns).map(|column| column.kept.as_str()).collect();
    let unique = |names: Vec<&str>| {
        names
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
            .join(", ")
    };
    format!(
        "PostgreSQL has no invisible columns, so clients see those of the plan: {} from 02-prepare.sql to the last step, and {} from the switch to the \
         last step. A client that reads the list of columns once and inserts into all of them fails with \"column … does not exist\" when \
         they are gone: after the last step, or after the way back of the step that made them. A restart in between does not help, since the \
         columns are there again. So let such clients leave them out before the last step, at best before the first one: in Rails, \
         `self.ignored_columns += [\"…\"]`, or `partial_inserts = true`, which inserts \
         only what was set. Frameworks whose models list their columns in code (Django, Hibernate, Prisma) need nothing. Clients with \
         prepared statements that return whole rows get \"cached plan must not change result type\" from 02-prepare.sql on, at each execution \
         until they prepare them again: reconnect those whose driver does not, after 02-prepare.sql, the switch and the last step.",
        unique(new),
        unique(old)
    )
}

/// The notes of a plan for ids of version 7 from now on.
pub(super) fn of_v7(column: &Column, has_step: bool) -> Vec<String> {
    let mut notes = vec![
        "Version 7 sorts by time, so new rows go to one place of the index. If the table holds random keys, that place is in the \
         middle of them, where pages are split in halves: see docs/postgres.md."
            .to_owned(),
    ];
    if !has_step {
        notes.push("This server has no uuidv7(), which came with PostgreSQL 18: generate the ids in the application.".into());
    } else if column.default.is_none() {
        notes.push("The column has no default, so the application makes its ids: change it there. The default serves rows without an id.".into());
    }
    notes
}

fn functions(catalog: &Catalog, change: &Change) -> Option<String> {
    let names = catalog
        .functions
        .iter()
        .filter(|function| change.tables.iter().any(|table| mentions(&function.text, &table.name)));
    let names: Vec<_> = names.map(|function| function.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "The texts of these functions name the tables; check that they can work with {}: {}.",
            change.new_type,
            names.join(", ")
        )
    })
}

fn useless_indexes(catalog: &Catalog, graph: &Graph) -> Option<String> {
    let names = catalog.indexes.iter().filter(|index| graph.is_useless(index));
    let names: Vec<_> = names.map(|index| index.name.as_str()).collect();
    (!names.is_empty()).then(|| {
        format!(
            "These indexes serve LIKE on texts, and are dropped with the old columns: {}.",
            names.join(", ")
        )
    })
}
