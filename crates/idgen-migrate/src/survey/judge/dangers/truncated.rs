//! Columns and unique indexes that hold the first digits of ids.
//!
//! The first digits of version 7 and of ULIDs are a time, so ids that were made one after the other share them. The last digits are
//! random, and no danger.

use super::{Code, Finding, Level, Read, about_table};
use crate::survey::judge::chance;
use crate::survey::judge::columns::IdColumn;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parse::parse;
use crate::survey::judge::parsed::Parsed;
use crate::survey::options::NewIds;
use crate::survey::read::facts::Expression;
use crate::survey::read::sample::{Sample, Value};
use crate::survey::schema::{Class, Column, Table};
use crate::survey::session::Engine;
use crate::survey::sql;

/// The numbers of digits for which a column is searched: with more, the digits of version 7 are no time any more.
const FEWEST: usize = 6;
const MOST: usize = 13;
/// A longer text is no short form of an id.
const LONGEST: usize = 40;

/// A column of ids of one kind, of which all digits are known.
struct Ids<'t> {
    column: &'t Column,
    at: usize,
    kind: Kind,
    /// Bits of a digit: 4 of hexadecimal digits, 5 of base32.
    bits: u32,
}

/// Finds indexes and columns that hold only some first digits of ids, although ids of the same time may share them.
pub(super) fn find(
    read: &Read<'_>,
    table_at: usize,
    sample: Option<&Sample>,
    columns: &[IdColumn],
) -> Vec<Finding> {
    let table = &read.catalog.tables[table_at];
    let ids: Vec<Ids<'_>> = columns.iter().filter_map(|ids| of_ids(table, ids)).collect();
    let mut findings = Vec::new();
    for of in &ids {
        findings.extend(prefixes(read, table, of));
        findings.extend(expressions(read, table_at, of));
    }
    if let Some(sample) = sample {
        let is_wide = |column: usize| ids.iter().any(|of| of.at == column);
        for &column in sample.columns.iter().filter(|&&column| !is_wide(column)) {
            // A short form that fits two columns of ids is reported once.
            let found = ids.iter().find_map(|of| Some((of, digits_in(sample, column, of)?)));
            if let Some((of, digits)) = found {
                findings.push(short(read, table, column, of, digits));
            }
        }
    }
    findings
}

/// The ids of a column, if most of them certainly have a kind of 128 bits.
fn of_ids<'t>(table: &'t Table, ids: &IdColumn) -> Option<Ids<'t>> {
    let kinds = [Kind::V7, Kind::Ulid, Kind::V6, Kind::V1, Kind::V4, Kind::OtherUuid, Kind::V8];
    let kind = kinds.into_iter().max_by_key(|&kind| ids.count(kind))?;
    if ids.count(kind) * 2 <= ids.readings.len() {
        return None;
    }
    let base32 = |parsed: &&Parsed| parsed.spelling().is_some_and(|spelling| spelling.format == "base32");
    let is_base32 = ids.parsed.iter().filter(base32).count() * 2 > ids.parsed.len();
    let column = &table.columns[ids.column];
    Some(Ids { column, at: ids.column, kind, bits: if is_base32 { 5 } else { 4 } })
}

/// The digits of a value in lowercase, without hyphens and braces.
fn digits(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => {
            let text = text.trim_start_matches("urn:uuid:");
            Some(text.chars().filter(|c| !"-{}".contains(*c)).collect::<String>().to_ascii_lowercase())
        }
        Value::Bytes(bytes) => Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
        Value::Null | Value::Int(_) => None,
    }
}

/// The number of digits of the id of the same row that the values of a column hold, if chance does not explain it.
fn digits_in(sample: &Sample, column: usize, of: &Ids<'_>) -> Option<usize> {
    let place = |column: usize| sample.columns.iter().position(|&at| at == column);
    let (short, long) = (place(column)?, place(of.at)?);
    let (mut all, mut fitting, mut fewest, mut longest) = (0, 0, MOST, 0);
    for row in &sample.rows {
        let (Some(held), Some(id)) = (digits(&row[short]), digits(&row[long])) else { continue };
        if !matches!(parse(&row[long]), Parsed::Wide { .. }) {
            continue;
        }
        all += 1;
        if held.len() > LONGEST || id.len() <= MOST || held.contains(&id[..=MOST]) {
            continue;
        }
        let most = (FEWEST..=MOST).rev().find(|&digits| held.contains(&id[..digits]));
        if let Some(most) = most {
            fitting += 1;
            fewest = fewest.min(most);
            longest = longest.max(held.len() - most + 1);
        }
    }
    let each = longest as f64 * 2_f64.powi(-(fewest as i32 * of.bits as i32));
    (fitting * 2 > all && chance::is_certain(fitting, all, each)).then_some(fewest)
}

