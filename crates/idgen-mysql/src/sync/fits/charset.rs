//! The length of texts in the character set of a column.

/// A kind of character set. It tells how many bytes a text takes in a column, and the server limits some columns by bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sync) enum Charset {
    Utf8,
    Utf16,
    Utf32,
    /// Each character has one byte.
    Single,
    /// Characters have one to four bytes, and ASCII has one: such as `gbk` and `ujis`.
    Mixed,
}

impl Charset {
    /// The kind of a character set with this name.
    pub(super) fn of(name: &str) -> Charset {
        match name {
            "utf8mb4" | "utf8mb3" | "utf8" => Charset::Utf8,
            "utf16" | "utf16le" | "ucs2" => Charset::Utf16,
            "utf32" => Charset::Utf32,
            "big5" | "cp932" | "eucjpms" | "euckr" | "gb18030" | "gb2312" | "gbk" | "sjis" | "ujis" => {
                Charset::Mixed
            }
            _ => Charset::Single,
        }
    }

    /// The fewest and the most bytes that a text takes.
    pub(super) fn bytes(self, text: &str) -> (u64, u64) {
        let characters = text.chars().count() as u64;
        let exactly = |bytes: u64| (bytes, bytes);
        match self {
            Charset::Utf8 => exactly(text.len() as u64),
            Charset::Utf16 => exactly(2 * text.encode_utf16().count() as u64),
            Charset::Utf32 => exactly(4 * characters),
            Charset::Single => exactly(characters),
            Charset::Mixed => {
                let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
                (characters, ascii + 4 * (characters - ascii))
            }
        }
    }
}
