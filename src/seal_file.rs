//! Files with the keys of sealed ids: one key, or a ring of keys that follow each other.

use std::path::Path;

use anyhow::{Context, anyhow, ensure};
use idgen::{SealKey, SealRing, Uuid};

use crate::key_file;
use crate::values;

/// The first line of a file that holds a ring.
const HEAD: &[u8] = b"idgen seal ring";

/// What a file holds.
pub enum SealKeys {
    One(Box<SealKey>),
    Ring(SealRing),
}

impl SealKeys {
    /// Reads a file. Its bytes are the key, unless its first line says that it holds a ring.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        key_file::read(path, |bytes| match ring_lines(bytes) {
            Some(lines) => ring(lines).map(SealKeys::Ring),
            None => Ok(SealKeys::One(Box::new(SealKey::new(bytes)?))),
        })
    }

    pub fn seal(&self, id: Uuid) -> idgen::Result<Uuid> {
        match self {
            SealKeys::One(key) => key.seal(id),
            SealKeys::Ring(ring) => ring.seal(id),
        }
    }

    pub fn open(&self, sealed: Uuid) -> idgen::Result<Uuid> {
        match self {
            SealKeys::One(key) => key.open(sealed),
            SealKeys::Ring(ring) => ring.open(sealed),
        }
    }
}

/// The lines after the first, if that is the one of a ring.
fn ring_lines(bytes: &[u8]) -> Option<impl Iterator<Item = &[u8]>> {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    (lines.next() == Some(HEAD)).then_some(lines)
}

/// Each line has the moment from which its key is used and, after a space, the secret; the first one's is `begin`.
/// No error message shows a secret.
fn ring<'a>(lines: impl Iterator<Item = &'a [u8]>) -> anyhow::Result<SealRing> {
    let mut made: Option<SealRing> = None;
    for (line, number) in lines.zip(2..) {
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        made = Some(added(made, line).with_context(|| format!("line {number}"))?);
    }
    made.ok_or_else(|| anyhow!("it has no keys: after the first line, write \"begin\", a space and a secret"))
}

fn added(ring: Option<SealRing>, line: &[u8]) -> anyhow::Result<SealRing> {
    let mut parts = line.splitn(2, |byte| *byte == b' ');
    let (from, secret) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Some(ring) = ring else {
        ensure!(
            from == b"begin",
            "the first key is for all ids before the second: write \"begin\", a space and the secret"
        );
        return Ok(SealRing::new(SealKey::new(secret)?));
    };
    // What stands there is not shown: it could be a secret.
    let moment = std::str::from_utf8(from).ok().and_then(|text| values::moment(text).ok());
    let moment = moment.context(
        "it does not begin with a moment: write one such as 2027-01-01T00:00:00Z, a space and the secret of the ids from then on",
    )?;
    Ok(ring.and_from(moment, SealKey::new(secret)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        let lines = ring_lines(text.as_bytes()).unwrap();
        format!("{:#}", ring(lines).unwrap_err())
    }

    #[test]
    fn a_ring_has_a_line_for_each_key() {
        let text = "idgen seal ring\r\n# of the shop\nbegin 0123456789abcdef\r\n\n2027-01-01T00:00:00Z a secret with spaces\n";
        assert_eq!(ring(ring_lines(text.as_bytes()).unwrap()).unwrap().len(), 2);
        assert!(ring_lines(b"idgen seal rings").is_none());
    }

    #[test]
    fn a_mistake_is_named_by_its_line_and_no_secret_is_shown() {
        for (text, says) in [
            ("idgen seal ring\n", "no keys"),
            ("idgen seal ring\n0123456789secret\n", "line 2: the first key is"),
            ("idgen seal ring\nbegin secret\n", "line 2: too short for a key: \"6 bytes\""),
            ("idgen seal ring\nbegin 0123456789secret\n2027 0123456789secret\n", "line 3: it does not begin"),
            (
                "idgen seal ring\nbegin 0123456789secret\n1960-01-01T00:00:00Z 0123456789secret\n",
                "in the order of their times",
            ),
        ] {
            let error = refused(text);
            assert!(
                error.contains(says) && !error.contains("secret\n") && !error.contains("0123"),
                "{error}"
            );
        }
    }
}
