//! Reads ids from bytes: lines of text in any format, or records of 16 or 8 bytes.

use std::io::{self, ErrorKind, Read};

use idgen::codec::{Format, hyphenated, literal};
use idgen::{Timestamp, Uuid};

use crate::checker::Checker;
use crate::claim::Reading;
use crate::numbers::plural;
use crate::place::Place;

/// The form of ids in the bytes of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each line is an id in any format that [`Format::decode_any`] knows, or a literal of a server, such as `0x…`. A text of 26 characters is a ULID, and a
    /// decimal number below 2^64 an id of 64 bits.
    Lines,
    /// Each line is a UUID in any format that [`Format::decode_any`] knows, also in base32 and as a small number.
    UuidLines,
    /// 16 bytes for each UUID.
    Uuids,
    /// 16 bytes for each ULID.
    Ulids,
    /// 8 bytes for each id of 64 bits, the most significant one first.
    Shorts,
}

/// The limits of a reading, and whether ids are compared with the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Reading ends after this many ids and bad lines.
    pub most: Option<u64>,
    /// The generator runs while it is read, so that no id can be from after it was read.
    pub live: bool,
}

/// The longest line that is read; no id is nearly as long.
const LONGEST: usize = 1_024;
const CHUNK: usize = 1 << 18;
const BATCH: usize = 1_024;
const MARK: &[u8] = b"\xEF\xBB\xBF";

impl Checker {
    /// Reads a stream to its end, or to the limit. Lines end with LF or CRLF; empty ones, and lines that are no id,
    /// count as bad.
    ///
    /// ```
    /// use idgen_check::{Checker, Form, Limits, Options};
    ///
    /// let mut checker = Checker::new(Options::default());
    /// let stream = checker.stream("two lines");
    /// let text = "017f22e2-79b0-7cc3-98c4-dc0c0c07398f\nno id\n";
    /// checker.read(stream, text.as_bytes(), Form::Lines, Limits::default())?;
    /// let report = checker.finish()?;
    /// assert_eq!((report.ids, report.bad), (1, 1));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// If reading fails, or temporary files cannot be written.
    pub fn read(&mut self, stream: u16, mut input: impl Read, form: Form, limits: Limits) -> io::Result<()> {
        self.seen.streams[usize::from(stream)].is_raw =
            matches!(form, Form::Uuids | Form::Ulids | Form::Shorts);
        let mut reader = Reader {
            checker: self,
            stream,
            form,
            limits,
            left: limits.most.unwrap_or(u64::MAX),
            ids: Vec::new(),
            reading: Reading::Uuid,
            format: Format::Hyphenated,
            arrived: None,
        };
        let mut buffer = vec![0; CHUNK + LONGEST];
        let (mut filled, mut is_first, mut skips) = (0, true, false);
        while reader.left > 0 {
            let read = match input.read(&mut buffer[filled..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                read => read?,
            };
            reader.arrived = limits.live.then(|| Timestamp::from(std::time::SystemTime::now()));
            filled += read;
            let is_end = read == 0;
            let mut bytes = &buffer[..filled];
            if is_first && !matches!(form, Form::Uuids | Form::Ulids | Form::Shorts) {
                if filled < MARK.len() && !is_end {
                    continue;
                }
                bytes = bytes.strip_prefix(MARK).unwrap_or(bytes);
            }
            is_first = false;
            let rest = match form {
                Form::Lines | Form::UuidLines => reader.lines(bytes, is_end, &mut skips)?,
                Form::Uuids | Form::Ulids => reader.records::<16>(bytes, is_end)?,
                Form::Shorts => reader.records::<8>(bytes, is_end)?,
            };
            let kept = rest.len();
            buffer.copy_within(filled - kept..filled, 0);
            filled = kept;
            reader.flush()?;
            if is_end {
                break;
            }
        }
        Ok(())
    }
}

struct Reader<'c> {
    checker: &'c mut Checker,
    stream: u16,
    form: Form,
    limits: Limits,
    left: u64,
    ids: Vec<Uuid>,
    reading: Reading,
    format: Format,
    arrived: Option<Timestamp>,
}

