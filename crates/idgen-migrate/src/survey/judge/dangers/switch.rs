//! Dangers of new ids of version 7: programs that page by an id, partitions by an id, and ids that others see.

use super::{Code, Context, Finding, Level, Read};
use crate::survey::judge::columns::FoundBy;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;
use crate::survey::read::facts::Partition;
use crate::survey::read::said::Said;
use crate::survey::schema::Class;
use crate::survey::sql;

/// Returns true if the ids of this column are made for its table, and most of them are random or of version 1.
fn is_own(context: &Context<'_>) -> bool {
    let ids = context.ids;
    let is_old = |kind| matches!(kind, Kind::V4 | Kind::V1 | Kind::OtherUuid | Kind::V8 | Kind::Other128);
    let old = ids.readings.iter().filter(|reading| is_old(reading.kind)).count();
    old * 2 > ids.readings.len() && !ids.found_by.contains(&FoundBy::ForeignKey)
}

/// The name of the table and of the column that a statement must have, and an order or a comparison of the column.
fn pages_by(statement: &str, table: &str, column: &str) -> bool {
    let text: String = statement.to_ascii_lowercase().replace(['`', '"', '[', ']'], "");
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let (table, column) = (table.to_ascii_lowercase(), column.to_ascii_lowercase());
    if !text.split(|c| !is_word(c)).any(|word| word == table) {
        return false;
    }
    let orders = text.match_indices("order by ").any(|(at, found)| {
        let rest = &text[at + found.len()..];
        let end = rest.find(|c: char| !(is_word(c) || c == '.' || c == ' ')).unwrap_or(rest.len());
        let first = rest[..end].split_whitespace().next().unwrap_or_default();
        first.rsplit('.').next() == Some(&column)
    });
    let compares = text.match_indices(&column).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + column.len()..].trim_start();
        before.is_none_or(|c| !is_word(c))
            && (after.starts_with('>') || after.starts_with('<'))
            && !after.starts_with("<>")
    });
    orders || compares
}

/// Keys by which programs can page: version 7 sorts before nearly all random ids.
pub(super) fn cursor(context: &Context<'_>, read: &Read<'_>) -> Option<Finding> {
    let (engine, ids) = (context.engine, context.ids);
    if !is_own(context) || !context.table.is_led(ids.column) {
        return None;
    }
    let behind = ids.parsed.iter().filter(|parsed| match parsed {
        Parsed::Wide { id, .. } => (id.as_u128() >> 80) as i64 > context.now,
        _ => false,
    });
    let share = behind.count() as f64 / ids.parsed.len() as f64 * 100.0;
    let pages = |said: &&Said| pages_by(&said.text, &context.table.name, &context.column.name);
    let said: Vec<&Said> = read.facts.said.iter().filter(pages).collect();
    let table = sql::table(engine, context.table);
    let of = sql::name(engine, &context.column.name);
    let begins = format!(
        "{share:.1} % of the ids that were read sort behind a version 7 of today, so new rows come before them"
    );
    let (level, what) = match &said[..] {
        [] => (
            Level::Warning,
            format!(
                "{begins}: a program that pages by {}, or remembers the largest one, does not see them",
                context.column.name
            ),
        ),
        [first, rest @ ..] => {
            let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
            (
                Level::Danger,
                format!("{begins}, and {}{more} pages or sorts by {}", first.place, context.column.name),
            )
        }
    };
    let finding = context.finding(level, Code::CursorById, what);
    let statement = format!("SELECT {of} FROM {table} ORDER BY {of} DESC LIMIT 100");
    let remedy = "let programs page by a column of time together with the id; or make new ids with idgen new fixed-prefix, which \
                  sort behind all random ones";
    Some(Finding { statement, remedy: remedy.to_owned(), ..finding })
}

