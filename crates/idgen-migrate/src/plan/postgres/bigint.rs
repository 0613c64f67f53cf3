//! Texts of a plan to `bigint`, and notes for the person who executes it: how many ids are left until its last step, and which columns without a
//! foreign key may refer to the key.

use super::catalog::{Catalog, Column, Table};
use super::graph::{Graph, key_of, pairs};
use super::names::quoted;
use super::session::Session;
use super::texts::{
    BACKFILL, CHECK, CONSTRAINTS, FINISH, INDEXES, PREPARE, SWITCH, TEXT, TRIGGERS, Text, VERIFY,
};
use crate::plan::references;
use idgen_database::Result;

/// The steps. Integers have one spelling, and each of them is a `bigint`.
pub(super) const TEXTS: [Text; 10] = [
    Text {
        purpose: "Reads all rows and changes nothing. It fails if there are rows that refer to nothing, with the statement that shows them.",
        ..CHECK
    },
    Text {
        purpose: "Adds empty columns of type bigint beside the old ones, and a schema with the progress of the copy. Clients see the new \
            columns from here on: `SELECT *` returns them, COPY FROM without a list of columns fails (\"missing data for column\"), COPY TO without one writes \
            them, and INSERT INTO … SELECT * into a table of before fails (\"more expressions than target columns\"), so name the columns in these before \
            this step. An INSERT of values without a list of columns leaves them out until the switch. Prepared statements that return whole rows get \"cached plan must not change result type\", at each execution until they are prepared again, and functions that \
            return the rows of a table by a list of columns fail.",
        ..PREPARE
    },
    Text {
        purpose: "From now on each new and changed row has both keys, also if it comes by COPY, ON CONFLICT or a cascade.",
        ..TRIGGERS
    },
    BACKFILL,
    INDEXES,
    CONSTRAINTS,
    VERIFY,
    TEXT,
    Text {
        purpose: "The new columns take the names, keys, defaults, sequences and indexes of the old ones. The old columns stay current under \
            names that end in _old, so each id must still fit their type. Prepared statements that return a key get \"cached plan must not change \
            result type\" at each execution until they are prepared again. The names that end in _new stay as empty columns, for clients that have \
            read the list of columns before and insert into all of them: these must leave the columns of the plan out before the last step (README.md).",
        ..SWITCH
    },
    Text {
        purpose: "Drops the old columns and all objects of the plan. From now on the sequences count as far as bigint goes. Execute it when \
            nobody wants to go back: after it, nobody can. The proof that no row is lost is the constraint that its old and its new key are the \
            same: the file asks for it. The space of the old columns is free after the tables are written anew, as VACUUM FULL or pg_repack do.",
        ..FINISH
    },
];

pub(super) async fn notes(
    session: &mut Session,
    catalog: &Catalog,
    graph: &Graph,
    root: &Table,
) -> Result<Vec<String>> {
    let mut notes = Vec::new();
    if let Some(column) = key_of(catalog, root.id).first().and_then(|&place| catalog.column(place)) {
        notes.push(left(session, root, column).await?);
        let columns = without_foreign_key(catalog, graph, root, column);
        notes.extend(references::small_by_name(&columns, &format!("{}.{}", root.shown(), column.name)));
    }
    Ok(notes)
}

/// The old columns are kept current, and their sequences keep their end, until the last step.
async fn left(session: &mut Session, root: &Table, column: &Column) -> Result<String> {
    // Without a privilege on a sequence, its value is not known, which is not the same as none. The server may ask for the privilege before it
    // compares the kind, and then fails for a table.
    let sequences = format!(
        "SELECT c.oid, CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'SELECT, USAGE') END AS is_readable \
         FROM pg_depend d JOIN pg_class c ON (d.classid, d.objid) = ('pg_class'::regclass, c.oid) AND c.relkind = 'S' \
         WHERE (d.refclassid, d.refobjid, d.refobjsubid) = ('pg_class'::regclass, {id}, {number}) \
         UNION SELECT c.oid, CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, 'SELECT, USAGE') END FROM pg_attrdef f \
         JOIN pg_depend d ON (d.classid, d.objid, d.refclassid) = ('pg_attrdef'::regclass, f.oid, 'pg_class'::regclass) \
         JOIN pg_class c ON c.oid = d.refobjid AND c.relkind = 'S' WHERE (f.adrelid, f.adnum) = ({id}, {number})",
        id = root.id,
        number = column.number
    );
    let used = session
        .number(&format!(
            "SELECT greatest((SELECT COALESCE(max({}), 0) FROM {}), \
             (SELECT COALESCE(max(CASE WHEN s.is_readable THEN pg_sequence_last_value(s.oid) END), 0) FROM ({sequences}) AS s))::bigint",
            quoted(&column.name),
            root.written(),
        ))
        .await?;
    let unread =
        format!("SELECT s.oid::regclass::text FROM ({sequences}) AS s WHERE NOT s.is_readable ORDER BY 1");
    let unread = session.texts("the privileges on sequences", &unread).await?;
    let most = if column.kind == "int2" { i128::from(i16::MAX) } else { i128::from(i32::MAX) };
    let mut left = references::ids_left(
        &format!("{}.{}", root.shown(), column.name),
        &column.type_text,
        used.into(),
        most,
        "\"reached maximum value of sequence\" or \"out of range\"",
    );
    if !unread.is_empty() {
        left += &format!(
            " There may be fewer: the values of these sequences were not read, which needs SELECT on them: {}.",
            unread.join(", ")
        );
    }
    Ok(left)
}

/// Integers of fewer than 64 bits whose names say that they refer to the key.
fn without_foreign_key(catalog: &Catalog, graph: &Graph, of: &Table, key: &Column) -> Vec<String> {
    let found = catalog.columns.iter().filter(|column| {
        let place = (column.table, column.number);
        matches!(column.kind.as_str(), "int2" | "int4")
            && !graph.columns.contains_key(&place)
            && references::is_named_after(&column.name, &of.name, &key.name)
            && !catalog.foreign_keys.iter().flat_map(pairs).any(|(child, _)| child == place)
    });
    found
        .map(|column| format!("{} ({})", catalog.shown((column.table, column.number)), column.type_text))
        .collect()
}
