//! Files with a secret.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use zeroize::Zeroizing;

/// A longer file is a mistake: the wrong file, or one without an end.
const LONGEST: usize = 64 * 1024;

/// Makes a key of the content of a file. The library says which content is one.
pub fn read<K>(path: &Path, key_from: impl FnOnce(&[u8]) -> idgen::Result<K>) -> anyhow::Result<K> {
    read_whole(path, key_from).with_context(|| format!("key file {path:?}"))
}

fn read_whole<K>(path: &Path, key_from: impl FnOnce(&[u8]) -> idgen::Result<K>) -> anyhow::Result<K> {
    // Room enough from the start: a buffer that grows would leave copies of the key behind.
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST + 1));
    File::open(path)?.take(LONGEST as u64 + 1).read_to_end(&mut bytes)?;
    anyhow::ensure!(bytes.len() <= LONGEST, "it is longer than {LONGEST} bytes: name a file with a key");
    Ok(key_from(&bytes)?)
}
