//! Ids as text: collations, spellings, and bytes in a column of characters.

use std::collections::{BTreeMap, HashMap};

use super::{Code, Context, Finding, Level};
use crate::survey::kinds::{Case, Kind, Parsed, Spelling};
use crate::survey::sample::{self, Value};
use crate::survey::schema::Class;
use crate::survey::session::{Engine, Session};
use crate::survey::sql;

/// Formats in which a letter means something else in the other case.
fn needs_case(parsed: &Parsed) -> bool {
    parsed.spelling().is_some_and(|spelling| matches!(spelling.format, "base64" | "ordered64"))
}

/// In base64, two ids may differ in the case of letters alone. In hexadecimal digits and ULIDs, case means nothing.
pub(super) fn equal_under_collation(context: &Context<'_>) -> Option<Finding> {
    let (engine, column) = (context.engine, context.column);
    if !column.ignores_case {
        return None;
    }
    let of = sql::name(engine, &column.name);
    let table = sql::table(engine, context.table);
    let parsed = &context.ids.parsed;
    let is_ulid = |parsed: &Parsed| parsed.spelling().is_some_and(|spelling| spelling.format == "base32");
    let count = |is: fn(&Parsed) -> bool| parsed.iter().filter(|parsed| is(parsed)).count();
    let (cased, ulids) = (count(needs_case), count(is_ulid));
    let collation = column.collation.as_deref().unwrap_or("of the type");
    let exact = match engine {
        Engine::MySql | Engine::MariaDb => format!("HEX({of})"),
        Engine::Postgres => format!("encode(convert_to({of}::text, 'UTF8'), 'hex')"),
        Engine::Sqlite => format!("hex({of})"),
    };
    let statement = format!(
        "SELECT {of}, COUNT(DISTINCT {exact}) FROM {table} GROUP BY {of} HAVING COUNT(DISTINCT {exact}) > 1"
    );
    let remedy = match engine {
        Engine::MySql | Engine::MariaDb => {
            "give the column CHARACTER SET ascii COLLATE ascii_bin, or store the bytes in BINARY(16)"
        }
        Engine::Postgres => {
            "give the column COLLATE \"C\" and a type of text that does not ignore case, or use uuid"
        }
        Engine::Sqlite => "give the column COLLATE BINARY, or store the bytes in a BLOB",
    };
    let (level, what) = if cased * 10 >= parsed.len() && cased > 0 {
        let unique = match context.table.is_unique(context.ids.column) {
            true => "an insert of the second one fails, and a look-up finds the first one",
            false => "a look-up and a join find both",
        };
        (
            Level::Danger,
            format!(
                "ids in base64 under the collation {collation}, which ignores case: two different ids can be equal, so {unique}"
            ),
        )
    } else if ulids * 10 >= parsed.len() && ulids > 0 {
        (
            Level::Warning,
            format!(
                "ULIDs under the collation {collation}, which ignores case: no two different ULIDs are equal in it, but \
                 comparisons cost more than those of bytes, and a program that compares exactly disagrees with the database"
            ),
        )
    } else {
        return None;
    };
    let finding = context.finding(level, Code::EqualUnderCollation, what);
    Some(Finding { statement, remedy: remedy.to_owned(), ..finding })
}

/// Spellings that are equal for the column are one.
fn merged(context: &Context<'_>, spelling: Spelling) -> Spelling {
    let case = if context.column.ignores_case { Case::None } else { spelling.case };
    Spelling { case, ..spelling }
}

/// Values of a rarer spelling for which the survey looks in the column, at most.
const MOST_PROBES: usize = 20;

/// The same id in two spellings is two rows for the database, and a look-up finds one of them.
pub(super) async fn two_spellings(context: &Context<'_>, session: &mut Session) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    let mut spellings: BTreeMap<Spelling, Vec<usize>> = BTreeMap::new();
    let mut rows: HashMap<u128, Vec<usize>> = HashMap::new();
    for (at, parsed) in ids.parsed.iter().enumerate() {
        let (Some(spelling), Some(id)) = (parsed.spelling(), parsed.id()) else { continue };
        spellings.entry(merged(context, spelling)).or_default().push(at);
        rows.entry(id).or_default().push(at);
    }
    // A text without letters is spelled as in lowercase and as in uppercase.
    let formats: Vec<&str> = spellings.keys().map(|spelling| spelling.format).collect();
    if !column.ignores_case {
        spellings.retain(|spelling, _| {
            spelling.case != Case::None
                || formats.iter().filter(|&&format| format == spelling.format).count() == 1
        });
    }
    if spellings.len() < 2 {
        return None;
    }
    let spelling_of = |at: usize| ids.parsed[at].spelling().map(|spelling| merged(context, spelling));
    let twice =
        rows.values().find(|places| places.iter().any(|&at| spelling_of(at) != spelling_of(places[0])));
    let mut examples: Vec<usize> = twice.cloned().unwrap_or_default();
    let mut seen_twice = twice.is_some();
    if !seen_twice {
        if let Some(at) = probe(context, session, &spellings).await {
            seen_twice = true;
            examples = vec![at];
        } else {
            examples.extend(spellings.values().filter_map(|places| places.first()));
        }
    }
    let digits = sql::digits(engine, column);
    let table = sql::table(engine, context.table);
    let statement = format!(
        "SELECT {digits} AS id, COUNT(*) FROM {table} GROUP BY 1 HAVING COUNT(DISTINCT {}) > 1",
        match engine {
            Engine::MySql | Engine::MariaDb => format!("HEX({})", sql::name(engine, &column.name)),
            Engine::Postgres | Engine::Sqlite => sql::name(engine, &column.name),
        }
    );
    let counts: Vec<String> = spellings
        .iter()
        .map(|(spelling, places)| {
            let case = match spelling.case {
                Case::None => "",
                Case::Lower => " in lowercase",
                Case::Upper => " in uppercase",
                Case::Mixed => " in both cases",
            };
            format!("{} {}{case}", places.len(), spelling.format)
        })
        .collect();
    let counts = counts.join(", ");
    let (level, what) = match seen_twice {
        true => (
            Level::Danger,
            format!(
                "the same id is there in two spellings, which are two values for the database ({counts})"
            ),
        ),
        false => (
            Level::Warning,
            format!(
                "ids are written in several spellings ({counts}); the rows that were read hold no id twice"
            ),
        ),
    };
    let finding = context.finding(level, Code::TwoSpellings, what);
    let remedy = "decide which of two rows is right, write all ids in one spelling, and keep them so with a CHECK; or store \
                  bytes, which have one spelling";
    let examples = context.examples(examples);
    Some(Finding { statement, remedy: remedy.to_owned(), examples, ..finding })
}

