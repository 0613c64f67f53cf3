//! Statements of a text, and their classes: the same statement with other values is the same class.

/// The classes of a text's statements, as [`Recorded::class`](super::Recorded::class) says them.
///
/// ```
/// use idgen_server::adversary::classes;
///
/// let text = "INSERT INTO t (id, uuid) VALUES (7, x'00ff'), (8, x'0100'); SELECT 'ok'";
/// assert_eq!(classes(text), ["INSERT INTO t (id, uuid) VALUES (N, X)", "SELECT 'ok'"]);
/// ```
pub fn classes(text: &str) -> Vec<String> {
    statements(text).into_iter().map(class).collect()
}

/// The statements of a text, which semicolons separate.
fn statements(text: &str) -> Vec<&str> {
    let mut statements = Vec::new();
    let (mut begin, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b';' => {
                statements.push(&text[begin..at]);
                begin = at + 1;
                at += 1;
            }
            b'\'' | b'"' | b'`' => at = after(text, at + 1, &text[at..=at]),
            b'/' if text[at..].starts_with("/*") => at = after(text, at + 2, "*/"),
            _ => at += 1,
        }
    }
    statements.push(&text[begin..]);
    statements.iter().map(|statement| statement.trim()).filter(|statement| !statement.is_empty()).collect()
}

/// The place after the next `end`.
fn after(text: &str, from: usize, end: &str) -> usize {
    text.as_bytes()[from..]
        .windows(end.len())
        .position(|bytes| bytes == end.as_bytes())
        .map_or(text.len(), |at| from + at + end.len())
}

/// The statement with `N` in place of each number and `X` in place of each hexadecimal literal, and with one element in
/// place of a list. Texts in quotes stay, because they name the subject of the statement.
pub(super) fn class(statement: &str) -> String {
    let mut class = String::with_capacity(statement.len());
    let mut rest = statement;
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '@' | '$' | '.');
    while let Some(first) = rest.chars().next() {
        if rest.starts_with("x'") {
            let end = after(rest, 2, "'");
            class.push('X');
            rest = &rest[end..];
        } else if matches!(first, '\'' | '"' | '`') {
            let end = after(rest, 1, &rest[..1]);
            class.push_str(&rest[..end]);
            rest = &rest[end..];
        } else if word(first) {
            let end = rest.find(|c| !word(c)).unwrap_or(rest.len());
            let (found, after) = rest.split_at(end);
            class.push_str(if first.is_ascii_digit() { "N" } else { found });
            rest = after;
        } else {
            class.push(if first.is_whitespace() { ' ' } else { first });
            rest = &rest[first.len_utf8()..];
        }
    }
    for element in ["N", "X", "(N)", "(X)", "(N,X)", "(N, X)"] {
        let (twice, thrice) = (format!("{element},{element}"), format!("{element}, {element}"));
        while class.contains(&twice) || class.contains(&thrice) {
            class = class.replace(&twice, element).replace(&thrice, element);
        }
    }
    class
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_separate_statements() {
        let text = "SET a = ';', b = `;`; /* ; */ SELECT \";\" ;; COMMIT;";
        assert_eq!(statements(text), ["SET a = ';', b = `;`", "/* ; */ SELECT \";\"", "COMMIT"]);
        assert_eq!(statements("SELECT 'open"), ["SELECT 'open"]);
    }

    #[test]
    fn values_do_not_matter_and_names_do() {
        let insert = |values: &str| class(&format!("INSERT INTO `map1` (id, uuid) VALUES {values}"));
        assert_eq!(insert("(17,x'00ff'),(18,x'01')"), "INSERT INTO `map1` (id, uuid) VALUES (N,X)");
        assert_eq!(insert("(17,x'00ff'),(18,x'01')"), insert("(1,x'')"));
        assert_eq!(
            class("SELECT id FROM t2 WHERE hash IN (1,22,333)"),
            "SELECT id FROM t2 WHERE hash IN (N)"
        );
        assert_ne!(class("SHOW STATUS LIKE 'a'"), class("SHOW STATUS LIKE 'b'"));
    }
}
