//! The form of the output: a format, whether bytes are written as hexadecimal digits, and the case of these digits.

use std::io::Write;

use idgen::Uuid;
use idgen::codec::{Format, swapped};

use crate::failure::{note, usage};
use crate::output::Output;

/// How many ids are processed together.
pub const BATCH: usize = 1024;

/// A format; the two binary ones can be written as text.
#[derive(Clone, Copy)]
pub struct Form {
    format: Format,
    hex: bool,
    upper: bool,
}

impl Form {
    /// # Errors
    /// If `hex` is set and the format is text already, or `upper` and the text has no hexadecimal digits.
    pub fn new(format: Format, hex: bool, upper: bool) -> anyhow::Result<Self> {
        if hex && format.is_text() {
            return Err(usage(format_args!(
                "--hex is for the formats binary and swapped; {format} is text already"
            )));
        }
        let has_digits =
            hex || matches!(format, Format::Hyphenated | Format::Simple | Format::Urn | Format::Braced);
        if upper && !has_digits {
            return Err(usage(format_args!(
                "--upper is for hexadecimal digits, and the format {format} has none"
            )));
        }
        Ok(Form { format, hex, upper })
    }

    /// The format.
    pub fn format(self) -> Format {
        self.format
    }

    /// A note for ids that do not gain from the format `swapped`.
    pub fn note_if_swapped(self, which: impl std::fmt::Display) {
        if self.format == Format::Swapped {
            note(format_args!(
                "swapping orders only ids of version 1 by time; {which} would be better in the format binary"
            ));
        }
    }

    /// Whether each id is a line of text.
    pub fn is_text(self) -> bool {
        self.hex || self.format.is_text()
    }

    /// # Errors
    /// If raw bytes would be written to a terminal.
    pub fn check_terminal(self) -> anyhow::Result<()> {
        if !self.is_text() && Output::is_terminal() {
            return Err(usage(format_args!(
                "the format {} writes raw bytes, which would garble the terminal: redirect the output, or add --hex",
                self.format
            )));
        }
        Ok(())
    }

    /// Encodes one id. The result is text only if [`is_text`](Form::is_text) is true.
    pub fn encode<'b>(self, id: &Uuid, buf: &'b mut [u8; Format::MAX_LEN]) -> &'b [u8] {
        let len = match self.hex {
            true => Format::Simple.encode(&self.bytes(id), buf),
            false => self.format.encode(id, buf),
        }
        .len();
        if self.upper {
            buf[..len].make_ascii_uppercase();
        }
        &buf[..len]
    }

    /// The bytes that a binary format would write.
    fn bytes(self, id: &Uuid) -> Uuid {
        match self.format {
            Format::Swapped => Uuid::from_bytes(swapped::to_bytes(id)),
            _ => *id,
        }
    }

    /// Writes ids, each with a line end if the form is text. `buffer` is reused between calls.
    pub fn write(self, ids: &[Uuid], buffer: &mut Vec<u8>, out: &mut impl Write) -> anyhow::Result<()> {
        buffer.resize(ids.len() * Format::MAX_LINE, 0);
        let len = match self.hex {
            true => {
                let bytes: Vec<Uuid> = ids.iter().map(|id| self.bytes(id)).collect();
                Format::Simple.encode_lines(&bytes, buffer)?
            }
            false => self.format.encode_lines(ids, buffer)?,
        }
        .len();
        if self.upper {
            buffer[..len].make_ascii_uppercase();
        }
        Ok(out.write_all(&buffer[..len])?)
    }
}
