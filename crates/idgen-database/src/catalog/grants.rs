//! The privileges of an account of MySQL or MariaDB, as `SHOW GRANTS` lists them.
//!
//! `information_schema` leaves out what an account may not see, without an error, so an empty answer does not mean that there is nothing. What
//! a reader needs to see everything of a schema, as measured on MySQL 9.7 and MariaDB 10.11:
//!
//! | view of the catalog | MySQL | MariaDB |
//! |---|---|---|
//! | `SCHEMATA` | `SHOW DATABASES`, or any global privilege on tables; else the schemas with any privilege | the same |
//! | `TABLES`, `COLUMNS`, `STATISTICS`, `PARTITIONS`, with defaults and expressions of generated columns | any privilege on the table; with one on columns alone, only these columns, and `SHOW CREATE TABLE` is refused | the same |
//! | `KEY_COLUMN_USAGE` | any privilege on the table that has the key | the same |
//! | `REFERENTIAL_CONSTRAINTS`, `TABLE_CONSTRAINTS` | any privilege on the table | any but `SELECT`, such as `SHOW VIEW` or `REFERENCES` |
//! | `CHECK_CONSTRAINTS` | any privilege on the table | the same |
//! | `VIEWS` | any privilege on the view; its text is empty without `SHOW VIEW` | the same |
//! | `ROUTINES` | `EXECUTE`; the text is `NULL` without `SHOW_ROUTINE` or `SELECT` on all schemas, except for the definer | `EXECUTE`; the text is `NULL` without `SELECT` on `mysql.proc`, except for the definer |
//! | `EVENTS` | `EVENT` on the schema | the same |
//! | `TRIGGERS` | `TRIGGER` on the table | the same |
//! | `COLUMN_PRIVILEGES` | `SELECT` on `mysql`; else those of the account alone | the same |

use std::collections::BTreeSet;

/// Where a privilege holds.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Everywhere,
    /// The schemas whose names fit this pattern of `LIKE`.
    Schema(String),
    Table(String, String),
}

/// The privileges of a session: those of its account, and those of its active roles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    granted: Vec<(BTreeSet<String>, Place)>,
    /// Privileges on all schemas that a partial revoke takes back in one.
    revoked: Vec<(BTreeSet<String>, Place)>,
}

impl Grants {
    /// The statement whose rows [`of_rows`](Grants::of_rows) reads. It also shows the privileges of active roles.
    pub const QUERY: &str = "SHOW GRANTS";

    /// Reads the rows of [`QUERY`](Grants::QUERY). Privileges on columns and routines are left out, as are rows that are not understood,
    /// so an account may have more than this says.
    ///
    /// ```
    /// use idgen_database::catalog::Grants;
    ///
    /// let rows = ["GRANT PROCESS ON *.* TO `a`@`%`", "GRANT SELECT, EVENT ON `shop`.* TO `a`@`%`"].map(|row| vec![row.to_owned()]);
    /// let grants = Grants::of_rows(&rows);
    /// assert!(grants.has_everywhere("PROCESS") && grants.has_on_schema("EVENT", "shop"));
    /// assert!(!grants.has_everywhere("EVENT") && !grants.has_on_schema("TRIGGER", "shop"));
    /// ```
    pub fn of_rows(rows: &[Vec<String>]) -> Grants {
        let mut grants = Grants::default();
        for row in rows.iter().filter_map(|row| row.first()) {
            let of = |verb: &str, to: &str| row.strip_prefix(verb).and_then(|rest| parse(rest, to));
            grants.granted.extend(of("GRANT ", " TO "));
            grants.revoked.extend(of("REVOKE ", " FROM "));
        }
        grants
    }

    /// Returns true if the privilege holds in all schemas.
    pub fn has_everywhere(&self, privilege: &str) -> bool {
        has(&self.granted, privilege, |place| *place == Place::Everywhere)
            && !has(&self.revoked, privilege, |_| true)
    }

    /// Returns true if the privilege holds in the whole schema.
    ///
    /// Where several patterns fit a name, the servers use one of them, so all of them must grant it, unless one is the name itself.
    pub fn has_on_schema(&self, privilege: &str, schema: &str) -> bool {
        let is_revoked = |place: &Place| matches!(place, Place::Schema(name) if unescaped(name) == *schema);
        if has(&self.granted, privilege, |place| *place == Place::Everywhere)
            && !has(&self.revoked, privilege, is_revoked)
        {
            return true;
        }
        let fitting = |fits: &dyn Fn(&str) -> bool| {
            let of = |(_, place): &&(_, Place)| matches!(place, Place::Schema(pattern) if fits(pattern));
            self.granted.iter().filter(of).collect::<Vec<_>>()
        };
        let is_name = |pattern: &str| unescaped(pattern) == *schema;
        let exact = fitting(&is_name);
        if !exact.is_empty() {
            return exact.iter().any(|(privileges, _)| includes(privileges, privilege));
        }
        let patterns = fitting(&|pattern| is_like(pattern, schema));
        !patterns.is_empty() && patterns.iter().all(|(privileges, _)| includes(privileges, privilege))
    }

    /// Returns true if the privilege holds for the whole table.
    pub fn has_on_table(&self, privilege: &str, schema: &str, table: &str) -> bool {
        let is_of = |place: &Place| matches!(place, Place::Table(of, name) if of == schema && name == table);
        self.has_on_schema(privilege, schema) || has(&self.granted, privilege, is_of)
    }
}

