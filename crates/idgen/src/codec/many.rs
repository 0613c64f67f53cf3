//! Many ids at once, in any format.

use crate::codec::format::Format;
use crate::codec::{base32, base64, base64url, batch, hyphenated, int, ordered64, simple};
use crate::error::{Error, Result};
use uuid::Uuid;

impl Format {
    /// Encodes many ids, one after another without a separator, and returns the part of `out` that was written.
    ///
    /// The most common formats choose the instruction set once for the batch, so this is the fastest way: hyphenated,
    /// simple, base32 and the three of base64.
    ///
    /// # Errors
    ///
    /// `is_config` if `out` is shorter than the texts, [`fixed_len`](Format::fixed_len) bytes each, and for `Int`, whose
    /// texts have different lengths; nothing is written then.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// let ids = [idgen::Uuid::nil(), idgen::Uuid::max()];
    /// let text = Format::Base64.encode_batch(&ids, &mut [0; 44])?.to_vec();
    /// assert_eq!(text, b"AAAAAAAAAAAAAAAAAAAAAA/////////////////////w");
    /// assert!(Format::Base64.encode_batch(&ids, &mut [0; 43]).unwrap_err().is_config());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    #[inline]
    pub fn encode_batch<'b>(self, uuids: &[Uuid], out: &'b mut [u8]) -> Result<&'b [u8]> {
        match self.fixed_len() {
            Some(_) => self.encode_many(uuids, out, false),
            None => Err(self.is_not_fixed()),
        }
    }

    /// Encodes many ids: text formats as lines that end with a line feed, the two binary formats one after another.
    /// Returns the part of `out` that was written.
    ///
    /// # Errors
    ///
    /// `is_config` if `out` is shorter than the longest texts and their line feeds, at most [`Format::MAX_LINE`] bytes
    /// for each id; nothing is written then.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// let ids = [idgen::Uuid::nil(), idgen::Uuid::max()];
    /// let out = &mut [0; 2 * Format::MAX_LINE];
    /// assert_eq!(Format::Int.encode_lines(&ids, out)?, b"0\n340282366920938463463374607431768211455\n");
    /// assert_eq!(Format::Binary.encode_lines(&ids, out)?.len(), 32);
    /// # Ok::<(), idgen::Error>(())
    /// ```
    #[inline]
    pub fn encode_lines<'b>(self, uuids: &[Uuid], out: &'b mut [u8]) -> Result<&'b [u8]> {
        self.encode_many(uuids, out, self.is_text())
    }

    /// Decodes many texts, one after another without a separator, and returns the part of `out` that was filled.
    ///
    /// # Errors
    ///
    /// `is_parse` if the text is not a whole number of ids, or one of them is not canonical: the message shows that one,
    /// and `offset` counts from the beginning of the batch. The ids before it have then been stored. `is_config` if `out`
    /// is too short, and for `Int`, whose texts have different lengths.
    ///
    /// ```
    /// use idgen::codec::Format;
    ///
    /// let mut ids = [idgen::Uuid::nil(); 2];
    /// Format::Base64.decode_batch("AAAAAAAAAAAAAAAAAAAAAA/////////////////////w", &mut ids)?;
    /// assert_eq!(ids[1], idgen::Uuid::max());
    /// let error = Format::Base64.decode_batch("AAAAAAAAAAAAAAAAAAAAAA!/////////////////////w", &mut ids).unwrap_err();
    /// assert!(error.is_parse());
    /// # Ok::<(), idgen::Error>(())
    /// ```
    #[inline]
    pub fn decode_batch(self, text: impl AsRef<[u8]>, out: &mut [Uuid]) -> Result<&mut [Uuid]> {
        let text = text.as_ref();
        match self {
            Format::Hyphenated => hyphenated::decode_batch(text, out),
            Format::Simple => simple::decode_batch(text, out),
            Format::Base64 => base64::decode_batch(text, out),
            Format::Base64Url => base64url::decode_batch(text, out),
            Format::Ordered64 => ordered64::decode_batch(text, out),
            Format::Base32 => base32::decode_batch(text, out),
            Format::Urn
            | Format::Braced
            | Format::Base32Hex
            | Format::Base32Human
            | Format::Int
            | Format::Binary
            | Format::Swapped => self.decode_each(text, out),
        }
    }

    #[inline]
    fn encode_many<'b>(self, uuids: &[Uuid], out: &'b mut [u8], lines: bool) -> Result<&'b [u8]> {
        match self {
            Format::Hyphenated => hyphenated::encode_batch(uuids, out, lines),
            Format::Simple => simple::encode_batch(uuids, out, lines),
            Format::Base64 => base64::encode_batch(uuids, out, lines),
            Format::Base64Url => base64url::encode_batch(uuids, out, lines),
            Format::Ordered64 => ordered64::encode_batch(uuids, out, lines),
            Format::Base32 => base32::encode_batch(uuids, out, lines),
            Format::Urn
            | Format::Braced
            | Format::Base32Hex
            | Format::Base32Human
            | Format::Int
            | Format::Binary
            | Format::Swapped => self.encode_each(uuids, out, lines),
        }
    }

    fn encode_each<'b>(self, uuids: &[Uuid], out: &'b mut [u8], lines: bool) -> Result<&'b [u8]> {
        let longest = self.fixed_len().unwrap_or(int::MAX_LEN);
        let out = batch::output(out, uuids.len(), longest + usize::from(lines))?;
        let mut buf = [0; Format::MAX_LEN];
        let mut len = 0;
        let mut put = |bytes: &[u8]| {
            out[len..len + bytes.len()].copy_from_slice(bytes);
            len += bytes.len();
        };
        for uuid in uuids {
            put(self.encode(uuid, &mut buf));
            if lines {
                put(b"\n");
            }
        }
        Ok(&out[..len])
    }

    fn decode_each<'o>(self, text: &[u8], out: &'o mut [Uuid]) -> Result<&'o mut [Uuid]> {
        let len = self.fixed_len().ok_or_else(|| self.is_not_fixed())?;
        let count = batch::count("a batch of ids", text, len, out.len())?;
        for (index, (text, id)) in text.chunks(len).zip(&mut *out).enumerate() {
            *id = self.decode(text).map_err(|error| error.shifted(index * len))?;
        }
        Ok(&mut out[..count])
    }

    #[cold]
    fn is_not_fixed(self) -> Error {
        let advice = "write lines, or choose another format";
        Error::config("a batch without separators cannot hold texts of different lengths:", self, advice)
    }
}
