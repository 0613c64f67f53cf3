//! Keys as the model stores them.

use crate::error::{Error, Result};

/// The longest key that the model stores in full.
pub const MAX_KEY_BYTES: usize = 40;

/// A key that can be compared and copied cheaply.
pub(crate) trait Key: Copy + Ord + std::fmt::Debug {
    /// Key bytes, in the order of a binary collation, padded with zeros.
    fn read(bytes: &[u8]) -> Result<Self>;

    /// The first 16 bytes.
    fn head(self) -> u128;

    /// Leading bytes that two keys have in common.
    fn shared_bytes(self, other: Self) -> usize;
}

/// Keys of up to 16 bytes.
impl Key for u128 {
    fn read(bytes: &[u8]) -> Result<Self> {
        let mut padded = [0; 16];
        padded.get_mut(..bytes.len()).ok_or(Error::key_length(bytes.len(), 16))?.copy_from_slice(bytes);
        Ok(u128::from_be_bytes(padded))
    }

    fn head(self) -> u128 {
        self
    }

    fn shared_bytes(self, other: Self) -> usize {
        (self ^ other).leading_zeros() as usize / 8
    }
}

/// Keys of up to 40 bytes, such as a UUID's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Wide([u8; MAX_KEY_BYTES]);

impl Key for Wide {
    fn read(bytes: &[u8]) -> Result<Self> {
        let mut padded = [0; MAX_KEY_BYTES];
        padded
            .get_mut(..bytes.len())
            .ok_or(Error::key_length(bytes.len(), MAX_KEY_BYTES))?
            .copy_from_slice(bytes);
        Ok(Wide(padded))
    }

    fn head(self) -> u128 {
        head(&self.0)
    }

    fn shared_bytes(self, other: Self) -> usize {
        self.0.iter().zip(&other.0).take_while(|(ours, theirs)| ours == theirs).count()
    }
}

/// The first 16 bytes of a key of any length, zeros where it is shorter.
pub(crate) fn head(bytes: &[u8]) -> u128 {
    let mut padded = [0; 16];
    let len = bytes.len().min(16);
    padded[..len].copy_from_slice(&bytes[..len]);
    u128::from_be_bytes(padded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_sort_as_their_bytes() {
        let texts = ["", "0", "00000000-0000-4000-8000-000000000000", "ffffffff-0000-4000-8000-000000000000"];
        let keys: Vec<Wide> = texts.iter().map(|text| Wide::read(text.as_bytes()).unwrap()).collect();
        assert!(keys.is_sorted());
        assert!(Wide::read(&[0; 41]).unwrap_err().is_key());
        assert!(u128::read(&[0; 17]).unwrap_err().to_string().contains("17 bytes"));
    }
}
