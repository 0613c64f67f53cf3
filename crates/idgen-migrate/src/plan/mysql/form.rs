//! The forms in which a column holds a key now and after the change, and the expressions that convert a value, both
//! ways.

use super::catalog::Column;
use super::quote::name;
use super::session::Session;
use crate::plan::data::{Engine, Target};
use crate::plan::references::hyphenated;
use idgen_database::Result;

/// The form in which a column holds ids now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Hexadecimal digits.
    Text { hyphens: bool, upper: bool },
    /// The 16 bytes of the id, in `BINARY(16)`.
    Bytes,
    /// An integer, which becomes `BIGINT`.
    Integer,
}

/// Rows that are read to find the form of a column.
const SAMPLE: u32 = 500;

impl Form {
    /// The form of a column, if its type can hold ids of 128 bits and the sampled values are such ids. An empty column of
    /// `CHAR(36)` is taken as one.
    pub(super) async fn of(session: &mut Session, table: &str, column: &Column) -> Result<Option<Form>> {
        let is_text = matches!(column.data_type.as_str(), "char" | "varchar") && column.length >= 32;
        if column.data_type == "binary" && column.length == 16 {
            return Ok(Some(Form::Bytes));
        }
        if !is_text {
            return Ok(None);
        }
        let of = name(&column.name);
        let sql = format!("SELECT {of} FROM {} WHERE {of} IS NOT NULL LIMIT {SAMPLE}", name(table));
        let values = session.rows(&sql).await?;
        let forms: Vec<_> = values.iter().flatten().map(|value| Form::of_text(value)).collect();
        if forms.is_empty() {
            let hyphens = column.length >= 36;
            return Ok(
                (column.length == 36 || column.length == 32).then_some(Form::Text { hyphens, upper: false })
            );
        }
        let most = |of: fn(bool, bool) -> bool| {
            let count = forms.iter().flatten().filter(|(hyphens, upper)| of(*hyphens, *upper)).count();
            2 * count > forms.len()
        };
        if 2 * forms.iter().flatten().count() <= forms.len() {
            return Ok(None);
        }
        Ok(Some(Form::Text { hyphens: most(|hyphens, _| hyphens), upper: most(|_, upper| upper) }))
    }

    /// Returns whether a text has hyphens, and whether it has capital letters; `None` if it is no id.
    pub(super) fn of_text(text: &str) -> Option<(bool, bool)> {
        let hyphens = text.len() == 36
            && text.bytes().enumerate().all(|(at, byte)| matches!(at, 8 | 13 | 18 | 23) == (byte == b'-'));
        let digits = text.bytes().filter(u8::is_ascii_hexdigit).count();
        let fits = digits == 32 && (hyphens || text.len() == 32);
        fits.then(|| (hyphens, text.bytes().any(|byte| byte.is_ascii_uppercase())))
    }

    /// An id as a literal, in the form of the column.
    pub(super) fn written(self, id: u128) -> String {
        let (hyphens, upper) = match self {
            Form::Text { hyphens, upper } => (hyphens, upper),
            Form::Bytes => return format!("x'{id:032x}'"),
            Form::Integer => return id.to_string(),
        };
        let text = if hyphens { hyphenated(id) } else { format!("{id:032x}") };
        format!("'{}'", if upper { text.to_uppercase() } else { text })
    }

    /// A regular expression for the values that the conversion back writes again as they are. Where the collation ignores
    /// case, the server ignores it here too, as it does in comparisons.
    pub(super) fn pattern(self) -> Option<(&'static str, u32)> {
        match self {
            Form::Bytes | Form::Integer => None,
            Form::Text { hyphens: true, upper: false } => {
                Some(("^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", 36))
            }
            Form::Text { hyphens: true, upper: true } => {
                Some(("^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$", 36))
            }
            Form::Text { hyphens: false, upper: false } => Some(("^[0-9a-f]{32}$", 32)),
            Form::Text { hyphens: false, upper: true } => Some(("^[0-9A-F]{32}$", 32)),
        }
    }

