//! Parses `schema.sql` and `insert.sql`.

use std::ops::Range;

use idgen_record::{Database, OwnTable};

use super::refuse::{INSERT, SCHEMA, check_behind, check_names, check_quotes, wrong};
use super::token::{Kind, Token, tokens};
use super::{Insert, KEY_TYPE, Own, Piece, REFERENCE_TYPE, Slot};
use crate::{Error, Result};

/// Wider rows would be moved to overflow pages.
const MAX_BYTES: usize = 7_000;

impl Own {
    /// Parses the text of both files as the SQL of this database.
    ///
    /// # Errors
    /// A placeholder is unknown, missing, repeated or in quotes; the lab could not undo a statement; or the schema does
    /// not make a table that is used. The message says which, in which line, and what to do.
    pub fn read(text: &OwnTable, database: Database) -> Result<Self> {
        let mysql = database.speaks_mysql();
        let Schema { schema, made, filled, composite } = read_schema(&text.schema, mysql)?;
        let (inserts, key_column) = read_inserts(&text.insert, mysql, &made)?;
        let mut tables: Vec<String> = Vec::new();
        for name in made {
            if !tables.contains(&name) {
                tables.push(name);
            }
        }
        if let Some((line, table)) =
            filled.iter().find(|(_, table)| inserts.iter().any(|insert| same(&insert.table, table)))
        {
            return Err(wrong(
                SCHEMA,
                *line,
                format!(
                    "{table} gets its rows from the insert statement, and must be empty before: leave this INSERT out"
                ),
            ));
        }
        let sorted_by = vec![key_column.clone()];
        Ok(Own { schema, tables, inserts, key_column, composite, sorted_by })
    }
}

/// Compares names as most servers do: without quotes, and ignoring case.
fn same(one: &str, other: &str) -> bool {
    let bare = |name: &str| name.trim_matches(['"', '`']).to_lowercase();
    bare(one) == bare(other)
}

/// The statements of a text; empty ones are left out.
fn statements<'t, 'a>(tokens: &'t [Token<'a>]) -> impl Iterator<Item = &'t [Token<'a>]> {
    tokens.split(|token| token.is(";")).filter(|statement| !statement.is_empty())
}

