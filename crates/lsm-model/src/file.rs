//! A sorted file.

/// The leading bytes of a key as a number, so that keys are compared with one instruction.
pub(crate) type Key = u128;

/// The first 16 bytes of a key; a shorter one ends with zeros.
pub(crate) fn leading(key: &[u8]) -> Key {
    let mut bytes = [0; size_of::<Key>()];
    let len = key.len().min(bytes.len());
    bytes[..len].copy_from_slice(&key[..len]);
    Key::from_be_bytes(bytes)
}

/// What a row takes in a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RowBytes {
    /// Bytes of a row that shares none with the row before it.
    pub(crate) whole: f64,
    /// The share of its size that a compressed file has.
    pub(crate) compressed: f64,
}

/// Bytes of a row in the filter, of 10 bits a key, and in the index. They are written when the file ends.
pub(crate) const BYTES_AT_END: f64 = 2.0;

/// In a block, every 16th key is stored whole (`block_restart_interval`).
const SHARING: f64 = 15.0 / 16.0;

impl RowBytes {
    /// Bytes of a row after another one, without the leading bytes that their keys have in common.
    pub(crate) fn after(self, before: Key, key: Key) -> f64 {
        let shared = f64::from((before ^ key).leading_zeros() / 8);
        (self.whole - shared * SHARING) * self.compressed
    }
}

/// The keys of a file in their order, of which there is at least one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct File {
    keys: Vec<Key>,
    bytes: f64,
}

impl File {
    /// A file with these keys, which are sorted; `None` without a key.
    pub(crate) fn of(keys: Vec<Key>, row: RowBytes) -> Option<File> {
        let rest: f64 = keys.windows(2).map(|pair| row.after(pair[0], pair[1])).sum();
        (!keys.is_empty()).then_some(File { keys, bytes: row.whole * row.compressed + rest })
    }

    pub(crate) fn first(&self) -> Key {
        self.keys[0]
    }

    pub(crate) fn last(&self) -> Key {
        self.keys[self.keys.len() - 1]
    }

    pub(crate) fn bytes(&self) -> f64 {
        self.bytes
    }

    pub(crate) fn into_keys(self) -> Vec<Key> {
        self.keys
    }

    /// Whether the key lies between the first and the last key.
    pub(crate) fn covers(&self, key: Key) -> bool {
        (self.first()..=self.last()).contains(&key)
    }

    /// Whether the two have a range of keys in common.
    pub(crate) fn overlaps(&self, other: &File) -> bool {
        self.first() <= other.last() && other.first() <= self.last()
    }
}

/// Bytes of several files.
pub(crate) fn bytes_of(files: &[File]) -> f64 {
    // The sum of no numbers is -0.0.
    files.iter().map(File::bytes).sum::<f64>() + 0.0
}
