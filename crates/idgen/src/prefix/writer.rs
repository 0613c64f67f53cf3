//! Writers with names behind a sequential prefix.

use crate::secret::hmac;
use crate::tail::TAG_BITS;

/// One of the writers whose ids share a [sequential prefix](crate::Prefix::SequentialOf): 12 bits made of its name.
///
/// A writer is what makes ids and inserts them in their order: a thread or a connection, or a service that inserts one
/// statement after another. Two of *n* writers share a tag with a probability of about n² / 8,192; their ids stay unique, but
/// their rows lie between each other.
///
/// ```
/// use idgen::Writer;
///
/// assert_eq!(Writer::new("orders-1"), Writer::new("orders-1"));
/// assert_ne!(Writer::new("orders-1").tag(), Writer::new("orders-2").tag());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Writer {
    tag: u16,
}

impl Writer {
    /// The writer with this name.
    pub fn new(name: &str) -> Self {
        // No secret: anybody who knows the name can compute the tag.
        let mac = hmac(b"idgen writer", b"name ", name.as_bytes());
        Writer { tag: u16::from_be_bytes([mac[0], mac[1]]) >> (16 - TAG_BITS) }
    }

    /// The 12 bits: the beginning of the HMAC-SHA-256 of "name " and the name under the key "idgen writer".
    ///
    /// ```
    /// assert!(idgen::Writer::new("orders-1").tag() < 4_096);
    /// ```
    pub fn tag(self) -> u16 {
        self.tag
    }
}
