//! The committed tablespace files.

use std::fs::File;
use std::io::{Cursor, Read};
use std::path::PathBuf;

use flate2::read::GzDecoder;
use innodb_pages::{Error, Options, Pages, Tablespace};

/// Files that are neither compressed nor encrypted.
pub const READABLE: [&str; 8] = [
    "mysql-9.7-16k-random_keys",
    "mysql-9.7-16k-ascending",
    "mysql-9.7-16k-shrunk",
    "mysql-9.7-4k-random_keys",
    "mariadb-10.11-16k-random_keys",
    "mariadb-10.11-16k-ascending",
    "mariadb-10.11-16k-shrunk",
    "mariadb-10.11-8k-crc32-random_keys",
];

/// Both packages that use this module are two folders below the root.
pub fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "../../crates/innodb-pages/tests/ibd", name].iter().collect()
}

pub fn bytes(name: &str) -> Vec<u8> {
    let file = File::open(path(&format!("{name}.ibd.gz"))).expect("a committed file");
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a whole gzip file");
    bytes
}

pub fn scan_with(bytes: &[u8], options: Options) -> Result<Pages, Error> {
    Tablespace::new(Cursor::new(bytes), options)?.scan()
}

pub fn scan(bytes: &[u8]) -> Result<Pages, Error> {
    scan_with(bytes, Options::default())
}
