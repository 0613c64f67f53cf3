//! Splits SQL into words, names, strings and symbols: enough to find placeholders and the names of tables.

use crate::{Error, Result};

/// A part of a statement, with its position in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub start: usize,
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A word without quotes: a keyword, a name, or a number.
    Word,
    /// A quoted name.
    Quoted,
    /// A string.
    Text,
    /// A placeholder in braces.
    Placeholder,
    /// Any other symbol.
    Sign,
}

impl Token<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn is(&self, word: &str) -> bool {
        match self.kind {
            Kind::Word => self.text.eq_ignore_ascii_case(word),
            Kind::Sign => self.text == word,
            Kind::Quoted | Kind::Text | Kind::Placeholder => false,
        }
    }

    /// Returns whether the token can be a name.
    pub fn is_name(&self) -> bool {
        match self.kind {
            Kind::Word => self.text.starts_with(|first: char| first.is_alphabetic() || first == '_'),
            Kind::Quoted => true,
            Kind::Text | Kind::Placeholder | Kind::Sign => false,
        }
    }

    /// The name without its quotes.
    pub fn name(&self) -> &str {
        match self.kind {
            Kind::Quoted => &self.text[1..self.text.len() - 1],
            _ => self.text,
        }
    }
}

/// The tokens of a text, without comments. With `mysql`, a comment may also begin with `#`, and a backslash escapes a
/// quote.
pub fn tokens<'a>(file: &str, text: &'a str, mysql: bool) -> Result<Vec<Token<'a>>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut line = 1;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let unfinished =
            |what: &str| Error::config(format!("{file}, line {line}: {what} begins here and does not end"));
        let (kind, len) = match first {
            _ if first.is_whitespace() => (None, first.len_utf8()),
            '-' if rest.starts_with("--") => (None, rest.find('\n').unwrap_or(rest.len())),
            '#' if mysql => (None, rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*!") || rest.starts_with("/*M!") => {
                return Err(Error::config(format!(
                    "{file}, line {line}: a comment that the server runs hides what it does; write the statement without \
                     the comment"
                )));
            }
            '/' if rest.starts_with("/*") => {
                (None, rest.find("*/").ok_or_else(|| unfinished("a comment"))? + 2)
            }
            '\'' => (Some(Kind::Text), quoted(rest, '\'', mysql).ok_or_else(|| unfinished("a string"))?),
            '"' | '`' => {
                (Some(Kind::Quoted), quoted(rest, first, false).ok_or_else(|| unfinished("a name"))?)
            }
            '{' => (Some(Kind::Placeholder), rest.find('}').ok_or_else(|| unfinished("a placeholder"))? + 1),
            _ if first.is_alphanumeric() || first == '_' => {
                let is_word = |next: char| next.is_alphanumeric() || next == '_' || next == '$';
                (Some(Kind::Word), rest.find(|next| !is_word(next)).unwrap_or(rest.len()))
            }
            _ => (Some(Kind::Sign), first.len_utf8()),
        };
        if let Some(kind) = kind {
            tokens.push(Token { kind, text: &rest[..len], start: at, line });
        }
        line += rest[..len].matches('\n').count();
        at += len;
    }
    Ok(tokens)
}

/// The length of the quoted part at the beginning of a text, including its quotes. A doubled quote does not end it.
fn quoted(text: &str, quote: char, escapes: bool) -> Option<usize> {
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, next)) = chars.next() {
        if escapes && next == '\\' {
            chars.next();
        } else if next == quote {
            match chars.peek() {
                Some((_, again)) if *again == quote => {
                    chars.next();
                }
                _ => return Some(at + 1),
            }
        }
    }
    None
}
