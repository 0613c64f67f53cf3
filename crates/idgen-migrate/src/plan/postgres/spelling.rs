//! The spellings of ids in a column of text.

use serde::{Deserialize, Serialize};

use crate::plan::references::hyphenated;

/// The form in which new ids are written to the old column, as long as it is kept current.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Spelling {
    /// `6ccd780c-baba-1026-9564-5b8c656024db`
    Hyphenated,
    /// `6CCD780C-BABA-1026-9564-5B8C656024DB`
    HyphenatedUpper,
    /// `6ccd780cbaba102695645b8c656024db`
    Simple,
    /// `6CCD780CBABA102695645B8C656024DB`
    SimpleUpper,
    /// `{6ccd780c-baba-1026-9564-5b8c656024db}`
    Braced,
    /// `{6CCD780C-BABA-1026-9564-5B8C656024DB}`
    BracedUpper,
    /// 16 bytes in a `bytea`.
    Bytes,
    /// No text, but an integer, which becomes a `bigint`.
    Integer,
}

impl Spelling {
    /// The most frequent spelling of the values; `None` if fewer than half of them are ids.
    pub(super) fn of_most(values: &[String]) -> Option<Spelling> {
        let ids: Vec<Spelling> = values.iter().filter_map(|value| Spelling::of(value)).collect();
        if ids.is_empty() || ids.len() * 2 < values.len() {
            return None;
        }
        let count = |spelling: &Spelling| ids.iter().filter(|&other| other == spelling).count();
        ids.iter().max_by_key(|spelling| count(spelling)).copied()
    }

    /// The expression that writes a uuid so. An integer is its own.
    pub(super) fn of_uuid(self, uuid: &str) -> String {
        let text = format!("CAST({uuid} AS pg_catalog.text)");
        match self {
            Spelling::Hyphenated => text,
            Spelling::HyphenatedUpper => format!("pg_catalog.upper({text})"),
            Spelling::Simple => format!("pg_catalog.replace({text}, '-', '')"),
            Spelling::SimpleUpper => format!("pg_catalog.upper(pg_catalog.replace({text}, '-', ''))"),
            Spelling::Braced => format!("('{{' || {text} || '}}')"),
            Spelling::BracedUpper => format!("('{{' || pg_catalog.upper({text}) || '}}')"),
            Spelling::Bytes => format!("pg_catalog.uuid_send({uuid})"),
            Spelling::Integer => uuid.to_owned(),
        }
    }

    /// An id as a literal.
    pub(super) fn written(self, id: u128) -> String {
        let digits = format!("{id:032x}");
        let text = hyphenated(id);
        match self {
            Spelling::Hyphenated => format!("'{text}'"),
            Spelling::HyphenatedUpper => format!("'{}'", text.to_uppercase()),
            Spelling::Simple => format!("'{digits}'"),
            Spelling::SimpleUpper => format!("'{}'", digits.to_uppercase()),
            Spelling::Braced => format!("'{{{text}}}'"),
            Spelling::BracedUpper => format!("'{{{}}}'", text.to_uppercase()),
            Spelling::Bytes => format!("'\\x{digits}'"),
            Spelling::Integer => id.to_string(),
        }
    }

    fn of(value: &str) -> Option<Spelling> {
        let (inner, digits) = parts(value)?;
        let upper = digits.bytes().any(|byte| byte.is_ascii_uppercase());
        Some(match (inner.is_some(), value.contains('-'), upper) {
            (true, _, false) => Spelling::Braced,
            (true, _, true) => Spelling::BracedUpper,
            (false, true, false) => Spelling::Hyphenated,
            (false, true, true) => Spelling::HyphenatedUpper,
            (false, false, false) => Spelling::Simple,
            (false, false, true) => Spelling::SimpleUpper,
        })
    }
}

/// Returns the text between braces, if there are any, and the digits of an id; `None` if it is no id.
fn parts(value: &str) -> Option<(Option<&str>, String)> {
    let inner = value.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let digits: String = inner.unwrap_or(value).chars().filter(|&c| c != '-').collect();
    (digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some((inner, digits))
}

/// The id that a text or the digits of 16 bytes are.
pub(super) fn id(value: &str) -> Option<u128> {
    u128::from_str_radix(&parts(value)?.1, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_id_has_its_spelling() {
        let number = 0x0ccd_780c_baba_1026_9564_5b8c_6560_24db;
        let all = [
            Spelling::Hyphenated,
            Spelling::HyphenatedUpper,
            Spelling::Simple,
            Spelling::SimpleUpper,
            Spelling::Braced,
            Spelling::BracedUpper,
        ];
        for spelling in all {
            let written = spelling.written(number);
            let value = written.trim_matches('\'');
            assert_eq!((Spelling::of(value), id(value)), (Some(spelling), Some(number)), "{written}");
        }
        assert_eq!(Spelling::Bytes.written(number), r"'\x0ccd780cbaba102695645b8c656024db'");
    }

    #[test]
    fn most_values_decide() {
        let of =
            |values: &[&str]| Spelling::of_most(&values.iter().map(|&v| v.to_owned()).collect::<Vec<_>>());
        let id = "6CCD780C-BABA-1026-9564-5B8C656024DB";
        assert_eq!(of(&[id, id, &id.to_lowercase(), "other"]), Some(Spelling::HyphenatedUpper));
        assert_eq!(of(&[&id.replace('-', "")]), Some(Spelling::SimpleUpper));
        assert_eq!(of(&[&format!("{{{}}}", id.to_lowercase())]), Some(Spelling::Braced));
        assert_eq!(of(&["EUR", "USD", id]), None);
        assert_eq!(of(&[]), None);
    }
}