    /// A condition that a value is no id, or is written otherwise than the conversion back writes it. Two such values could become one key,
    /// and the way back would not find their rows. Lengths are in bytes, since the server compares texts of CHAR without the spaces
    /// at their end.
    pub(super) fn misspelled(self, value: &str) -> Option<String> {
        let (pattern, length) = self.pattern()?;
        Some(format!(
            "{value} IS NOT NULL AND (LENGTH({value}) <> {length} OR {value} NOT RLIKE '{pattern}')"
        ))
    }
}

/// MariaDB's type.
pub(super) const UUID: &str = "UUID";

/// The conversion of one column.
#[derive(Clone, Debug)]
pub(super) struct Conversion {
    pub(super) engine: Engine,
    pub(super) form: Form,
    pub(super) to: Target,
    /// The type of the column as it is now.
    pub(super) declared: String,
    /// The character set of the column as it is now; empty for bytes and integers.
    pub(super) charset: String,
    pub(super) collation: String,
}

impl Conversion {
    /// The type of the new column.
    pub(super) fn new_type(&self) -> String {
        match self.to {
            Target::Uuid => UUID.to_owned(),
            Target::Bigint => bigint(&self.declared),
            _ => "BINARY(16)".to_owned(),
        }
    }

    /// The least and the largest value of an integer as it is now.
    pub(super) fn bounds(&self) -> Option<(i128, u64)> {
        let declared = self.declared.to_ascii_lowercase();
        let data_type = declared.split(|c: char| !c.is_ascii_alphabetic()).next()?;
        let most = most(data_type, &declared);
        let least = if declared.contains("unsigned") { 0 } else { -i128::from(most) - 1 };
        (self.form == Form::Integer).then_some((least, most))
    }

    /// The new value of an old one. A value that is no id is an error, or NULL.
    pub(super) fn forward(&self, value: &str) -> String {
        match (self.form, self.to, self.engine) {
            (Form::Integer, ..) => value.to_owned(),
            (_, Target::Uuid, _) => format!("CAST({value} AS UUID)"),
            (Form::Bytes, Target::Swapped, _) => {
                format!(
                    "CONCAT(SUBSTR({value}, 7, 2), SUBSTR({value}, 5, 2), LEFT({value}, 4), SUBSTR({value}, 9))"
                )
            }
            (Form::Bytes, ..) => value.to_owned(),
            (Form::Text { .. }, Target::Swapped, Engine::MySql) => format!("UUID_TO_BIN({value}, 1)"),
            (Form::Text { .. }, _, Engine::MySql) => format!("UUID_TO_BIN({value})"),
            (Form::Text { .. }, Target::Swapped, _) => {
                let digits = digits(value);
                format!(
                    "UNHEX(CONCAT(SUBSTR({digits}, 13, 4), SUBSTR({digits}, 9, 4), LEFT({digits}, 8), SUBSTR({digits}, 17)))"
                )
            }
            (Form::Text { .. }, ..) => format!("UNHEX({})", digits(value)),
        }
    }

    /// The old value of a new one, in the character set and collation of the old column, so that its indexes can be used.
    pub(super) fn backward(&self, value: &str) -> String {
        let Form::Text { hyphens, upper } = self.form else {
            return match self.to {
                Target::Swapped => format!(
                    "CONCAT(SUBSTR({value}, 5, 4), SUBSTR({value}, 3, 2), LEFT({value}, 2), SUBSTR({value}, 9))"
                ),
                Target::Uuid => format!("CAST({value} AS BINARY(16))"),
                _ => value.to_owned(),
            };
        };
        let mut text = match (self.to, self.engine) {
            (Target::Uuid, _) => format!("CAST({value} AS CHAR)"),
            (Target::Swapped, Engine::MySql) => format!("BIN_TO_UUID({value}, 1)"),
            (_, Engine::MySql) => format!("BIN_TO_UUID({value})"),
            (Target::Swapped, _) => {
                let hex = format!("HEX({value})");
                format!(
                    "LOWER(CONCAT_WS('-', SUBSTR({hex}, 9, 8), SUBSTR({hex}, 5, 4), LEFT({hex}, 4), SUBSTR({hex}, 17, 4), \
                     SUBSTR({hex}, 21)))"
                )
            }
            _ => {
                let hex = format!("HEX({value})");
                format!(
                    "LOWER(INSERT(INSERT(INSERT(INSERT({hex}, 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-'))"
                )
            }
        };
        // CONCAT_WS leaves out what is NULL.
        if self.to == Target::Swapped && self.engine == Engine::MariaDb {
            text = format!("IF({value} IS NULL, NULL, {text})");
        }
        if !hyphens {
            text = format!("REPLACE({text}, '-', '')");
        }
        if upper {
            text = format!("UPPER({text})");
        }
        format!("CONVERT({text} USING {}) COLLATE {}", self.charset, self.collation)
    }
}