/// The position of a statement in the text.
fn range(statement: &[Token<'_>]) -> Range<usize> {
    statement[0].start..statement[statement.len() - 1].end()
}

type Lines = Vec<(usize, String)>;

/// The statements of `schema.sql` and the tables that they make.
struct Schema {
    /// The statements.
    schema: Lines,
    /// The tables that they make.
    made: Vec<String>,
    /// The tables into which they insert rows.
    filled: Lines,
    /// See [`Own::composite`].
    composite: bool,
}

fn read_schema(text: &str, mysql: bool) -> Result<Schema> {
    let all = tokens(SCHEMA, text, mysql)?;
    let (mut schema, mut made, mut filled) = (Vec::new(), Vec::new(), Vec::new());
    let mut composite = false;
    let mut keys = 0;
    for statement in statements(&all) {
        let line = statement[0].line;
        check_quotes(SCHEMA, statement)?;
        check_names(SCHEMA, statement)?;
        check_behind(statement)?;
        match first_words(statement) {
            ("CREATE", "TABLE") => made.push(table_after(SCHEMA, statement, 2)?),
            ("CREATE", "INDEX" | "UNIQUE" | "FULLTEXT" | "SPATIAL") | ("ALTER", "TABLE") => {}
            ("INSERT", "INTO") => filled.push((line, table_after(SCHEMA, statement, 2)?)),
            (first, second) => {
                return Err(wrong(
                    SCHEMA,
                    line,
                    format!(
                        "{first} {second} is not a statement that the lab can undo: it takes CREATE TABLE, CREATE INDEX, ALTER \
                         TABLE, and INSERT INTO for rows that others refer to"
                    ),
                ));
            }
        }
        for pair in statement.windows(2) {
            if pair[0].is("REFERENCES") && !made.iter().any(|table| same(table, pair[1].text)) {
                return Err(wrong(
                    SCHEMA,
                    pair[1].line,
                    format!(
                        "REFERENCES {} names a table that the schema has not made: add its CREATE TABLE before",
                        pair[1].text
                    ),
                ));
            }
        }
        for token in statement.iter().filter(|token| token.kind == Kind::Placeholder) {
            match token.text.trim_matches(['{', '}']) {
                KEY_TYPE => {
                    keys += 1;
                    composite = has_composite_key(statement);
                }
                REFERENCE_TYPE => {}
                _ => {
                    return Err(wrong(
                        SCHEMA,
                        token.line,
                        format!(
                            "{} is not a placeholder of the schema: choose {{key_type}} for the key, or {{reference_type}} for \
                             a column that refers to it",
                            token.text
                        ),
                    ));
                }
            }
        }
        schema.push((line, text[range(statement)].to_owned()));
    }
    if keys != 1 {
        return Err(Error::config(format!(
            "the schema has {keys} columns of the type {{key_type}}: give it to the primary key of one table, such as id \
             {{key_type}} PRIMARY KEY"
        )));
    }
    Ok(Schema { schema, made, filled, composite })
}

/// Returns whether a `CREATE TABLE` has a primary key of several columns.
fn has_composite_key(statement: &[Token<'_>]) -> bool {
    let mut words =
        statement.windows(2).enumerate().filter(|(_, pair)| pair[0].is("PRIMARY") && pair[1].is("KEY"));
    words.any(|(at, _)| group(statement, at + 2).is_some_and(|(columns, _)| columns.len() > 1))
}

/// The statements of a row, the statement with the key first, and the column of the key.
fn read_inserts(text: &str, mysql: bool, made: &[String]) -> Result<(Vec<Insert>, String)> {
    let all = tokens(INSERT, text, mysql)?;
    let mut inserts = Vec::new();
    let mut payload = 0;
    let mut key_column = None;
    for statement in statements(&all) {
        check_quotes(INSERT, statement)?;
        check_names(INSERT, statement)?;
        let line = statement[0].line;
        let (insert, columns) = read_insert(text, statement, made, &mut payload)?;
        if inserts.first().is_some_and(|first: &Insert| first.table == insert.table) {
            return Err(wrong(
                INSERT,
                line,
                format!(
                    "the first statement gives {} its one row with the key: insert into other tables",
                    insert.table
                ),
            ));
        }
        if key_column.is_none() {
            key_column = Some(columns.ok_or_else(|| {
                wrong(
                    INSERT,
                    line,
                    "the first statement has no value that is {key} alone: it inserts the key of the row, such as INSERT \
                     INTO orders (id) VALUES ({key})",
                )
            })?);
        }
        inserts.push(insert);
    }
    match key_column {
        Some(column) => Ok((inserts, column)),
        None => Err(Error::config(
            "there is no insert statement: write one such as INSERT INTO orders (id) VALUES ({key})",
        )),
    }
}

/// An insert statement, and the column whose value is the key alone.
fn read_insert(
    text: &str,
    statement: &[Token<'_>],
    made: &[String],
    payload: &mut usize,
) -> Result<(Insert, Option<String>)> {
    let line = statement[0].line;
    let form = || {
        wrong(
            INSERT,
            line,
            "it must have the form INSERT INTO table (column, ...) VALUES (value, ...), one row and nothing after it, which \
             the lab can repeat for several rows and check",
        )
    };
    if first_words(statement) != ("INSERT", "INTO") {
        return Err(form());
    }
    let table = table_after(INSERT, statement, 2)?;
    let Some(table) = made.iter().find(|known| same(known, &table)) else {
        return Err(wrong(INSERT, line, format!("the schema makes no table {table}")));
    };
    let (columns, next) = group(statement, 3).ok_or_else(form)?;
    if !statement.get(next).is_some_and(|token| token.is("VALUES") || token.is("VALUE")) {
        return Err(form());
    }
    let (values, end) = group(statement, next + 1).ok_or_else(form)?;
    if columns.iter().chain(&values).any(|part| part.is_empty()) {
        return Err(wrong(INSERT, line, "a column or a value is missing between two commas or parentheses"));
    }
    if columns.len() != values.len() {
        return Err(wrong(INSERT, line, format!("{} columns have {} values", columns.len(), values.len())));
    }
    if let Some(more) = statement.get(end) {
        return Err(wrong(
            INSERT,
            more.line,
            format!(
                "\"{}\" follows the values: leave it out, so that the lab can check that each row went in",
                more.text
            ),
        ));
    }
    let key_column = values
        .iter()
        .position(|value| matches!(value, [token] if token.text == "{key}"))
        .map(|place| columns[place][0].text.to_owned());
    let before = text[statement[0].start..statement[next].end()].to_owned();
    let pieces = pieces(text, &statement[next + 1..end], payload)?;
    Ok((Insert { table: table.clone(), before, values: pieces }, key_column))
}

/// The content of the parentheses at this position, split at the commas, and the position after them.
fn group<'t, 'a>(statement: &'t [Token<'a>], from: usize) -> Option<(Vec<&'t [Token<'a>]>, usize)> {
    if !statement.get(from)?.is("(") {
        return None;
    }
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, from + 1);
    for (at, token) in statement.iter().enumerate().skip(from) {
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth -= 1;
        }
        if depth == 0 || (depth == 1 && token.is(",")) {
            parts.push(&statement[start..at]);
            start = at + 1;
        }
        if depth == 0 {
            return Some((parts, at + 1));
        }
    }
    None
}

