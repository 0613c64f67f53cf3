//! Finds out which columns of its row a trigger can change.

/// The words and signs of a statement, without comments and strings of text.
fn tokens(body: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '$').unwrap_or(rest.len());
        if let Some(comment) = rest.strip_prefix("/*") {
            // A comment such as `/*!80000 ... */` is read by the server.
            let version = comment.trim_start_matches('M').strip_prefix('!');
            rest = match version {
                Some(read) => read.trim_start_matches(|c: char| c.is_ascii_digit()),
                None => comment.split_once("*/").map_or("", |(_, after)| after),
            };
        } else if first == '#' || rest.starts_with("-- ") || rest.starts_with("--\n") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
        } else if matches!(first, '\'' | '"' | '`') {
            let (text, after) = quoted(&rest[1..], first);
            // Between other quotes it may be a name, too (`ANSI_QUOTES`).
            if first != '\'' {
                tokens.push(text.to_owned());
            }
            rest = after;
        } else if word > 0 {
            tokens.push(rest[..word].to_owned());
            rest = &rest[word..];
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

/// The text up to the closing quote, and what follows.
fn quoted(text: &str, quote: char) -> (&str, &str) {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if c == '\\' && quote != '`' {
            escaped = true;
        } else if c == quote {
            return (&text[..at], &text[at + 1..]);
        }
    }
    (text, "")
}

/// The columns of the new row that a trigger's body assigns: `SET NEW.id = ...`, `SELECT ... INTO NEW.id`, and `:NEW.id := ...`
/// of MariaDB's mode `ORACLE`. A procedure to which the body passes a column can change it, too, and is not found here.
pub(crate) fn assigned(body: &str) -> Vec<String> {
    let tokens = tokens(body);
    let is = |at: usize, word: &str| tokens.get(at).is_some_and(|found| found.eq_ignore_ascii_case(word));
    let (mut columns, mut depth, mut list) = (Vec::new(), 0, None);
    for at in 0..tokens.len() {
        match tokens[at].as_str() {
            "(" => depth += 1,
            ")" => depth -= 1,
            ";" => list = None,
            word if ["SET", "INTO"].iter().any(|begin| word.eq_ignore_ascii_case(begin)) => {
                list = Some((depth, word.eq_ignore_ascii_case("SET")));
            }
            word if ["FROM", "VALUES"].iter().any(|end| word.eq_ignore_ascii_case(end)) => list = None,
            _ => {}
        }
        if !(is(at, "NEW") && is(at + 1, ".")) {
            continue;
        }
        let (follows, colon) = (is(at + 3, "="), is(at + 3, ":") && is(at + 4, "="));
        let begins = at > 0 && [",", "SET", "INTO"].iter().any(|before| is(at - 1, before));
        let target = begins && list.is_some_and(|(inside, set)| inside == depth && (follows || !set));
        if let Some(column) = tokens.get(at + 2).filter(|_| target || colon) {
            columns.push(column.to_lowercase());
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assignments_of_the_new_row_are_found() {
        for body in [
            "SET NEW.id = 5",
            "set new.`id`=5",
            "BEGIN SET @a = f(1, 2), NEW . id = NEW.id + 1; END",
            "IF NEW.uuid = x'00' THEN SET NEW.id := 5; END IF",
            "BEGIN SELECT 1 INTO NEW.id; END",
            "BEGIN SELECT a, b INTO @a, NEW.id FROM t; END",
            "/*!50003 SET NEW.id = 5 */",
            "/*M!100000 SET NEW.id = 5 */",
            "SET /* NEW.uuid = */ NEW.id = 5",
            "BEGIN :NEW.id := 5; END",
            "SET @text = 'SET NEW.uuid = 5', NEW.id = 5",
            "SET \"NEW\".\"id\" = 5",
        ] {
            assert_eq!(assigned(body), ["id"], "{body}");
        }
        assert_eq!(
            assigned("SET NEW.id = 1, NEW.created = NOW(), NEW.uuid = x'00'"),
            ["id", "created", "uuid"]
        );
    }

    #[test]
    fn other_uses_of_the_new_row_are_harmless() {
        for body in [
            "SET @seen = NEW.id",
            "SET @seen = NEW.id = 5",
            "SET @seen = f(1, NEW.id = 5)",
            "INSERT INTO audit (id, uuid) VALUES (NEW.id, NEW.uuid)",
            "INSERT INTO audit SET id = NEW.id, uuid = NEW.uuid",
            "REPLACE INTO `shop`.`_uuid_map_new` (`id`, `uuid`) VALUES (NEW.`id`, NEW.`uuid`)",
            "IF NEW.id = 5 THEN SIGNAL SQLSTATE '45000'; END IF",
            "-- SET NEW.id = 5\nSET @a = 1",
            "# SET NEW.id = 5\nSET @a = 'it''s NEW.id = 5'",
            "/* SET NEW.id = 5 */ SET @a = 1",
            "",
            "'",
            "/*",
        ] {
            assert_eq!(assigned(body), [""; 0], "{body}");
        }
    }
}