/// `BIGINT` with the sign of a smaller type. Only with `ZEROFILL` does the width count.
fn bigint(declared: &str) -> String {
    let declared = declared.to_ascii_lowercase();
    match declared.find(|c: char| !c.is_ascii_alphabetic()) {
        Some(end) if declared.contains("zerofill") => format!("bigint{}", &declared[end..]),
        _ if declared.contains("unsigned") => "BIGINT UNSIGNED".to_owned(),
        _ => "BIGINT".to_owned(),
    }
}

/// The largest value of an integer type as `information_schema` writes it; that of `BIGINT UNSIGNED` for other types.
pub(super) fn most(data_type: &str, declared: &str) -> u64 {
    let bits = match data_type {
        "tinyint" => 8,
        "smallint" => 16,
        "mediumint" => 24,
        "int" => 32,
        _ => 64,
    };
    let is_signed = !declared.to_ascii_lowercase().contains("unsigned") && data_type.ends_with("int");
    u64::MAX >> (64 - bits + u32::from(is_signed))
}

/// The 32 digits of a text, or a text of which UNHEX makes NULL.
fn digits(value: &str) -> String {
    format!(
        "IF({value} RLIKE '^[0-9a-fA-F]{{8}}(-?[0-9a-fA-F]{{4}}){{3}}-?[0-9a-fA-F]{{12}}$', REPLACE({value}, '-', ''), 'no id')"
    )
}

#[cfg(test)]
mod tests {
    use super::{Form, bigint, most};

    #[test]
    fn a_bigint_has_the_sign_of_the_smaller_type() {
        assert_eq!(bigint("int(11)"), "BIGINT");
        assert_eq!(bigint("mediumint unsigned"), "BIGINT UNSIGNED");
        assert_eq!(bigint("int(5) unsigned zerofill"), "bigint(5) unsigned zerofill");
    }

    #[test]
    fn the_largest_value_depends_on_bits_and_sign() {
        assert_eq!(most("int", "int(11)"), 2_147_483_647);
        assert_eq!(most("int", "int unsigned"), 4_294_967_295);
        assert_eq!(most("tinyint", "tinyint(1)"), 127);
        assert_eq!(most("bigint", "bigint unsigned"), u64::MAX);
        assert_eq!(most("bigint", "bigint"), 9_223_372_036_854_775_807);
        assert_eq!(most("double", "double"), u64::MAX);
    }

    #[test]
    fn ids_are_written_in_the_form_of_the_column() {
        let id = 0x0ccd_780c_baba_4026_9564_5b8c_6560_24db;
        let text = |hyphens, upper| Form::Text { hyphens, upper }.written(id);
        assert_eq!(text(true, false), "'0ccd780c-baba-4026-9564-5b8c656024db'");
        assert_eq!(text(false, true), "'0CCD780CBABA402695645B8C656024DB'");
        assert_eq!(Form::Bytes.written(id), "x'0ccd780cbaba402695645b8c656024db'");
    }

    #[test]
    fn the_spelling_of_an_id_is_found() {
        let of = Form::of_text;
        assert_eq!(of("6ccd780c-baba-4026-9564-5b8c656024db"), Some((true, false)));
        assert_eq!(of("6CCD780CBABA402695645B8C656024DB"), Some((false, true)));
        assert_eq!(of("6ccd780c-baba-4026-9564-5b8c656024d"), None);
        assert_eq!(of("6ccd780c-baba-4026-95645-b8c656024db"), None);
        assert_eq!(of("customer-of-2026-from-the-north-west"), None);
    }
}