/// The text of these tokens, split at the placeholders.
fn pieces(text: &str, tokens: &[Token<'_>], payload: &mut usize) -> Result<Vec<Piece>> {
    let place = range(tokens);
    let mut pieces = Vec::new();
    let mut from = place.start;
    for token in tokens.iter().filter(|token| token.kind == Kind::Placeholder) {
        pieces.push(Piece::Sql(text[from..token.start].to_owned()));
        pieces.push(Piece::Slot(slot(token, payload)?));
        from = token.end();
    }
    pieces.push(Piece::Sql(text[from..place.end].to_owned()));
    Ok(pieces)
}

fn slot(token: &Token<'_>, payload: &mut usize) -> Result<Slot> {
    let unknown = || {
        wrong(
            INSERT,
            token.line,
            format!(
                "{} is not a placeholder of an insert statement: choose {{key}}, {{row}}, {{number}}, {{text:N}} or {{bytes:N}} \
                 with N from 1 to {MAX_BYTES}",
                token.text
            ),
        )
    };
    let name = token.text.trim_matches(['{', '}']);
    let (name, width) = match name.split_once(':') {
        Some((name, width)) => (name, Some(width)),
        None => (name, None),
    };
    let at = *payload;
    let mut take = |len: usize| -> Result<usize> {
        *payload += len;
        if *payload > MAX_BYTES {
            return Err(wrong(
                INSERT,
                token.line,
                format!(
                    "with {} a row has {payload} random bytes: choose at most {MAX_BYTES} in all",
                    token.text
                ),
            ));
        }
        Ok(len)
    };
    let width = width.map(|width| {
        width.parse::<usize>().ok().filter(|width| (1..=MAX_BYTES).contains(width)).ok_or_else(unknown)
    });
    match (name, width) {
        ("key", None) => Ok(Slot::Key),
        ("row", None) => Ok(Slot::Row),
        ("number", None) => take(8).map(|_| Slot::Number { at }),
        ("text", Some(width)) => Ok(Slot::Text { at, len: take(width?)? }),
        ("bytes", Some(width)) => Ok(Slot::Bytes { at, len: take(width?)? }),
        _ => Err(unknown()),
    }
}

/// The first two words, in capitals.
fn first_words<'a>(statement: &[Token<'a>]) -> (&'a str, &'a str) {
    const KNOWN: [&str; 9] =
        ["CREATE", "TABLE", "INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "ALTER", "INSERT", "INTO"];
    let word = |place: usize| {
        let text = statement.get(place).map_or("", |token| token.text);
        KNOWN.into_iter().find(|known| known.eq_ignore_ascii_case(text)).unwrap_or(text)
    };
    (word(0), word(1))
}

/// The table named at this position, possibly after IF NOT EXISTS.
fn table_after(file: &str, statement: &[Token<'_>], mut place: usize) -> Result<String> {
    if statement.get(place).is_some_and(|token| token.is("IF")) {
        place += 3;
    }
    let line = statement[0].line;
    let token = statement
        .get(place)
        .filter(|token| token.is_name())
        .ok_or_else(|| wrong(file, line, "the name of a table is missing"))?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if !token.name().chars().all(plain) {
        return Err(wrong(
            file,
            token.line,
            format!("the lab takes names of tables with ASCII letters, digits and _, and not {}", token.text),
        ));
    }
    Ok(token.text.to_owned())
}
