//! Standard input, one line or one record at a time, for inputs and lines of any length.

use std::io::{self, BufRead, BufReader, Read, StdinLock};

use anyhow::Context;

/// The longest line that is read, in bytes: no id is nearly as long.
pub const LONGEST: usize = 1024;

/// A piece of the input.
pub enum Piece<'a> {
    /// A line without its end, or the bytes of a record.
    Whole(&'a [u8]),
    /// A line of more than [`LONGEST`] bytes, which was skipped.
    TooLong,
}

/// Standard input in pieces.
pub struct Lines {
    input: BufReader<StdinLock<'static>>,
    piece: Vec<u8>,
    is_first: bool,
}

const BUFFER: usize = 64 * 1024;
const READING: &str = "cannot read standard input";
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl Lines {
    /// Locks standard input.
    pub fn new() -> Self {
        let input = BufReader::with_capacity(BUFFER, io::stdin().lock());
        Lines { input, piece: Vec::new(), is_first: true }
    }

    /// Whether nothing is buffered, so that the next piece may take time to arrive.
    pub fn may_wait(&self) -> bool {
        self.input.buffer().is_empty()
    }

    /// The next line, without its LF or CRLF; the first also without a byte order mark.
    pub fn next_line(&mut self) -> anyhow::Result<Option<Piece<'_>>> {
        // Enough for the longest line, its end and the mark.
        let most = LONGEST + 5;
        self.piece.clear();
        self.input.by_ref().take(most as u64).read_until(b'\n', &mut self.piece).context(READING)?;
        if self.piece.is_empty() {
            return Ok(None);
        }
        if self.piece.len() == most && !self.piece.ends_with(b"\n") {
            self.input.skip_until(b'\n').context(READING)?;
        }
        let line = &self.piece[..];
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_first = std::mem::replace(&mut self.is_first, false);
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line);
        Ok(Some(if line.len() > LONGEST { Piece::TooLong } else { Piece::Whole(line) }))
    }

    /// The next `len` bytes; fewer at the end.
    pub fn next_record(&mut self, len: usize) -> anyhow::Result<Option<Piece<'_>>> {
        self.piece.clear();
        self.input.by_ref().take(len as u64).read_to_end(&mut self.piece).context(READING)?;
        Ok((!self.piece.is_empty()).then_some(Piece::Whole(&self.piece)))
    }
}
