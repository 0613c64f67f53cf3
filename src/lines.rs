//! Standard input, one line or one record at a time, for inputs and lines of any length.

use std::io::{self, BufRead, BufReader, Read, StdinLock};

use anyhow::{Context, bail, ensure};

use crate::text_file::is_utf_16;

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

    /// Returns whether nothing is buffered, so that the next piece may take time to arrive.
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
        ensure!(!(is_first && is_utf_16(line)), "standard input is text in UTF-16: convert it to UTF-8");
        let line = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| is_first).unwrap_or(line);
        Ok(Some(if line.len() > LONGEST { Piece::TooLong } else { Piece::Whole(line) }))
    }

    /// The next `len` bytes; fewer at the end.
    ///
    /// # Errors
    /// If standard input cannot be read, or if it begins as text of ids does.
    pub fn next_record(&mut self, len: usize) -> anyhow::Result<Option<Piece<'_>>> {
        self.piece.clear();
        self.input.by_ref().take(len as u64).read_to_end(&mut self.piece).context(READING)?;
        if std::mem::replace(&mut self.is_first, false) && is_text(&self.piece) {
            // The shortest text of an id that is not a number is longer than a record. Random bytes are practically never
            // text of the double length.
            let rest = self.input.fill_buf().context(READING)?;
            let rest = &rest[..rest.len().min(len)];
            if are_text(&self.piece, rest) {
                bail!("standard input is not raw bytes, but text: {}", advice(&self.piece, rest));
            }
        }
        Ok((!self.piece.is_empty()).then_some(Piece::Whole(&self.piece)))
    }
}

/// Returns whether the bytes of supposed records are text: the first record, and the bytes after it.
fn are_text(first: &[u8], rest: &[u8]) -> bool {
    !rest.is_empty() && is_text(first) && is_text(rest)
}

/// Returns a reader of the same bytes as `input`, which has lines, or records of raw bytes of this length. `advice` says how raw bytes are read.
///
/// # Errors
/// If `input` cannot be read, is text in UTF-16, or begins as text of ids does although it should have records.
pub fn checked<R: Read>(mut input: R, record: Option<usize>, advice: &str) -> anyhow::Result<impl Read> {
    // This is more than the longest record: this many random bytes are practically never text.
    const ENOUGH: usize = 32;
    // Two units of UTF-16, and enough for a control character or invalid UTF-8 in raw bytes.
    const UNITS: usize = 16;
    let mut head = Vec::with_capacity(ENOUGH);
    input.by_ref().take(record.unwrap_or(UNITS) as u64).read_to_end(&mut head)?;
    match record {
        None => {
            ensure!(!is_utf_16(&head), "this is text in UTF-16: convert it to UTF-8");
            ensure!(!is_raw(&head), "these are not lines of text, but raw bytes{advice}");
        }
        Some(len) if is_text(&head) => {
            input.by_ref().take((ENOUGH - len) as u64).read_to_end(&mut head)?;
            let (first, rest) = head.split_at(len.min(head.len()));
            ensure!(!are_text(first, rest), "these are not raw bytes, but text: leave out --binary");
        }
        Some(_) => {}
    }
    Ok(io::Cursor::new(head).chain(input))
}

/// Returns whether the first bytes of an input are no text: they have a control character, or are not UTF-8.
fn is_raw(head: &[u8]) -> bool {
    // The end may cut a character off.
    let is_cut = |error: std::str::Utf8Error| error.error_len().is_none();
    head.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
        || std::str::from_utf8(head).is_err_and(|error| !is_cut(error))
}

/// Returns whether all bytes are characters of texts of ids: digits and letters of all formats, the
/// characters around them, and line ends.
fn is_text(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    is_utf_16(bytes)
        || !bytes.is_empty()
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_+/={}:\\'\" \t\r\n".contains(byte))
}

/// Says which options fit such a text.
fn advice(first: &[u8], rest: &[u8]) -> &'static str {
    let all = |digit: fn(&u8) -> bool| first.iter().chain(rest).all(digit);
    match all(u8::is_ascii_hexdigit) {
        true if all(u8::is_ascii_digit) => {
            "leave out --from; or, if each line has 32 hexadecimal digits that are the 16 bytes, add --hex"
        }
        true => "these are hexadecimal digits; add --hex to read 32 of them on each line as 16 bytes",
        false => "leave out --from, or name the format of the lines",
    }
}
