//! Finds expressions whose value depends on the session that evaluates them. The copy computes generated columns and the entries of
//! indexes again, in a session with settings of its own, so the new table would have other values than the old one.

mod moments;
mod words;

use moments::{converts_text, takes_today};
use words::{arguments_of, code, reads, texts};

use super::catalog::{Catalog, Column, Table};
use super::quote::name;
use super::session::Session;
use crate::plan::data::Engine;
use idgen_database::Result;

/// Functions whose value depends on a setting, which is named.
const FUNCTIONS: [(&str, &str); 11] = [
    ("from_unixtime", "time_zone"),
    ("unix_timestamp", "time_zone"),
    ("convert_tz", "the tables of time zones"),
    ("dayname", "lc_time_names"),
    ("monthname", "lc_time_names"),
    ("str_to_date", "sql_mode and lc_time_names"),
    ("aes_encrypt", "block_encryption_mode"),
    ("aes_decrypt", "block_encryption_mode"),
    ("current_user", "the account"),
    ("user", "the account"),
    ("database", "the schema"),
];

/// The words of DATE_FORMAT that are names in a language.
const NAMES_IN_FORMATS: [&str; 4] = ["%a", "%b", "%M", "%W"];

/// Modes that clients may have, and the sessions of a plan do not.
#[derive(Clone, Copy, Default)]
struct Modes {
    is_mysql: bool,
    /// `div_precision_increment` is not that of most servers.
    divides: bool,
    pads: bool,
    subtracts_signed: bool,
    cuts_fractions: bool,
}

/// The reasons not to change tables with such expressions.
pub(super) async fn reasons(
    session: &mut Session,
    catalog: &Catalog,
    tables: &[String],
) -> Result<Vec<String>> {
    let modes = session.text("SELECT @@GLOBAL.sql_mode").await?;
    let digits = session.text("SELECT CAST(@@GLOBAL.div_precision_increment AS CHAR)").await?;
    let has = |mode: &str| modes.split(',').any(|one| one == mode);
    let modes = Modes {
        is_mysql: session.engine == Engine::MySql,
        divides: digits != "4",
        pads: has("PAD_CHAR_TO_FULL_LENGTH"),
        subtracts_signed: has("NO_UNSIGNED_SUBTRACTION"),
        cuts_fractions: has("TIME_TRUNCATE_FRACTIONAL") || has("TIME_ROUND_FRACTIONAL"),
    };
    let tables = tables.iter().filter_map(|table| catalog.tables.get(table));
    Ok(tables.flat_map(|table| of_table(table, modes)).collect())
}

fn of_table(table: &Table, modes: Modes) -> Vec<String> {
    let mut all = Vec::new();
    for column in table.columns.iter().filter(|column| column.is_generated()) {
        let index = table.parts.iter().find(|part| part.column == column.name).map(|part| &part.index);
        let Some(why) = of_column(table, column, modes, 0) else { continue };
        let place = match index {
            _ if column.is_stored => "is stored".to_owned(),
            Some(index) => format!("is in the index {index}"),
            None => continue,
        };
        all.push(format!(
            "the generated column {}.{} {place}, and {why}: the copy would compute other values than clients do. Drop it for the time of the \
             change",
            table.name, column.name
        ));
    }
    for part in table.parts.iter().filter(|part| !part.expression.is_empty()) {
        let modes = Modes { divides: true, ..modes };
        if let Some(why) = of_expression(table, &part.expression, "", modes, 0) {
            all.push(format!(
                "the index {} of {} holds an expression that {why}: the copy would compute other values than clients do. Drop it for the time \
                 of the change",
                part.index, table.name
            ));
        }
    }
    // A constraint of another value is an error, which is not lost.
    for (constraint, condition) in &table.conditions {
        if let Some(timestamp) = reads_timestamp(table, &without_comparisons(table, condition)) {
            all.push(format!(
                "the check constraint {constraint} of {} {timestamp}: the copy might break it. Drop it for the time of the change",
                table.name
            ));
        }
    }
    all
}

fn of_column(table: &Table, column: &Column, modes: Modes, depth: usize) -> Option<String> {
    // The verification compares values that are stored, and finds a session that divides otherwise. The entries of an index are not compared.
    let modes = Modes { divides: modes.divides || !column.is_stored, ..modes };
    of_expression(table, &column.generated, &column.data_type, modes, depth)
}

