//! Functions that are the same for every hot format: decoding into the caller's memory, and the batch forms, which
//! choose the path once, not once for each id.

use crate::error::{Error, Problem, Result};

/// Checks that `out` can hold `count` texts of `each` bytes, and returns exactly that part of it.
pub(crate) fn output(out: &mut [u8], count: usize, each: usize) -> Result<&mut [u8]> {
    let found = out.len();
    count.checked_mul(each).and_then(|needed| out.get_mut(..needed)).ok_or_else(|| {
        Error::config(
            "the output buffer is too short:",
            format_args!("{found} bytes for {count} ids"),
            "each id needs the format's LEN bytes, plus one for the line feed of a line",
        )
    })
}

/// Checks that `text` is a whole number of texts of `each` bytes and that `slots` ids can be
/// stored, and returns their number.
pub(crate) fn count(form: &'static str, text: &[u8], each: usize, slots: usize) -> Result<usize> {
    let found = text.len();
    if found % each != 0 {
        let expected = "a whole number of texts of the format's length";
        return Err(Error::parse(form, text, Problem::Length { expected, found }));
    }
    let count = found / each;
    if count > slots {
        return Err(Error::config(
            "the output slice is too short:",
            format_args!("{slots} ids for {count} texts"),
            "give one place for each text",
        ));
    }
    Ok(count)
}

/// Writes `decode_into`, `encode_batch` and `decode_batch` for a format with its own kernels. The last two are public as
/// methods of [`Format`](super::Format).
macro_rules! batch_forms {
    ($encode_batch:ident, $decode_into:ident, $decode_batch:ident $(, $alphabet:expr)?) => {
        /// Decodes into the caller's memory, as [`decode`] does: the fastest way to decode one id, because the 16 bytes do
        /// not pass through a `Result`.
        ///
        /// # Errors
        ///
        /// As [`decode`]; `uuid` is set to nil then.
        #[inline]
        pub fn decode_into(text: impl AsRef<[u8]>, uuid: &mut Uuid) -> Result<()> {
            let text = text.as_ref();
            match text.try_into() {
                Ok(block) if arch::$decode_into(Level::best(), $(&$alphabet,)? block, uuid) => Ok(()),
                _ => {
                    *uuid = Uuid::nil();
                    Err(diagnose(text, 0))
                }
            }
        }

        /// Encodes many ids, one after another or as lines. The instruction set is chosen once for all of them.
        pub(crate) fn encode_batch<'b>(uuids: &[Uuid], out: &'b mut [u8], lines: bool) -> Result<&'b [u8]> {
            let out = $crate::codec::batch::output(out, uuids.len(), LEN + usize::from(lines))?;
            Ok(arch::$encode_batch(Level::best(), $(&$alphabet,)? uuids, out, lines).as_bytes())
        }

        /// Decodes many texts, one after another.
        pub(crate) fn decode_batch<'o>(text: &[u8], out: &'o mut [Uuid]) -> Result<&'o mut [Uuid]> {
            let count = $crate::codec::batch::count(FORM, text, LEN, out.len())?;
            let out = &mut out[..count];
            match arch::$decode_batch(Level::best(), $(&$alphabet,)? text, out) {
                Ok(()) => Ok(out),
                Err(index) => Err(diagnose(&text[index * LEN..][..LEN], index * LEN)),
            }
        }
    };
}
pub(crate) use batch_forms;