impl Reader<'_> {
    /// Takes all whole lines, and returns the rest.
    fn lines<'b>(&mut self, mut bytes: &'b [u8], is_end: bool, skips: &mut bool) -> io::Result<&'b [u8]> {
        while self.left > 0 {
            // The usual case first: the text of a UUID, and a line end where it must be.
            if let Some((text, [b'\n', after @ ..])) = bytes.split_first_chunk::<{ hyphenated::LEN }>()
                && !*skips
            {
                let mut id = Uuid::nil();
                if hyphenated::decode_into(text, &mut id).is_ok() {
                    self.add(Reading::Uuid, Format::Hyphenated, text, id)?;
                    bytes = after;
                    continue;
                }
            }
            let Some(end) = bytes.iter().position(|&byte| byte == b'\n') else { break };
            let line = &bytes[..end];
            bytes = &bytes[end + 1..];
            if std::mem::take(skips) {
                continue;
            }
            self.line(line.strip_suffix(b"\r").unwrap_or(line))?;
        }
        if *skips {
            return Ok(&[]);
        }
        if bytes.len() > LONGEST && self.left > 0 {
            self.bad(&[], format!("the line is longer than {LONGEST} bytes, and no id is so long"))?;
            *skips = true;
            return Ok(&[]);
        }
        if is_end && !bytes.is_empty() && self.left > 0 {
            self.line(bytes)?;
            return Ok(&[]);
        }
        Ok(bytes)
    }

    fn line(&mut self, text: &[u8]) -> io::Result<()> {
        if text.is_empty() {
            return self.bad(text, "the line is empty".into());
        }
        match Format::decode_any(text) {
            Ok((format, id)) => {
                let reading = match format {
                    _ if self.form == Form::UuidLines => Reading::Uuid,
                    Format::Base32 => Reading::Ulid,
                    Format::Int if id.as_u128() <= u128::from(u64::MAX) => Reading::Short,
                    _ => Reading::Uuid,
                };
                self.add(reading, format, text, id)
            }
            // A literal of a server is the 32 digits with something around them.
            Err(error) => match literal::decode(text) {
                Ok(id) => {
                    let text = text.strip_suffix(b"'").unwrap_or(text);
                    self.add(Reading::Uuid, Format::Simple, &text[text.len().saturating_sub(32)..], id)
                }
                Err(_) => self.bad(text, error.to_string()),
            },
        }
    }

    fn records<'b, const LEN: usize>(&mut self, bytes: &'b [u8], is_end: bool) -> io::Result<&'b [u8]> {
        let (records, rest) = bytes.as_chunks::<LEN>();
        let reading = match self.form {
            Form::Shorts => Reading::Short,
            Form::Ulids => Reading::Ulid,
            _ => Reading::Uuid,
        };
        for record in records.iter().take(usize::try_from(self.left).unwrap_or(usize::MAX)) {
            let mut id = [0; 16];
            id[16 - LEN..].copy_from_slice(record);
            self.add(reading, Format::Binary, &[], Uuid::from_bytes(id))?;
        }
        if is_end && !rest.is_empty() && self.left > 0 {
            let found = plural(rest.len() as u64, "byte");
            self.bad(rest, format!("the last record has {found} instead of {LEN}"))?;
        }
        Ok(if is_end { &[] } else { rest })
    }

    #[inline]
    fn add(&mut self, reading: Reading, format: Format, text: &[u8], id: Uuid) -> io::Result<()> {
        if (reading, format) != (self.reading, self.format) || self.ids.len() == BATCH {
            self.flush()?;
            (self.reading, self.format) = (reading, format);
        }
        if matches!(format, Format::Hyphenated | Format::Simple | Format::Urn | Format::Braced) {
            // In ASCII, letters have the bit 0x40, and small ones also 0x20.
            let digits = if format == Format::Urn { &text[9..] } else { text };
            let (mut capital, mut small) = (false, false);
            for byte in digits {
                capital |= byte & 0x60 == 0x40;
                small |= byte & 0x60 == 0x60;
            }
            // Braces have both bits, as small letters do.
            let small = small && format != Format::Braced;
            if capital || self.checker.seen.texts.capitals > 0 {
                let lines = self.checker.seen.streams[usize::from(self.stream)].lines + self.ids.len() as u64;
                self.checker.seen.texts.add_case(
                    capital,
                    small,
                    Place { stream: self.stream, line: lines + 1 },
                );
            } else {
                self.checker.seen.texts.small += u64::from(small);
            }
        }
        self.ids.push(id);
        self.left -= 1;
        Ok(())
    }

    fn bad(&mut self, text: &[u8], why: String) -> io::Result<()> {
        self.flush()?;
        self.left -= 1;
        self.checker.push_bad(self.stream, text, why);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.ids.is_empty() {
            return Ok(());
        }
        self.checker.seen.texts.add(self.format.name(), self.ids.len() as u64);
        debug_assert!(self.arrived.is_some() == self.limits.live);
        self.checker.push(self.stream, self.reading, &self.ids, self.arrived)?;
        self.ids.clear();
        Ok(())
    }
}
