//! The part of an offending value that an error shows, and the words that say where and why.

use core::fmt;

/// The beginning of an offending value, kept without allocation.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Excerpt {
    bytes: [u8; Excerpt::CAPACITY],
    len: u8,
    cut: bool,
}

impl Excerpt {
    const CAPACITY: usize = 64;

    pub(crate) const fn empty() -> Self {
        Excerpt { bytes: [0; Self::CAPACITY], len: 0, cut: false }
    }

    pub(crate) fn of_bytes(input: &[u8]) -> Self {
        let mut excerpt = Self::empty();
        excerpt.push(input);
        excerpt
    }

    pub(crate) fn of(value: impl fmt::Display) -> Self {
        let mut excerpt = Self::empty();
        // Infallible: `write_str` below never fails.
        let _ = fmt::Write::write_fmt(&mut excerpt, format_args!("{value}"));
        excerpt
    }

    fn push(&mut self, input: &[u8]) {
        let start = usize::from(self.len);
        let take = input.len().min(Self::CAPACITY - start);
        self.bytes[start..start + take].copy_from_slice(&input[..take]);
        self.len = (start + take) as u8;
        self.cut |= take < input.len();
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The words after a value that is text behind a byte order mark.
    pub(crate) fn about_mark(&self) -> &'static str {
        // Raw bytes can begin in the same way by chance.
        match self.as_bytes().strip_prefix(BYTE_ORDER_MARK) {
            Some(text) if text.is_ascii() => ", whose byte order mark must be removed",
            _ => "",
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

impl fmt::Write for Excerpt {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Valid UTF-8 is shown as it is, except characters that cannot be seen; everything else is escaped.
        let mut rest = self.as_bytes();
        while !rest.is_empty() {
            let (text, bad) = match core::str::from_utf8(rest) {
                Ok(text) => (text, 0),
                Err(error) => {
                    let (good, _) = rest.split_at(error.valid_up_to());
                    (
                        core::str::from_utf8(good).unwrap_or(""),
                        error.error_len().unwrap_or(rest.len() - good.len()),
                    )
                }
            };
            show(text, f)?;
            let (bytes, tail) = rest[text.len()..].split_at(bad);
            // A character cut in two by the excerpt's end is dropped, not shown as garbage.
            if !(self.cut && tail.is_empty()) {
                write!(f, "{}", bytes.escape_ascii())?;
            }
            rest = tail;
        }
        if self.cut { f.write_str("…") } else { Ok(()) }
    }
}

/// Writes a text with the characters escaped that cannot be seen: control characters, a byte order mark, spaces other than
/// the usual one, marks that combine with the character before them, and code points without a character.
fn show(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for c in text.chars() {
        if is_seen(c) { write!(f, "{c}")? } else { write!(f, "{}", c.escape_default())? }
    }
    Ok(())
}

fn is_seen(c: char) -> bool {
    // These three are escaped in the notation of Rust although they can be seen.
    matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// Where something failed, and why: complete, because the end of a path is its file, and the end of a reason is the
/// advice. Without an allocator it is shortened as a value is.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Words(
    #[cfg(feature = "alloc")] alloc::boxed::Box<str>,
    #[cfg(not(feature = "alloc"))] Excerpt,
);

impl Words {
    pub(crate) fn of(words: impl fmt::Display) -> Self {
        #[cfg(feature = "alloc")]
        return Words(alloc::format!("{words}").into());
        #[cfg(not(feature = "alloc"))]
        return Words(Excerpt::of(words));
    }
}

impl fmt::Display for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "alloc")]
        return show(&self.0, f);
        #[cfg(not(feature = "alloc"))]
        return write!(f, "{}", self.0);
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn excerpts_are_shortened_and_printable() {
        assert_eq!(Excerpt::of_bytes(b"abc\n\xff").to_string(), "abc\\n\\xff");
        let long = Excerpt::of("x".repeat(100)).to_string();
        assert_eq!(long, std::format!("{}…", "x".repeat(64)));
        // The 64-byte limit falls inside the two bytes of 'é'.
        let cut = Excerpt::of(std::format!("{}é tail", "x".repeat(63))).to_string();
        assert_eq!(cut, std::format!("{}…", "x".repeat(63)));
    }

    #[test]
    fn characters_that_cannot_be_seen_are_escaped() {
        let hidden = "\u{feff}a\u{200b}b\u{202e}c\u{a0}d\u{2028}e\u{301}f\u{1b}[0m";
        let shown = r"\u{feff}a\u{200b}b\u{202e}c\u{a0}d\u{2028}e\u{301}f\u{1b}[0m";
        assert_eq!(Excerpt::of(hidden).to_string(), shown);
        assert_eq!(Excerpt::of("\"it's\" C:\\ é １ 文").to_string(), "\"it's\" C:\\ é １ 文");
        #[cfg(feature = "alloc")]
        assert_eq!(Words::of(hidden).to_string(), shown);
    }

    #[test]
    fn a_byte_order_mark_is_named_if_text_follows() {
        for text in ["\u{feff}", "\u{feff}6ccd780c", &std::format!("\u{feff}{}", "0".repeat(99))] {
            assert!(Excerpt::of(text).about_mark().contains("byte order mark"), "{text}");
        }
        for bytes in [b"".as_slice(), b"6ccd\xEF\xBB\xBF", b"\xEF\xBB\xBF\x8C\x90\x01"] {
            assert_eq!(Excerpt::of_bytes(bytes).about_mark(), "");
        }
    }

    #[cfg(feature = "alloc")]
    #[test]
    fn words_are_complete_and_printable() {
        let long = "x".repeat(300);
        assert_eq!(Words::of(std::format!("{long}\n")).to_string(), std::format!("{long}\\n"));
    }
}
