//! Ids as text: collations, spellings, and bytes in a column of characters.

use std::collections::{BTreeMap, HashMap};

use super::{Code, Context, Finding, Level};
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parse::case_of;
use crate::survey::judge::parsed::{Case, Parsed, Spelling};
use crate::survey::judge::tokens;
use crate::survey::read::sample::Value;
use crate::survey::schema::Class;
use crate::survey::session::Engine;
use crate::survey::sql;

/// The values whose letters mean something else in the other case.
fn cased(context: &Context<'_>) -> usize {
    let ids = context.ids;
    let needs_case = |(parsed, value): &(&Parsed, &Value)| {
        let is_mixed = matches!(value, Value::Text(text) if case_of(text) == Case::Mixed);
        let is_ksuid = matches!(parsed, Parsed::Pattern { kind: Kind::Ksuid, .. });
        is_mixed && (is_ksuid || parsed.spelling().is_some_and(Spelling::needs_case))
    };
    let decoded = ids.parsed.iter().zip(&ids.values).filter(needs_case).count();
    // Hexadecimal digits mean the same in both cases.
    let has_case = |parsed: &Parsed| match parsed {
        Parsed::Wide { .. } => parsed.spelling().is_some_and(Spelling::needs_case),
        Parsed::Text | Parsed::Pattern { .. } => true,
        Parsed::Object { .. } | Parsed::Digest | Parsed::Integer(_) | Parsed::Bytes => false,
    };
    let texts = ids.texts();
    match ids.parsed.iter().all(has_case) && tokens::has_random_case(&texts) {
        true => texts.len(),
        false => decoded,
    }
}

/// In base64 and base62, two ids may differ in the case of letters alone. In hexadecimal digits and ULIDs, case means nothing.
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
    let (cased, ulids) = (cased(context), count(is_ulid));
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
                "the letters of these ids are in both cases, and the collation {collation} ignores case: two different ids can be \
                 equal, so {unique}"
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

/// The values that have each spelling.
type Spellings = BTreeMap<Spelling, Vec<usize>>;

/// The spellings of a column that are not equal for it; none if there is only one.
fn spellings(context: &Context<'_>) -> Option<Spellings> {
    let (column, ids) = (context.column, context.ids);
    let mut spellings = Spellings::new();
    for (at, parsed) in ids.parsed.iter().enumerate() {
        if let (Some(spelling), Some(_)) = (parsed.spelling(), parsed.id()) {
            spellings.entry(merged(context, spelling)).or_default().push(at);
        }
    }
    if spellings.is_empty() && !column.ignores_case {
        spellings = cases(context);
    }
    // A text without letters is spelled as in lowercase and as in uppercase.
    let formats: Vec<&str> = spellings.keys().map(|spelling| spelling.format).collect();
    if !column.ignores_case {
        spellings.retain(|spelling, _| {
            spelling.case != Case::None
                || formats.iter().filter(|&&format| format == spelling.format).count() == 1
        });
    }
    (spellings.len() > 1).then_some(spellings)
}

/// Shorter texts are words and codes, whose case may mean something.
const LEAST_CHARS: usize = 16;
/// The name of the spellings of texts that nobody decodes.
const UNKNOWN: &str = "of the texts";

/// The spellings of texts that nobody decodes: long ones with digits, of which each has letters of one case only.
fn cases(context: &Context<'_>) -> Spellings {
    let mut found = Spellings::new();
    for (at, value) in context.ids.values.iter().enumerate() {
        let Value::Text(text) = value else { return Spellings::new() };
        let case = case_of(text);
        let is_token = text.len() >= LEAST_CHARS
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && !text.bytes().any(|byte| byte.is_ascii_whitespace());
        if !is_token || case == Case::Mixed {
            return Spellings::new();
        }
        found.entry(Spelling { format: UNKNOWN, case }).or_default().push(at);
    }
    found
}

/// An id in two spellings is two rows for the database, and a look-up finds one of them. `probed` are ids in another
/// spelling that the column has too.
pub(super) fn two_spellings(context: &Context<'_>, probed: &[String]) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    let spellings = spellings(context)?;
    let id_of = |at: usize| match &ids.values[at] {
        Value::Text(text) if ids.parsed[at].id().is_none() => text.to_ascii_lowercase(),
        _ => ids.parsed[at].id().map(|id| id.to_string()).unwrap_or_default(),
    };
    let mut rows: HashMap<String, Vec<(usize, Spelling)>> = HashMap::new();
    for (&spelling, places) in &spellings {
        for &at in places {
            rows.entry(id_of(at)).or_default().push((at, spelling));
        }
    }
    let twice = rows.values().find(|places| places.iter().any(|one| one.1 != places[0].1));
    let probe = probe(context).and_then(|probe| probe.place(probed));
    let seen_twice = twice.is_some() || probe.is_some();
    let examples: Vec<usize> = match (twice, probe) {
        (Some(places), _) => places.iter().map(|one| one.0).collect(),
        (None, Some(at)) => vec![at],
        (None, None) => spellings.values().filter_map(|places| places.first().copied()).collect(),
    };
    let is_unknown = spellings.keys().any(|spelling| spelling.format == UNKNOWN);
    let digits = match is_unknown {
        true => format!("UPPER({})", sql::name(engine, &column.name)),
        false => sql::digits(engine, column),
    };
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

/// A look-up of ids in the most frequent spelling of their column.
pub(crate) struct Probe {
    pub(crate) sql: String,
    pub(crate) texts: Vec<String>,
    places: Vec<usize>,
}

impl Probe {
    /// The place of the first id that is among these texts.
    fn place(&self, found: &[String]) -> Option<usize> {
        let at = self.texts.iter().position(|text| found.iter().any(|found| found.trim_end() == text))?;
        Some(self.places[at])
    }
}

/// Returns the look-ups for a column with several spellings, if an index makes them cheap: ids of rarer spellings,
/// written in the most frequent one.
pub(crate) fn probe(context: &Context<'_>) -> Option<Probe> {
    if !context.table.is_led(context.ids.column) || !context.column.is_builtin {
        return None;
    }
    let spellings = spellings(context)?;
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
    let sql = format!(
        "SELECT {of} FROM {} WHERE {of} IN ({}) LIMIT {MOST_PROBES}",
        sql::table(engine, context.table),
        parameters.join(", ")
    );
    Some(Probe { sql, texts, places })
}

/// An id in another spelling.
fn respelled(parsed: &Parsed, value: &Value, spelling: Spelling) -> Option<String> {
    let text = match (parsed, value) {
        (Parsed::Wide { id, .. }, _) => {
            let format: idgen::codec::Format = spelling.format.parse().ok()?;
            let mut buffer = [0; idgen::codec::Format::MAX_LEN];
            String::from_utf8(format.encode(id, &mut buffer).to_vec()).ok()?
        }
        (_, Value::Text(text)) => text.clone(),
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
