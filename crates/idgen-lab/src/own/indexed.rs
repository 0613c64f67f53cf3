//! The lab's own table with secondary indexes, written in the form of a user's schema.

use idgen_record::{Database, OwnTable};

/// A table with this many columns of random numbers, each with an index, and with this many random bytes.
///
/// Each entry of such an index also holds the key, if rows are stored in the tree of the key.
///
/// ```
/// use idgen_lab::own::{Own, with_secondary_indexes};
/// use idgen_record::Database;
///
/// let table = with_secondary_indexes(2, 100, Database::MySql);
/// assert_eq!(table.schema.matches("CREATE INDEX").count(), 2);
/// // Two numbers of 8 bytes.
/// assert_eq!(Own::read(&table, Database::MySql)?.payload_bytes(), 116);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
pub fn with_secondary_indexes(indexes: u32, payload_bytes: u32, database: Database) -> OwnTable {
    let number = |number| format!("n{number}");
    let numbers: Vec<String> = (1..=indexes).map(number).collect();
    let mut columns = vec!["id {key_type} PRIMARY KEY".to_owned()];
    columns.extend(numbers.iter().map(|name| format!("{name} BIGINT NOT NULL")));
    let (mut names, mut values) = (vec!["id".to_owned()], vec!["{key}".to_owned()]);
    names.extend(numbers.iter().cloned());
    values.extend(numbers.iter().map(|_| "{number}".to_owned()));
    if payload_bytes > 0 {
        columns.push(match database {
            Database::Sqlite => "payload BLOB NOT NULL".to_owned(),
            Database::Postgres => "payload bytea NOT NULL".to_owned(),
            Database::MySql | Database::MariaDb => format!("payload VARBINARY({payload_bytes}) NOT NULL"),
        });
        names.push("payload".to_owned());
        values.push(format!("{{bytes:{payload_bytes}}}"));
    }
    // Only this makes SQLite store the rows in the tree of the key.
    let clustered = if database == Database::Sqlite { " WITHOUT ROWID" } else { "" };
    let mut schema = vec![format!("CREATE TABLE lab_rows ({}){clustered}", columns.join(", "))];
    schema.extend(numbers.iter().map(|name| format!("CREATE INDEX by_{name} ON lab_rows ({name})")));
    if database == Database::Postgres && payload_bytes > 0 {
        // Stored within the row at any width, never in a separate TOAST table. CREATE TABLE takes it since version 16.
        schema.push("ALTER TABLE lab_rows ALTER payload SET STORAGE PLAIN".to_owned());
    }
    OwnTable {
        schema: schema.join(";\n"),
        insert: format!("INSERT INTO lab_rows ({}) VALUES ({})", names.join(", "), values.join(", ")),
    }
}
