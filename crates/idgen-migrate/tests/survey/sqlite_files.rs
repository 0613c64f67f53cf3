//! A survey of SQLite leaves no file beside a database, names one that prevents the reading, and knows the encoding.

use idgen_migrate::survey::{Options, survey};

use crate::sqlite::surveyed;

/// The names of the files of a folder.
fn files(folder: &std::path::Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

const IN_WAL_MODE: &str = "PRAGMA journal_mode = wal; CREATE TABLE t (id TEXT PRIMARY KEY) WITHOUT ROWID;
    INSERT INTO t VALUES ('6ccd780c-baba-4026-9564-5b8c656024db'), ('f81d4fae-7dec-41d0-a765-00a0c91e6bf6');";

#[test]
fn no_file_is_left_beside_a_database_in_wal_mode() {
    let folder = tempfile::tempdir().unwrap();
    // Characters that mean something in a URI.
    let path = folder.path().join("a?b%41#c.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(IN_WAL_MODE).unwrap();
    let url = format!("sqlite:{}", path.display());
    let survey = || crate::common::runtime().block_on(survey(&url, &Options::default())).unwrap();
    assert_eq!(files(folder.path()), ["a?b%41#c.db"]);
    assert_eq!(survey().rows_read, 2);
    assert_eq!(files(folder.path()), ["a?b%41#c.db"]);

    // What a client has only in its log is read, and its files stay.
    let client = rusqlite::Connection::open(&path).unwrap();
    client.execute_batch("INSERT INTO t VALUES ('0e8b1c3a-9f02-4c55-8b1e-7d1f3a2b4c5d')").unwrap();
    let open = files(folder.path());
    assert_eq!(open.len(), 3);
    assert_eq!(survey().rows_read, 3);
    assert_eq!(files(folder.path()), open);
}

#[tokio::test]
async fn a_client_that_opens_the_database_during_a_session_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch(IN_WAL_MODE).unwrap();
    let limits = idgen_database::Limits {
        statement_time: std::time::Duration::from_secs(5),
        show_values: true,
        program: "test",
        settings: &[],
    };
    let mut session =
        idgen_database::Session::open(&format!("sqlite:{}", path.display()), &limits).await.unwrap();
    let mut count = async || session.rows("rows", "SELECT count(*) FROM t", &[]).await.unwrap()[0][0].text();
    assert_eq!(count().await.as_deref(), Some("2"));
    let client = rusqlite::Connection::open(&path).unwrap();
    client.execute_batch("INSERT INTO t VALUES ('0e8b1c3a-9f02-4c55-8b1e-7d1f3a2b4c5d')").unwrap();
    assert_eq!(count().await.as_deref(), Some("3"), "the row is in the client's log only");
    drop(client);
    assert_eq!(count().await.as_deref(), Some("3"));
}

#[test]
fn the_journal_of_an_ended_client_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.db");
    let copy = folder.path().join("copy.db");
    let client = rusqlite::Connection::open(&path).unwrap();
    client.execute_batch("CREATE TABLE t (id TEXT); PRAGMA cache_size = 1; BEGIN").unwrap();
    for _ in 0..99 {
        client.execute_batch("INSERT INTO t VALUES (hex(randomblob(1000)))").unwrap();
    }
    for suffix in ["", "-journal"] {
        std::fs::copy(format!("{}{suffix}", path.display()), format!("{}{suffix}", copy.display())).unwrap();
    }
    let refused =
        crate::common::runtime().block_on(survey(&format!("sqlite:{}", copy.display()), &Options::default()));
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("copy.db-journal is the journal of a transaction that was not ended"), "{said}");
}

/// A database of UTF-16 has two bytes for each character of a text.
#[test]
fn bytes_of_texts_are_those_of_the_encoding() {
    for (encoding, expected) in [("UTF-8", 37.0), ("UTF-16le", 73.0), ("UTF-16be", 73.0)] {
        let found = surveyed(&format!(
            "PRAGMA encoding = '{encoding}'; CREATE TABLE t (id TEXT PRIMARY KEY);
             INSERT INTO t VALUES ('6ccd780c-baba-4026-9564-5b8c656024db')"
        ));
        let cost = found.tables[0].columns[0].cost.as_ref().unwrap();
        assert_eq!(cost.value_bytes, expected, "{encoding}");
    }
}
