//! Finds conversions of columns to moments.

use super::words::{arguments_of, marked};
use crate::plan::mysql::catalog::Column;
use crate::plan::mysql::quote::name;

/// Functions that need a day: they convert a text to a moment, and take a `TIME` for one of the present day.
const OF_DAYS: [&str; 16] = [
    "date",
    "year",
    "month",
    "day",
    "dayofmonth",
    "dayofweek",
    "dayofyear",
    "quarter",
    "week",
    "weekday",
    "weekofyear",
    "yearweek",
    "to_days",
    "last_day",
    "datediff",
    "timestampdiff",
];

/// Other functions that convert a text to a moment. Of a `TIME`, they read the hours, or add it to a day that is named.
const OF_HOURS: [&str; 11] = [
    "timestamp",
    "hour",
    "minute",
    "second",
    "microsecond",
    "to_seconds",
    "extract",
    "date_format",
    "timestampadd",
    "date_add",
    "date_sub",
];

/// Functions whose value is the text that they read, or a part of it.
const OF_TEXTS: [&str; 10] = [
    "json_unquote",
    "json_extract",
    "json_value",
    "coalesce",
    "ifnull",
    "concat",
    "left",
    "substr",
    "trim",
    "replace",
];

/// True if an expression takes a `TIME` for one of the day on which it is computed.
pub(super) fn takes_today(expression: &str, time: &Column, to_moment: bool) -> bool {
    let alone = format!("timestamp({})", name(&time.name));
    marked(expression).contains(&alone) || is_converted(expression, time, &OF_DAYS, to_moment)
}

/// True if an expression converts a text to a moment.
pub(super) fn converts_text(expression: &str, text: &Column, to_moment: bool) -> bool {
    is_converted(expression, text, &OF_DAYS, to_moment)
        || is_converted(expression, text, &OF_HOURS, to_moment)
}

/// True if an expression converts a column to a moment, by one of these functions, by a cast or because its own column is one.
fn is_converted(expression: &str, column: &Column, functions: &[&str], to_moment: bool) -> bool {
    let marked = marked(expression);
    let column = name(&column.name);
    let in_call = |function: &str| arguments_of(&marked, function).any(|inside| inside.contains(&column));
    let casts =
        arguments_of(&marked, "cast").any(|inside| inside.contains(&column) && inside.contains(" as date"));
    let begins = marked.trim_start_matches('(');
    let is_itself = begins.starts_with(&column)
        || OF_TEXTS.iter().any(|function| begins.starts_with(&format!("{function}(")) && in_call(function));
    casts
        || functions.iter().any(|function| in_call(function))
        || marked.contains(&format!("{column} + interval"))
        || (to_moment && is_itself)
}
