//! Refuses statements whose effects the lab could not undo or check.

use super::token::{Kind, Token};
use crate::{Error, Result};

/// The names of the files in errors.
pub(super) const SCHEMA: &str = "schema";
pub(super) const INSERT: &str = "insert statement";

/// An error in a line of a file.
pub(super) fn wrong(file: &str, line: usize, what: impl std::fmt::Display) -> Error {
    Error::config(format!("{file}, line {line}: {what}"))
}

/// Refuses a placeholder in quotes, and parameter markers such as `?` that only a program could bind.
pub(super) fn check_quotes(file: &str, statement: &[Token<'_>]) -> Result<()> {
    const NAMES: [&str; 7] =
        ["{key}", "{row}", "{number}", "{text:", "{bytes:", "{key_type}", "{reference_type}"];
    for token in statement {
        let is_quoted = matches!(token.kind, Kind::Text | Kind::Quoted);
        if let (true, Some(name)) = (is_quoted, NAMES.iter().find(|name| token.text.contains(**name))) {
            return Err(wrong(
                file,
                token.line,
                format!(
                    "{} is in quotes: a placeholder is a value of its own",
                    name.trim_matches(['{', '}', ':'])
                ),
            ));
        }
        if token.is("?") || token.is("$") {
            return Err(wrong(
                file,
                token.line,
                format!(
                    "\"{}\" is not a placeholder of the lab: write {{key}}, {{row}} or another in braces",
                    token.text
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses tables in other schemas.
pub(super) fn check_names(file: &str, statement: &[Token<'_>]) -> Result<()> {
    for part in statement.windows(3) {
        let joined = part[0].end() == part[1].start || part[1].end() == part[2].start;
        if part[0].is_name() && part[1].is(".") && part[2].is_name() && joined {
            return Err(wrong(
                file,
                part[0].line,
                format!(
                    "{}.{} names a table of another schema: the lab makes its tables in a schema of its own, which it drops, \
                     and touches no other; name tables alone",
                    part[0].text, part[2].text
                ),
            ));
        }
    }
    Ok(())
}

/// Refuses what would remain after the run, or be stored where the lab does not measure.
pub(super) fn check_behind(statement: &[Token<'_>]) -> Result<()> {
    for (at, token) in statement.iter().enumerate() {
        let next = |word: &str| statement.get(at + 1).is_some_and(|next| next.is(word));
        let engine = statement.get(at + 1 + usize::from(next("="))).filter(|engine| engine.is_name());
        let why = if token.is("SELECT") {
            "reads other tables: write the values themselves"
        } else if token.is("TABLESPACE") || ((token.is("DATA") || token.is("INDEX")) && next("DIRECTORY")) {
            "puts files where the lab does not read or remove them: leave it out"
        } else if token.is("PARTITION") && next("BY") {
            "splits the table into several trees, and the lab measures only one: leave it out"
        } else if token.is("CONNECTION") && next("=") {
            "names a table of another server: leave it out"
        } else if token.is("ENGINE")
            && engine.is_some_and(|engine| !engine.name().eq_ignore_ascii_case("InnoDB"))
        {
            "is not InnoDB, whose pages the lab reads: leave it out"
        } else {
            continue;
        };
        return Err(wrong(SCHEMA, token.line, format!("{} {why}", token.text)));
    }
    Ok(())
}