/// Words in names of columns and tables whose values protect something.
const SECRETS: [&str; 12] = [
    "token", "secret", "password", "reset", "session", "invit", "apikey", "api_key", "nonce", "csrf",
    "verif", "magic",
];
/// Words in names of columns whose values are shown.
const SHOWN: [&str; 9] = ["public", "share", "link", "slug", "external", "url", "guid", "ref", "uuid"];

/// Ids that others see: beside an integer key, or by their name.
pub(super) fn public(context: &Context<'_>) -> Option<Finding> {
    let (engine, table, column, ids) = (context.engine, context.table, context.column, context.ids);
    if !is_own(context) {
        return None;
    }
    let (name, table_name) = (column.name.to_ascii_lowercase(), table.name.to_ascii_lowercase());
    let has = |words: &[&str], name: &str| words.iter().any(|word| name.contains(word));
    let is_key = table.identity().is_some_and(|key| key.columns == [ids.column]);
    let is_secret = has(&SECRETS, &name) || (is_key && has(&SECRETS, &table_name));
    let has_integer_key = table.identity().is_some_and(|key| {
        matches!(&key.columns[..], [at] if matches!(table.columns[*at].class, Class::Int { .. } | Class::Any) && *at != ids.column)
    });
    let is_shown = has(&SHOWN, &name) && !is_key;
    let (level, what) = if is_secret {
        (
            Level::Danger,
            "by its name, this id protects something: version 7 has at most 74 random bits instead of 122, and ids that were \
             made one after the other share most of the rest"
                .to_owned(),
        )
    } else if is_shown || (has_integer_key && table.is_unique(ids.column)) {
        (
            Level::Warning,
            "others see this id, by its name or because the key beside it is an integer: version 7 shows them when the row \
             was made"
                .to_owned(),
        )
    } else {
        return None;
    };
    let finding = context.finding(level, Code::PublicId, what);
    let of = sql::name(engine, &column.name);
    let statement = format!("SELECT {of} FROM {} LIMIT 100", sql::table(engine, table));
    let remedy =
        "keep version 4 here, or hand out sealed ids, which are stored as version 7 and look like version 4";
    Some(Finding { statement, remedy: remedy.to_owned(), ..finding })
}

/// Partitions by an id or its first digits.
pub(super) fn partitions(read: &Read<'_>) -> Vec<Finding> {
    let of = |Partition { table, method, by, column, is_hash, statement }: &Partition| {
        let (level, what, remedy) = match is_hash {
            true => (
                Level::Warning,
                format!(
                    "{method} partitions the table by {by}: version 7 goes to all partitions as version 4 does, so each has a right \
                     edge of its own, and the order of the ids is only in each of them"
                ),
                "keep it if partitions are to share the inserts; to drop old rows with their partition, partition by a time",
            ),
            false => (
                Level::Danger,
                format!(
                    "{method} partitions the table by {by}: all new ids of version 7 begin with the same digits, so all new rows go \
                     to one partition"
                ),
                "partition by a hash of the whole id, or by its last digits",
            ),
        };
        Finding {
            level,
            code: Code::PartitionById,
            table: table.clone(),
            column: Some(column.clone()),
            what,
            statement: statement.clone(),
            remedy: remedy.to_owned(),
            examples: Vec::new(),
        }
    };
    read.facts.partitions.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_page_by_a_column() {
        for (text, expected) in [
            ("SELECT * FROM `orders` WHERE `id` > ? ORDER BY `id` LIMIT ?", true),
            ("select o.* from orders o order by o.id desc limit $1", true),
            ("SELECT `id` FROM `orders` WHERE `id` = ?", false),
            ("SELECT * FROM orders ORDER BY created_at, id", false),
            ("SELECT * FROM orders WHERE customer_id > 5", false),
            ("SELECT * FROM others WHERE id > 5", false),
            ("SELECT * FROM orders WHERE id <> 5", false),
        ] {
            assert_eq!(pages_by(text, "orders", "id"), expected, "{text}");
        }
    }
}
