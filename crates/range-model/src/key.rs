//! Keys, as ranges compare them.

/// The first 16 bytes of a key. Longer keys that differ only after them are equal to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(u128);

impl Key {
    /// The least key, with which the first range begins.
    pub(crate) const LEAST: Key = Key(0);

    /// The key with these bytes.
    ///
    /// ```
    /// use range_model::Key;
    ///
    /// assert!(Key::of(&[1, 255]) < Key::of(&[2]));
    /// assert_eq!(Key::of(&[7; 16]), Key::of(&[7; 20]));
    /// ```
    pub fn of(bytes: &[u8]) -> Key {
        let mut first = [0; 16];
        let length = bytes.len().min(16);
        first[..length].copy_from_slice(&bytes[..length]);
        Key(u128::from_be_bytes(first))
    }

    /// The first key of each of `parts` equal parts of all keys, except for the first part.
    pub(crate) fn borders(parts: u64) -> impl Iterator<Item = Key> {
        let step = u128::MAX / u128::from(parts);
        (1..parts).map(move |part| Key(step * u128::from(part) + u128::from(part)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_divide_all_keys_evenly() {
        let firsts: Vec<Key> = Key::borders(4).collect();
        assert_eq!(firsts, [0x40, 0x80, 0xc0].map(|byte: u8| Key::of(&[byte])));
        assert_eq!(Key::borders(1).count(), 0);
    }
}
