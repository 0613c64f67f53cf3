//! Compares the model of SQLite with the bundled library, page by page.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use btree_model::{SqliteShape, SqliteTable};
use idgen::source::{Entropy, FixedEntropy};
use rusqlite::{Connection, params, types::Value};

struct Real {
    db: Connection,
    _directory: tempfile::TempDir,
}

#[derive(Debug, PartialEq)]
struct Found {
    leaves: Vec<u32>,
    inner: u64,
}

impl Real {
    fn new(schema: &str, page_bytes: u32, cache_pages: u32) -> Real {
        let directory = tempfile::tempdir().unwrap();
        let db = Connection::open(directory.path().join("t.db")).unwrap();
        db.execute_batch(&format!(
            "PRAGMA page_size = {page_bytes}; PRAGMA cache_size = {cache_pages}; PRAGMA journal_mode = MEMORY; \
             PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; {schema}"
        ))
        .unwrap();
        Real { db, _directory: directory }
    }

    fn insert(&self, rows: impl Iterator<Item = (Value, Vec<u8>)>) {
        self.db.execute_batch("BEGIN").unwrap();
        let mut insert = self.db.prepare_cached("INSERT INTO t VALUES (?, ?)").unwrap();
        for (key, payload) in rows {
            insert.execute(params![key, payload]).unwrap();
        }
        drop(insert);
        self.db.execute_batch("COMMIT").unwrap();
    }

    fn pages(&self) -> (Vec<u32>, u64) {
        let mut statement =
            self.db.prepare("SELECT pagetype, pgsize - unused FROM dbstat WHERE name = 't' ORDER BY path").unwrap();
        let mut pages = statement.query([]).unwrap();
        let (mut leaves, mut inner) = (Vec::new(), 0);
        while let Some(page) = pages.next().unwrap() {
            if page.get::<_, String>(0).unwrap() == "leaf" {
                leaves.push(page.get(1).unwrap());
            } else {
                inner += 1;
            }
        }
        (leaves, inner)
    }

    fn counted(&self) -> (u64, u64) {
        #[allow(unsafe_code)]
        let read = |parameter| {
            let (mut current, mut highest) = (0, 0);
            // SAFETY: the handle is valid while `self.db` is, and both results are live integers.
            unsafe { rusqlite::ffi::sqlite3_db_status(self.db.handle(), parameter, &mut current, &mut highest, 0) };
            u64::from(current as u32)
        };
        (read(rusqlite::ffi::SQLITE_DBSTATUS_CACHE_MISS), read(rusqlite::ffi::SQLITE_DBSTATUS_CACHE_WRITE))
    }
}

#[test]
fn try_it() {
    for page_bytes in [4096, 16384] {
        for payload in [0usize, 100] {
            for kind in ["random", "ascending", "rowid", "rowid random", "prefix"] {
                let cache = 500;
                let (schema, shape) = match kind {
                    "rowid" | "rowid random" => (
                        "CREATE TABLE t (id INTEGER PRIMARY KEY, p BLOB NOT NULL)",
                        SqliteShape::rowid(page_bytes, &[payload as u32]).unwrap(),
                    ),
                    _ => (
                        "CREATE TABLE t (id BLOB NOT NULL PRIMARY KEY, p BLOB NOT NULL) WITHOUT ROWID",
                        SqliteShape::bytes(page_bytes, 16, &[payload as u32]).unwrap(),
                    ),
                };
                let real = Real::new(schema, page_bytes, cache);
                let mut model = SqliteTable::new(shape, cache).unwrap();
                let mut random = FixedEntropy::new(1);
                let before = real.counted();
                for batch in 0..100u64 {
                    let mut rows = Vec::new();
                    for row in 0..1000u64 {
                        let number = batch * 1000 + row;
                        let (key, bytes) = match kind {
                            "rowid" => (Value::Integer(number as i64 + 1), (number + 1).to_be_bytes().to_vec()),
                            "rowid random" => {
                                let k = random.next_u64().unwrap() >> 1;
                                (Value::Integer(k as i64), k.to_be_bytes().to_vec())
                            }
                            kind => {
                                let mut id = [0u8; 16];
                                let tail = random.next_u64().unwrap();
                                match kind {
                                    "random" => id[..8].copy_from_slice(&tail.to_be_bytes()),
                                    "ascending" => id[..8].copy_from_slice(&number.to_be_bytes()),
                                    _ => {
                                        id[0] = (batch * 37 % 256) as u8;
                                        id[2..10].copy_from_slice(&tail.to_be_bytes());
                                    }
                                }
                                (Value::Blob(id.to_vec()), id.to_vec())
                            }
                        };
                        model.insert(&bytes).unwrap();
                        rows.push((key, vec![0; payload]));
                    }
                    real.insert(rows.into_iter());
                    model.commit();
                }
                let after = real.counted();
                let (leaves, inner) = real.pages();
                let tree = model.tree();
                let w = model.window();
                let mean = leaves.iter().map(|&b| f64::from(b)).sum::<f64>() / leaves.len() as f64 / f64::from(page_bytes);
                eprintln!(
                    "{page_bytes} {payload} {kind}: leaves {} {} inner {} {} fill {:.4} {:.4} reads {} {:.0} writes {} {:.0}",
                    leaves.len(), tree.leaf_pages, inner, tree.inner_pages, mean, tree.fill.mean,
                    after.0 - before.0, w.reads_per_1k * 100.0, after.1 - before.1, w.writes_per_1k * 100.0
                );
            }
        }
    }
}