/// Returns why the value of an expression depends on the session, as the end of a sentence. `to` is the type of its column.
fn of_expression(table: &Table, expression: &str, to: &str, modes: Modes, depth: usize) -> Option<String> {
    let is_moment = |data_type: &str| matches!(data_type, "date" | "datetime" | "timestamp");
    if let Some(why) = reads_timestamp(table, expression) {
        return Some(why);
    }
    if to == "timestamp" {
        return Some("converts to TIMESTAMP in the time zone of the session".to_owned());
    }
    let code = code(&without_epochs(table, expression));
    let calls = |function: &str| arguments_of(&code, function).next().is_some();
    for (function, setting) in FUNCTIONS {
        if calls(function) {
            return Some(format!("calls {function}(), whose value depends on {setting} of the session"));
        }
    }
    if calls("date_format") {
        let formats = texts(expression);
        let is_named = formats.iter().any(|format| NAMES_IN_FORMATS.iter().any(|name| format.contains(name)));
        if is_named || formats.iter().all(|format| !format.contains('%')) {
            return Some(
                "calls date_format(), whose names depend on lc_time_names of the session".to_owned(),
            );
        }
    }
    if modes.divides && code.contains('/') {
        return Some(
            "divides by /, whose digits depend on div_precision_increment of the session".to_owned(),
        );
    }
    let read: Vec<&Column> = table.columns.iter().filter(|column| reads(expression, &column.name)).collect();
    let time = read.iter().filter(|column| column.data_type == "time");
    if let Some(time) = time.into_iter().find(|column| takes_today(expression, column, is_moment(to))) {
        return Some(format!("takes the TIME {} for one of the day on which it is computed", time.name));
    }
    let of_text = |column: &&&Column| !column.charset.is_empty() || column.data_type == "json";
    let text = read
        .iter()
        .filter(of_text)
        .find(|column| modes.is_mysql && converts_text(expression, column, is_moment(to)));
    if let Some(text) = text {
        return Some(format!(
            "may convert a time in the text {}, which MySQL does in the time zone of the session if it ends in an offset",
            text.name
        ));
    }
    if let Some(padded) = read.iter().find(|column| modes.pads && column.data_type == "char") {
        return Some(format!(
            "reads the CHAR {}, whose spaces depend on PAD_CHAR_TO_FULL_LENGTH of the session",
            padded.name
        ));
    }
    let unsigned = read.iter().any(|column| column.type_text.contains("unsigned"));
    if modes.subtracts_signed && (unsigned || code.contains("unsigned")) && code.contains('-') {
        return Some(
            "subtracts unsigned numbers, which depends on NO_UNSIGNED_SUBTRACTION of the session".to_owned(),
        );
    }
    if modes.cuts_fractions && (is_moment(to) || to == "time" || code.contains(" as ")) {
        return Some("may cut a fraction of seconds, which depends on sql_mode of the session".to_owned());
    }
    // Generated columns may read those before them.
    let generated = read.iter().filter(|column| column.is_generated() && depth < table.columns.len());
    generated
        .filter_map(|column| {
            let why = of_column(table, column, modes, depth + 1)?;
            Some(format!("reads {}, which {why}", column.name))
        })
        .next()
}

/// Clients see a TIMESTAMP in their time zone. As seconds since 1970 it is the same in all of them.
fn reads_timestamp(table: &Table, expression: &str) -> Option<String> {
    let rest = without_epochs(table, expression);
    let column =
        table.columns.iter().find(|column| column.data_type == "timestamp" && reads(&rest, &column.name))?;
    Some(format!("reads the TIMESTAMP {} in the time zone of the session", column.name))
}

/// Without what is the same in all time zones: seconds since 1970, and whether there is a value.
fn without_epochs(table: &Table, expression: &str) -> String {
    let timestamps = table.columns.iter().filter(|column| column.data_type == "timestamp");
    timestamps.fold(expression.to_owned(), |rest, column| {
        let quoted = format!("\"{}\"", column.name);
        [name(&column.name), quoted].into_iter().fold(rest, |rest, name| {
            let same = ["unix_timestamp(X)", "isnull(X)", "X is not null", "X is null"];
            same.iter().fold(rest, |rest, what| rest.replace(&what.replace('X', &name), "0"))
        })
    })
}

