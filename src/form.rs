//! The form of the output: a format, whether bytes are written as hexadecimal digits, and the case of these digits.

use std::io::Write;

use idgen::Uuid;
use idgen::codec::{Format, swapped, typed};

use crate::failure::{note, usage};
use crate::output::Output;

/// The number of ids that are processed together.
pub const BATCH: usize = 1024;

/// The values of `--to` and `--format`.
#[derive(Clone, Copy, PartialEq)]
pub enum Target {
    Format(Format),
    /// A TypeID, whose prefix `--type` names.
    Typed,
}

impl Target {
    /// A TypeID is text, too.
    pub fn is_text(self) -> bool {
        match self {
            Target::Format(format) => format.is_text(),
            Target::Typed => true,
        }
    }
}

/// A format, the two binary ones also as text; or a TypeID with a prefix.
pub struct Form {
    format: Format,
    prefix: Option<String>,
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
        Ok(Form { format, prefix: None, hex, upper })
    }

    /// The longest text or byte string of an id.
    pub const MAX_LEN: usize = typed::MAX_LEN;

    /// The form that these options name. `hex` is for the two binary formats.
    ///
    /// # Errors
    /// The errors of [`new`](Form::new); also if the target is a TypeID and `prefix` is missing or is none.
    pub fn of(target: Target, prefix: Option<&str>, hex: bool, upper: bool) -> anyhow::Result<Self> {
        match (target, prefix) {
            (Target::Format(format), _) => Form::new(format, hex, upper),
            (Target::Typed, None) => {
                Err(usage("the format typed needs the type of the ids: add --type, such as --type user"))
            }
            (Target::Typed, Some(prefix)) => {
                typed::check_prefix(prefix).map_err(usage)?;
                if hex || upper {
                    return Err(usage(
                        "--hex and --upper are for hexadecimal digits, and the format typed has none",
                    ));
                }
                Ok(Form { format: Format::Base32, prefix: Some(prefix.to_owned()), hex, upper })
            }
        }
    }

    /// The format, unless it is a TypeID.
    pub fn format(&self) -> Option<Format> {
        Some(self.format).filter(|_| self.prefix.is_none())
    }

    /// The name of the format.
    pub fn name(&self) -> &'static str {
        self.format().map_or("typed", Format::name)
    }

    /// A note for ids that do not gain from the format `swapped`.
    pub fn note_if_swapped(&self, which: impl std::fmt::Display) {
        if self.format == Format::Swapped {
            note(format_args!(
                "swapping orders only ids of version 1 by time; {which} would be better in the format binary"
            ));
        }
    }

    /// The number of these ids whose text is refused, or read as another id, by a reader that detects formats.
    pub fn count_misread(&self, ids: &[Uuid]) -> u64 {
        let is_ambiguous =
            matches!(self.format, Format::Int | Format::Base32 | Format::Base32Hex | Format::Base32Human);
        if self.hex || self.prefix.is_some() || !is_ambiguous {
            return 0;
        }
        let mut buffer = [0; Format::MAX_LEN];
        let is_misread = |id: &&Uuid| {
            let read = Format::decode_any(self.format.encode(id, &mut buffer));
            read.map_or(true, |(_, read)| read != **id)
        };
        ids.iter().filter(is_misread).count() as u64
    }

    /// A note for texts that [`count_misread`](Form::count_misread) counted.
    pub fn note_if_misread(&self, misread: u64) {
        if misread > 0 {
            note(format_args!(
                "{misread} of the texts can be read only if their format is named: without --from {}, they are \
                 refused or read as other ids",
                self.format
            ));
        }
    }

    /// Returns whether each id is a line of text.
    pub fn is_text(&self) -> bool {
        self.hex || self.format.is_text()
    }

    /// # Errors
    /// If raw bytes would be written to a terminal.
    pub fn check_terminal(&self) -> anyhow::Result<()> {
        if !self.is_text() && Output::is_terminal() {
            return Err(usage(format_args!(
                "the format {} writes raw bytes, which would garble the terminal: redirect the output, or add --hex",
                self.format
            )));
        }
        Ok(())
    }

    /// Encodes one id. The result is text only if [`is_text`](Form::is_text) is true.
    pub fn encode<'b>(&self, id: &Uuid, buf: &'b mut [u8; Form::MAX_LEN]) -> anyhow::Result<&'b [u8]> {
        if let Some(prefix) = &self.prefix {
            return Ok(typed::encode(prefix, id, buf)?.as_bytes());
        }
        let short = buf.first_chunk_mut().expect("a TypeID can be longer than any format");
        let len = match self.hex {
            true => Format::Simple.encode(&self.bytes(id), short),
            false => self.format.encode(id, short),
        }
        .len();
        if self.upper {
            buf[..len].make_ascii_uppercase();
        }
        Ok(&buf[..len])
    }

    /// The bytes that a binary format would write.
    fn bytes(&self, id: &Uuid) -> Uuid {
        match self.format {
            Format::Swapped => Uuid::from_bytes(swapped::to_bytes(id)),
            _ => *id,
        }
    }

    /// Writes ids, each with a line end if the form is text. `buffer` is reused between calls.
    pub fn write(&self, ids: &[Uuid], buffer: &mut Vec<u8>, out: &mut impl Write) -> anyhow::Result<()> {
        if let Some(prefix) = &self.prefix {
            let mut text = [0; typed::MAX_LEN];
            return ids
                .iter()
                .try_for_each(|id| Ok(writeln!(out, "{}", typed::encode(prefix, id, &mut text)?)?));
        }
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
