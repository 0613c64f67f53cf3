//! The words of an expression, as the servers show it.

use crate::plan::mysql::quote::name;

/// True if an expression reads the column of this name.
pub(super) fn reads(expression: &str, column: &str) -> bool {
    parts(expression).iter().any(|(quote, part)| matches!(quote, '`' | '"') && part == column)
}

/// The arguments of each call of a function. The name of another one may end in the same letters.
pub(super) fn arguments_of<'a>(code: &'a str, function: &str) -> impl Iterator<Item = &'a str> {
    let begin = format!("{function}(");
    let is_part = |before: char| before.is_ascii_alphanumeric() || matches!(before, '_' | '.');
    let ends: Vec<usize> = code
        .match_indices(&begin)
        .filter(|(at, _)| !code[..*at].ends_with(is_part))
        .map(|(at, _)| at + begin.len())
        .collect();
    ends.into_iter().map(|end| arguments(&code[end..]))
}

/// The text up to the parenthesis that ends a call.
fn arguments(rest: &str) -> &str {
    let mut depth = 1;
    for (at, c) in rest.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &rest[..at];
        }
    }
    rest
}

/// An expression in small letters, with its names as they are and without its texts.
pub(super) fn marked(expression: &str) -> String {
    let part = |(quote, part): (char, String)| match quote {
        ' ' => part.to_ascii_lowercase(),
        '\'' => "''".to_owned(),
        _ => name(&part),
    };
    parts(expression).into_iter().map(part).collect()
}

/// An expression in small letters, without its texts and names.
pub(super) fn code(expression: &str) -> String {
    parts(expression)
        .into_iter()
        .filter(|(quote, _)| *quote == ' ')
        .map(|(_, part)| part)
        .collect::<String>()
        .to_ascii_lowercase()
}

/// The texts of an expression.
pub(super) fn texts(expression: &str) -> Vec<String> {
    parts(expression).into_iter().filter(|(quote, _)| *quote == '\'').map(|(_, part)| part).collect()
}

/// Divides an expression at its quotes. A part outside of them has a space for a quote.
fn parts(expression: &str) -> Vec<(char, String)> {
    let mut all = vec![(' ', String::new())];
    let mut rest = expression.chars().peekable();
    while let Some(c) = rest.next() {
        let (quote, part) = all.last_mut().expect("there is a first part");
        match (*quote, c) {
            (' ', '\'' | '`' | '"') => all.push((c, String::new())),
            (' ', _) => part.push(c),
            ('\'' | '"', '\\') => part.extend(rest.next()),
            (quote, c) if c == quote => match rest.peek() {
                Some(next) if *next == quote => part.extend(rest.next()),
                _ => all.push((' ', String::new())),
            },
            _ => part.push(c),
        }
    }
    all
}