/// Without comparisons of two `TIMESTAMP`s, which differ only in the hour that a time zone has twice.
fn without_comparisons(table: &Table, condition: &str) -> String {
    let timestamps: Vec<String> = table
        .columns
        .iter()
        .filter(|column| column.data_type == "timestamp")
        .flat_map(|column| [name(&column.name), format!("\"{}\"", column.name)])
        .collect();
    let mut rest = condition.to_owned();
    for one in &timestamps {
        for other in &timestamps {
            for comparison in ["<=>", "<=", ">=", "<>", "!=", "<", ">", "="] {
                rest = rest.replace(&format!("{one} {comparison} {other}"), "0");
            }
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(expression: &str, to: &str) -> Option<String> {
        let column = |name: &str, data_type: &str, charset: &str| Column {
            name: name.to_owned(),
            data_type: data_type.to_owned(),
            charset: charset.to_owned(),
            ..Column::default()
        };
        let columns = vec![
            column("ts", "timestamp", ""),
            column("dt", "datetime", ""),
            column("tm", "time", ""),
            column("n", "int", ""),
            column("a/b", "int", ""),
            column("v", "varchar", "utf8mb4"),
            Column { generated: "year(`ts`)".to_owned(), ..column("y", "int", "") },
        ];
        let table = Table { columns, ..Table::default() };
        of_expression(&table, expression, to, Modes { is_mysql: true, divides: true, ..Modes::default() }, 0)
    }

    #[test]
    fn common_constraints_are_kept() {
        let timestamp = |name: &str| Column {
            name: name.to_owned(),
            data_type: "timestamp".to_owned(),
            ..Column::default()
        };
        let columns = vec![timestamp("begins"), timestamp("ends")];
        let table = Table { columns, ..Table::default() };
        let why = |condition: &str| reads_timestamp(&table, &without_comparisons(&table, condition));
        for condition in [
            "(`ends` > `begins`)",
            "((`ends` is null) or (`ends` >= `begins`))",
            "((`state` = 'done') = (`ends` is not null))",
        ] {
            assert_eq!(why(condition), None, "{condition}");
        }
        for condition in ["(cast(`ends` as date) > `begins`)", "(hour(`begins`) < 12)"] {
            assert!(why(condition).is_some(), "{condition}");
        }
    }

    #[test]
    fn divisions_of_stored_columns_are_left_to_the_verification() {
        let price = |is_stored| Column {
            name: "tax".to_owned(),
            data_type: "decimal".to_owned(),
            generated: "(`net` * 19 / 100)".to_owned(),
            is_stored,
            ..Column::default()
        };
        let of = |is_stored, divides| {
            let column = price(is_stored);
            of_column(&Table::default(), &column, Modes { divides, ..Modes::default() }, 0)
        };
        assert_eq!(of(true, false), None);
        assert!(of(true, true).is_some() && of(false, false).is_some());
    }

    #[test]
    fn what_depends_on_the_session_is_found() {
        for (expression, to) in [
            ("cast(`ts` as date)", "date"),
            ("dayname(`dt`)", "varchar"),
            ("date_format(`dt`,_utf8mb4'%Y %M')", "varchar"),
            ("date_format(`dt`,`v`)", "varchar"),
            ("(`n` / 7)", "decimal"),
            ("(`y` + 1)", "int"),
            ("`tm`", "datetime"),
            ("timestamp(`tm`)", "datetime"),
            ("dayofweek(`tm`)", "int"),
            ("cast(`v` as datetime)", "datetime"),
            ("cast(\"ts\" as date)", "date"),
            ("year(`v`)", "int"),
            ("`v`", "date"),
            ("from_unixtime(`n`)", "datetime"),
            ("`dt`", "timestamp"),
        ] {
            assert!(why(expression, to).is_some(), "{expression}");
        }
    }

    #[test]
    fn what_does_not_is_kept() {
        for (expression, to) in [
            ("unix_timestamp(`ts`)", "bigint"),
            ("if((`ts` is null),1,NULL)", "tinyint"),
            ("(`ts` is not null)", "tinyint"),
            ("timestamp(`dt`,`tm`)", "datetime"),
            ("addtime(cast(`dt` as datetime),`tm`)", "datetime"),
            ("hour(`tm`)", "int"),
            ("cast(`dt` as date)", "date"),
            ("date_format(`dt`,'%Y-%m')", "varchar"),
            ("json_extract(`n`,'$.\"a/b\"')", "varchar"),
            ("(`a/b` * 2)", "int"),
            ("concat(`v`,'it''s / \\'x')", "varchar"),
            ("`tm`", "time"),
            ("(`n` DIV 7)", "int"),
            ("concat(`v`,year(`dt`))", "varchar"),
            ("if((`v` = 'paid'),`dt`,NULL)", "datetime"),
            ("(case when (`dt` is null) then `v` end)", "varchar"),
            ("concat(`v`,'`ts`')", "varchar"),
        ] {
            assert_eq!(why(expression, to), None, "{expression}");
        }
    }
}