/// Describes which ids have this many first digits in common; true if they have the same time.
fn shared(of: &Ids<'_>, digits: usize) -> (bool, String) {
    let bits = match of.bits {
        // The first digit of a ULID has three bits.
        5 => digits as i32 * 5 - 2,
        _ => digits as i32 * 4,
    };
    let span = |millis: f64| match millis {
        ..1.5 => "one millisecond".to_owned(),
        ..1_000.0 => format!("{millis:.0} milliseconds"),
        ..120_000.0 => format!("{:.1} seconds", millis / 1e3),
        ..7_200_000.0 => format!("{:.0} minutes", millis / 6e4),
        _ => format!("{:.1} hours", millis / 3.6e6),
    };
    match of.kind {
        Kind::V7 | Kind::Ulid => {
            let millis = 2_f64.powi((48 - bits).max(0));
            (true, format!("all ids that were made within {} share them", span(millis)))
        }
        Kind::V6 => {
            let millis = 2_f64.powi((60 - bits.min(48)).max(0)) / 1e4;
            (true, format!("all ids that were made within {} share them", span(millis)))
        }
        Kind::V1 => {
            (true, "they are the lower part of a time, which is repeated every seven minutes".to_owned())
        }
        _ => {
            let rows = 1.18 * 2_f64.powf(f64::from(bits.min(48)) / 2.0);
            (false, format!("two of about {} random ids share them", idgen_check::grouped(rows as u64)))
        }
    }
}

/// The level, and what was found, of so many first digits at a place.
fn judged(read: &Read<'_>, of: &Ids<'_>, digits: usize, place: &str, is_unique: bool) -> (Level, String) {
    let (is_time, shared) = shared(of, digits);
    let fails = if is_unique { "; as they are unique here, the insert of a second one fails" } else { "" };
    let held = format!(
        "{place} the first {digits} digits of {}, whose ids are {}: {shared}{fails}",
        of.column.name,
        of.kind.name()
    );
    if is_time {
        return (Level::Danger, held);
    }
    if read.to == Some(NewIds::V7) {
        let new = Ids { kind: Kind::V7, bits: 4, ..*of };
        let then = self::shared(&new, digits).1;
        return (Level::Danger, format!("{held}. With version 7, {then}"));
    }
    (Level::Warning, format!("{held}. With version 7, they would be a time"))
}

const REMEDY: &str = "store the last digits of the id, which are random, or the whole id; find the code that cuts ids \
                      (substr, left, [:8]) before ids begin with a time";

fn short(read: &Read<'_>, table: &Table, column: usize, of: &Ids<'_>, digits: usize) -> Finding {
    let short = &table.columns[column];
    let (level, what) = judged(read, of, digits, "the values hold", table.is_unique(column));
    let (name, id) = (sql::name(read.engine, &short.name), sql::name(read.engine, &of.column.name));
    let statement = format!(
        "SELECT {name}, COUNT(DISTINCT {id}) FROM {} GROUP BY {name} HAVING COUNT(DISTINCT {id}) > 1",
        sql::table(read.engine, table)
    );
    let finding = about_table(level, Code::Truncated, table, Some(short), what);
    Finding { statement, remedy: REMEDY.to_owned(), ..finding }
}

/// Hexadecimal digits in the first characters of an id as its column writes it.
fn digits_of_chars(of: &Ids<'_>, chars: usize) -> usize {
    match of.column.class {
        Class::Bytes { .. } => chars * 2,
        // The hyphens are after 8, 12, 16 and 20 digits.
        _ if of.bits == 4 && of.column.length.is_none_or(|length| length >= 36) => {
            chars - [9, 14, 19, 24].iter().filter(|&&hyphen| chars >= hyphen).count()
        }
        _ => chars,
    }
}

