//! The value of the 48-bit node of versions 1 and 6.

use core::fmt;

use crate::error::{Error, Result};

/// A node: a hardware address, or 47 random bits and the multicast bit, which no hardware address has.
///
/// Source: RFC 9562 section 6.10, "UUIDs That Do Not Identify the Host".
///
/// ```
/// use idgen::{Node, source::FixedEntropy};
///
/// assert!(Node::random(&mut FixedEntropy::new(1))?.is_multicast());
/// let node: Node = "9f:6b:de:ce:d8:46".parse()?;
/// assert_eq!(node.to_string(), "9f6bdeced846");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node([u8; 6]);

impl Node {
    /// A node of these six bytes, unchanged.
    #[inline]
    pub const fn new(bytes: [u8; 6]) -> Self {
        Node(bytes)
    }

    /// The six bytes, in the order of the id.
    #[inline]
    pub const fn bytes(self) -> [u8; 6] {
        self.0
    }

    /// The low two bytes, the node of a 64-bit device id.
    #[inline]
    pub const fn low16(self) -> u16 {
        u16::from_be_bytes([self.0[4], self.0[5]])
    }

    /// True for a random node: a network card has this bit clear.
    pub const fn is_multicast(self) -> bool {
        self.0[0] & 1 == 1
    }
}

impl fmt::Display for Node {
    /// Twelve lower-case hex digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl core::str::FromStr for Node {
    type Err = Error;

    /// Twelve hex digits, with a colon or hyphen between all the pairs or none.
    fn from_str(text: &str) -> Result<Self> {
        let wrong = || Error::config("not a node", text, "write twelve hex digits, such as 9f6bdeced846");
        let bytes = text.as_bytes();
        let stride = match (bytes.len(), bytes.get(2)) {
            (12, _) => 2,
            (17, Some(&separator @ (b':' | b'-'))) if (2..17).step_by(3).all(|i| bytes[i] == separator) => 3,
            _ => return Err(wrong()),
        };
        let mut node = [0; 6];
        for (byte, pair) in node.iter_mut().zip(bytes.chunks(stride)) {
            for &digit in &pair[..2] {
                let value = (digit as char).to_digit(16).ok_or_else(wrong)?;
                *byte = *byte << 4 | value as u8;
            }
        }
        Ok(Node(node))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn text_is_read_strictly() {
        for text in ["9f6bdeced846", "9F:6B:DE:CE:D8:46", "9f-6b-de-ce-d8-46"] {
            assert_eq!(text.parse::<Node>().unwrap().bytes(), [0x9f, 0x6b, 0xde, 0xce, 0xd8, 0x46]);
        }
        for text in
            ["", "9f6bdeced84", "9f6bdeced84g", "9f:6b:de:ce:d8-46", "9f6b:dececed8:46", "+f6bdeced846"]
        {
            let error = text.parse::<Node>().unwrap_err();
            assert!(error.is_config() && error.to_string().contains(text), "{text}: {error}");
        }
    }
}
