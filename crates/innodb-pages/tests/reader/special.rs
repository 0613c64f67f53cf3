//! Files that hold more than the rows of one plain table: partitions, shared and system tablespaces, undo logs, a
//! metadata record; and files that are read from a pipe.

use std::io::Write;
use std::process::{Command, Stdio};

use innodb_pages::{Options, SpaceKind, Survey, Tablespace, Writer};

use super::files::{bytes, scan, scan_with};

/// Number, name and whether it is clustered.
fn indexes(survey: &Survey) -> Vec<(Option<&str>, bool)> {
    survey.indexes.iter().map(|index| (index.name.as_deref(), index.clustered)).collect()
}

#[test]
fn the_metadata_record_of_an_instant_column_is_no_row() {
    let survey = Survey::of(&scan(&bytes("mariadb-11.8-16k-widened")).unwrap());
    let table = survey.clustered().unwrap();
    assert_eq!((table.records, table.leaf().records), (100, 100));
}

#[test]
fn a_page_in_use_that_is_all_zeros_is_damage() {
    const SECONDARY: usize = 5;
    let mut damaged = bytes("mysql-9.7-16k-small");
    damaged[SECONDARY * 16_384..][..16_384].fill(0);
    let error = scan(&damaged).unwrap_err();
    assert_eq!(error.page(), Some(5), "{error}");
    assert!(error.to_string().contains("all its bytes are zero"), "{error}");
    let unverified = Survey::of(&scan_with(&damaged, Options { verify: false }).unwrap());
    assert_eq!(unverified.indexes.len(), 1);
}

/// MariaDB extends the file of a new table at once, and writes its pages later.
#[test]
fn a_file_whose_pages_are_not_written_yet_is_no_damage() {
    for error in [
        scan(&vec![0; 6 * 16_384]).unwrap_err(),
        scan_with(&vec![0; 65_536], Options { verify: false }).unwrap_err(),
        Tablespace::stream(&vec![0; 6 * 16_384][..], Options::default()).err().unwrap(),
    ] {
        assert!(error.is_not_tablespace() && !error.is_corrupt(), "{error}");
        assert_eq!(
            error.to_string(),
            "page 0 has no type, so this is a file whose pages the server still has in memory only, or no InnoDB \
             tablespace; run FLUSH TABLES ... FOR EXPORT in the server, and read or copy the file before UNLOCK TABLES"
        );
    }
}

/// MySQL writes the names into the file of the first partition only.
#[test]
fn partitions_have_the_names_of_the_tables_indexes() {
    let named = [(Some("PRIMARY"), true), (Some("by_n"), false)];
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["orders#p#p0.ibd", "orders#p#p1.ibd"].map(|name| folder.path().join(name));
    std::fs::write(&second, bytes("mysql-9.7-16k-part1")).unwrap();
    let survey = || Survey::of(&Tablespace::open(&second, Options::default()).unwrap().scan().unwrap());
    assert_eq!(indexes(&survey()), [(None, true), (None, false)], "it is alone");
    std::fs::write(&first, bytes("mysql-9.7-16k-part0")).unwrap();
    assert_eq!(indexes(&survey()), named);
    assert_eq!(indexes(&Survey::of(&scan(&bytes("mysql-9.7-16k-part0")).unwrap())), named);
    // Another table's file says nothing about this one.
    std::fs::rename(&first, folder.path().join("other#p#p0.ibd")).unwrap();
    assert_eq!(indexes(&survey()), [(None, true), (None, false)]);
}

#[test]
fn each_table_of_a_shared_tablespace_has_its_clustered_index() {
    let survey = Survey::of(&scan(&bytes("mysql-9.7-16k-shared")).unwrap());
    let (primary, secondary) = ((Some("PRIMARY"), true), |name| (Some(name), false));
    assert_eq!(
        indexes(&survey),
        [primary, secondary("n"), primary, secondary("n2"), primary, secondary("n3")]
    );
}

#[test]
fn undo_and_system_tablespaces_have_their_kind() {
    let survey = |name| Survey::of(&scan(&bytes(name)).unwrap());
    let undo = survey("mariadb-11.8-16k-undo");
    assert_eq!((undo.kind, undo.clustered()), (SpaceKind::Undo, None));
    for (name, writer) in
        [("mysql-9.7-16k-system", Writer::Mysql), ("mariadb-11.8-16k-system", Writer::Mariadb)]
    {
        let system = survey(name);
        assert_eq!((system.kind, system.format.writer), (SpaceKind::System, writer), "{name}");
        assert_eq!(system.clustered(), None, "{name}");
        // Two blocks of one extent each: what they hold was written elsewhere too.
        assert_eq!(system.kinds.get("doublewrite"), Some(&128), "{name}");
    }
    assert_eq!(survey("mysql-9.7-16k-small").kind, SpaceKind::Tables);
}

#[test]
fn a_stream_is_read_as_a_file_is() {
    let whole = bytes("mysql-9.7-16k-small");
    let streamed = Tablespace::stream(&whole[..], Options::default()).unwrap().scan().unwrap();
    assert_eq!(Survey::of(&streamed), Survey::of(&scan(&whole).unwrap()));
    for len in [0, 149, 150, 16_384, whole.len() - 16_384, whole.len() - 1] {
        let error =
            Tablespace::stream(&whole[..len], Options::default()).and_then(Tablespace::scan).unwrap_err();
        assert!(error.is_truncated(), "{len}: {error}");
        assert!(error.to_string().contains(&format!("{len} bytes")), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn a_fifo_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).stdout(Stdio::null()).status().unwrap().success());
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || std::fs::File::create(fifo).unwrap().write_all(&bytes("mysql-9.7-16k-small")).unwrap()
    });
    let pages = Tablespace::open(&fifo, Options::default()).unwrap().scan().unwrap();
    writer.join().unwrap();
    assert_eq!(Survey::of(&pages).indexes.len(), 2);
}