/// Unique indexes of MySQL and MariaDB on the beginning of an id.
fn prefixes(read: &Read<'_>, table: &Table, of: &Ids<'_>) -> Vec<Finding> {
    let unique = table.keys.iter().filter(|key| key.unique && key.columns == [of.at]);
    unique
        .filter_map(|key| {
            let chars = *key.prefixes.get(&of.at)?;
            let digits = digits_of_chars(of, chars as usize);
            let name = sql::name(read.engine, &of.column.name);
            let cut = format!("LEFT({name}, {chars})");
            Some(of_index(read, table, of, digits, &key.name, &cut)).filter(|_| digits <= MOST)
        })
        .collect()
}

fn of_index(read: &Read<'_>, table: &Table, of: &Ids<'_>, digits: usize, index: &str, cut: &str) -> Finding {
    let place = format!("the unique index {index} holds");
    let (level, what) = judged(read, of, digits, &place, true);
    let statement = format!(
        "SELECT {cut}, COUNT(*) FROM {} GROUP BY 1 HAVING COUNT(*) > 1",
        sql::table(read.engine, table)
    );
    let finding = about_table(level, Code::Truncated, table, Some(of.column), what);
    Finding { statement, remedy: REMEDY.to_owned(), ..finding }
}

/// Unique indexes on an expression that cuts an id.
fn expressions(read: &Read<'_>, table_at: usize, of: &Ids<'_>) -> Vec<Finding> {
    let table = &read.catalog.tables[table_at];
    let of_table = read.facts.expressions.iter().filter(|one| one.table == table_at);
    of_table
        .filter_map(|Expression { index, text, .. }| {
            let (chars, bare) = cut(text, &of.column.name)?;
            let digits = if bare { chars } else { digits_of_chars(of, chars) };
            let name = sql::name(read.engine, &of.column.name);
            let text = if read.engine == Engine::Postgres { format!("{name}::text") } else { name };
            let text = if bare { format!("REPLACE({text}, '-', '')") } else { text };
            let cut = format!("SUBSTR({text}, 1, {chars})");
            let is_short = (1..=MOST).contains(&digits);
            is_short.then(|| of_index(read, table, of, digits, index, &cut))
        })
        .collect()
}

/// The number of characters to which an expression cuts a column from its beginning, and whether it removes the hyphens before:
/// `left(id, 8)`, `substr(id, 1, 8)`, and `"substring"((id)::text, 1, 8)` as PostgreSQL writes it.
fn cut(expression: &str, column: &str) -> Option<(usize, bool)> {
    let text = expression.to_ascii_lowercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if !text.split(|c| !is_word(c)).any(|word| word == column.to_ascii_lowercase()) {
        return None;
    }
    let name = ["left", "substring", "substr", "mid"]
        .into_iter()
        .find(|name| text.split(|c| !is_word(c)).any(|word| word == *name))?;
    let arguments = &text[text.find(name)? + name.len()..];
    let words = arguments.split(|c| !is_word(c)).filter_map(|word| word.parse::<usize>().ok());
    let numbers: Vec<usize> = words.take(2).collect();
    let bare = text.contains("replace");
    match (name, &numbers[..]) {
        ("left", [chars, ..]) | (_, [0 | 1, chars]) => Some((*chars, bare)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_cut_from_the_beginning() {
        for (text, expected) in [
            ("\"left\"((id)::text, 8)", Some((8, false))),
            ("left(`id`,8)", Some((8, false))),
            ("SUBSTRING((id)::text FROM 1 FOR 8)", Some((8, false))),
            ("\"substring\"((id)::text, 1, 13)", Some((13, false))),
            ("substr(id, 1, 8)", Some((8, false))),
            ("\"left\"(replace((id)::text, '-'::text, ''::text), 12)", Some((12, true))),
            ("right(id, 8)", None),
            ("substr(id, 25, 12)", None),
            ("left(idx, 8)", None),
            ("lower(id)", None),
        ] {
            assert_eq!(cut(text, "id"), expected, "{text}");
        }
    }
}