fn has(grants: &[(BTreeSet<String>, Place)], privilege: &str, is_there: impl Fn(&Place) -> bool) -> bool {
    grants.iter().any(|(privileges, place)| is_there(place) && includes(privileges, privilege))
}

fn includes(privileges: &BTreeSet<String>, privilege: &str) -> bool {
    privileges.contains(privilege) || privileges.contains("ALL PRIVILEGES")
}

/// Reads what follows the verb: the privileges, and the place between `ON` and the account.
fn parse(rest: &str, to: &str) -> Option<(BTreeSet<String>, Place)> {
    let (list, rest) = rest.split_at(outside_of_quotes(rest, " ON ")?);
    let place = &rest[" ON ".len()..];
    let place = &place[..outside_of_quotes(place, to)?];
    let (schema, table) = place.split_at(outside_of_quotes(place, ".")?);
    let place = match (schema, &table[1..]) {
        ("*", "*") => Place::Everywhere,
        (schema, "*") => Place::Schema(unquoted(schema)),
        (schema, table) => Place::Table(unquoted(schema), unquoted(table)),
    };
    // A privilege on columns lists them in parentheses.
    let whole = without_parentheses(list);
    let privileges = whole.split(',').map(str::trim).filter(|name| !name.contains('('));
    Some((privileges.map(str::to_uppercase).collect(), place))
}

/// Returns the place of a text that is not within a quoted name.
fn outside_of_quotes(text: &str, part: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, character)| {
        match quote {
            None if text[at..].starts_with(part) => return Some(at),
            None if matches!(character, '`' | '"' | '\'') => quote = Some(character),
            Some(open) if open == character => quote = None,
            _ => {}
        }
        None
    })
}

/// Replaces each list of columns by its parenthesis alone.
fn without_parentheses(list: &str) -> String {
    let mut depth = 0_u32;
    list.chars()
        .filter(|character| {
            let is_kept = depth == 0;
            match character {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                _ => {}
            }
            is_kept
        })
        .collect()
}

fn unquoted(name: &str) -> String {
    for quote in ["`", "\""] {
        if let Some(inner) = name.strip_prefix(quote).and_then(|name| name.strip_suffix(quote)) {
            return inner.replace(&quote.repeat(2), quote);
        }
    }
    name.to_owned()
}

/// A pattern without wildcards as the name that it fits; backslashes make wildcards characters.
fn unescaped(pattern: &str) -> String {
    pattern.replace("\\_", "_").replace("\\%", "%")
}

/// Returns true if a name fits a pattern of `LIKE`.
fn is_like(pattern: &str, name: &str) -> bool {
    let mut rest = pattern.chars();
    match rest.next() {
        None => name.is_empty(),
        Some('%') => name
            .char_indices()
            .map(|(at, _)| at)
            .chain([name.len()])
            .any(|at| is_like(rest.as_str(), &name[at..])),
        Some(first) => {
            let first = match first {
                '\\' => rest.next(),
                '_' => None,
                other => Some(other),
            };
            let mut characters = name.chars();
            let character = characters.next();
            character.is_some_and(|of_name| first.is_none_or(|first| first == of_name))
                && is_like(rest.as_str(), characters.as_str())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grants<const N: usize>(rows: [&str; N]) -> Grants {
        Grants::of_rows(&rows.map(|row| vec![row.to_owned()]))
    }

    #[test]
    fn privileges_hold_where_they_were_granted() {
        let account = grants([
            "GRANT USAGE ON *.* TO `a`@`%` IDENTIFIED BY PASSWORD '*0123 ON *.* TO '",
            "GRANT SELECT, SHOW VIEW ON `sh\\_op`.* TO `a`@`%`",
            "GRANT SELECT ON `mysql`.`proc` TO `a`@`%` WITH GRANT OPTION",
            "GRANT SELECT (`id`, `n`), INSERT ON `x`.`t` TO `a`@`%`",
            "GRANT EXECUTE ON PROCEDURE `sh_op`.`pr` TO `a`@`%`",
            "GRANT ` ON `@`%` TO `a`@`%`",
            "GRANT PROXY ON ''@'' TO `a`@`%` WITH GRANT OPTION",
        ]);
        assert!(account.has_on_schema("SHOW VIEW", "sh_op") && !account.has_on_schema("SHOW VIEW", "shxop"));
        assert!(!account.has_on_schema("EVENT", "sh_op") && !account.has_on_schema("EXECUTE", "sh_op"));
        assert!(account.has_on_table("SELECT", "mysql", "proc") && !account.has_on_schema("SELECT", "mysql"));
        assert!(account.has_on_table("INSERT", "x", "t") && !account.has_on_table("SELECT", "x", "t"));
        assert!(!account.has_everywhere("SELECT"));
    }

    #[test]
    fn a_partial_revoke_and_patterns_are_respected() {
        let account = grants([
            "GRANT SELECT, EVENT ON *.* TO \"a\"@\"%\"",
            "REVOKE EVENT ON `rep`.* FROM `a`@`%`",
            "GRANT ALL PRIVILEGES ON \"of%\".* TO `a`@`%`",
            "GRANT TRIGGER ON `of_x`.* TO `a`@`%`",
        ]);
        assert!(account.has_everywhere("SELECT") && !account.has_everywhere("EVENT"));
        assert!(account.has_on_schema("EVENT", "shop") && !account.has_on_schema("EVENT", "rep"));
        assert!(account.has_on_schema("SHOW VIEW", "office") && !account.has_on_schema("SHOW VIEW", "ofax"));
        assert!(account.has_on_schema("TRIGGER", "ofax") && !account.has_on_schema("SHOW VIEW", "of_x"));
    }
}