/// Looks for ids of rarer spellings in the most frequent one, if an index makes that cheap: which of them is there.
async fn probe(
    context: &Context<'_>,
    session: &mut Session,
    spellings: &BTreeMap<Spelling, Vec<usize>>,
) -> Option<usize> {
    if !context.table.is_led(context.ids.column) {
        return None;
    }
    let (usual, _) = spellings.iter().max_by_key(|(_, places)| places.len())?;
    let rare = spellings.iter().filter(|(spelling, _)| *spelling != usual).flat_map(|(_, places)| places);
    let (places, texts): (Vec<usize>, Vec<String>) = rare
        .filter_map(|&at| Some((at, respelled(&context.ids.parsed[at], &context.ids.values[at], *usual)?)))
        .take(MOST_PROBES)
        .unzip();
    if texts.is_empty() {
        return None;
    }
    let engine = context.engine;
    let of = sql::name(engine, &context.column.name);
    let parameters: Vec<String> =
        (1..=texts.len()).map(|place| sql::parameter(engine, context.column, place)).collect();
    let query = format!(
        "SELECT {of} FROM {} WHERE {of} IN ({}) LIMIT {MOST_PROBES}",
        sql::table(engine, context.table),
        parameters.join(", ")
    );
    let binds: Vec<_> = texts.iter().map(|text| sample::bound(engine, Value::Text(text.clone()))).collect();
    let purpose = format!("ids of {} in another spelling", context.table.shown());
    // Without an answer, the finding is about the spellings alone.
    let found = session.rows(&purpose, &query, &binds).await.ok()?;
    let found: Vec<String> = found.iter().filter_map(|row| row.first()?.text()).collect();
    let at = texts.iter().position(|text| found.iter().any(|found| found.trim_end() == text))?;
    Some(places[at])
}

/// An id in another spelling.
fn respelled(parsed: &Parsed, value: &Value, spelling: Spelling) -> Option<String> {
    let text = match (parsed, value) {
        (Parsed::Wide { id, .. }, _) => {
            let format: idgen::codec::Format = spelling.format.parse().ok()?;
            let mut buffer = [0; idgen::codec::Format::MAX_LEN];
            String::from_utf8(format.encode(id, &mut buffer).to_vec()).ok()?
        }
        (Parsed::Object { .. }, Value::Text(text)) => text.clone(),
        _ => return None,
    };
    match spelling.case {
        Case::Lower => Some(text.to_ascii_lowercase()),
        Case::Upper => Some(text.to_ascii_uppercase()),
        Case::None => Some(text),
        Case::Mixed => None,
    }
}

/// `CHAR` cuts spaces from the end, and one id in 256 ends with the byte of a space.
pub(super) fn cut_bytes(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    if !engine.speaks_mysql() || column.class != (Class::Text { fixed: true }) || column.length != Some(16) {
        return None;
    }
    let raw = ids.parsed.iter().zip(&ids.readings).filter(|(parsed, reading)| {
        matches!(parsed, Parsed::Wide { spelling: None, .. }) && reading.kind != Kind::Other128
    });
    let raw = raw.count();
    if raw == 0 || raw * 2 < ids.values.len() {
        return None;
    }
    let cut: Vec<usize> = ids
        .values
        .iter()
        .enumerate()
        .filter(|(_, value)| match value {
            Value::Bytes(bytes) => bytes.len() < 16,
            Value::Text(text) => text.len() < 16,
            Value::Null | Value::Int(_) => false,
        })
        .map(|(at, _)| at)
        .collect();
    let of = sql::name(engine, &column.name);
    let statement =
        format!("SELECT HEX({of}) FROM {} WHERE LENGTH({of}) < 16", sql::table(engine, context.table));
    let (level, what) = match cut.len() {
        0 => (
            Level::Warning,
            "raw ids in CHAR(16), which cuts spaces from the end: one id in 256 ends with such a byte, and none of those \
             that were read is cut"
                .to_owned(),
        ),
        count => (
            Level::Danger,
            format!("raw ids in CHAR(16), which cuts spaces from the end: {count} of {} are shorter than 16 bytes", ids.values.len()),
        ),
    };
    let finding = context.finding(level, Code::CutBytes, what);
    let remedy = format!(
        "convert the column to BINARY(16), and restore the bytes that were cut: RPAD({of}, 16, ' ') has them, because \
         only spaces are cut"
    );
    Some(Finding { statement, remedy, examples: context.examples(cut), ..finding })
}
