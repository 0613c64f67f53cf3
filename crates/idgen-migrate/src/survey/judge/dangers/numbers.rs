//! Integers that a column or a reader cannot hold.

use super::{Code, Context, Finding, Level};
use crate::survey::judge::chance;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::parsed::Parsed;
use crate::survey::read::sample::Value;
use crate::survey::schema::Class;
use crate::survey::session::Engine;
use crate::survey::sql;

/// Smaller negative numbers are marks such as -1.
const LARGE: i128 = 1 << 40;
/// This many random integers are not all negative.
const ENOUGH: usize = 20;

/// In a signed column, ids from 2^63 on are negative, or all become the largest value.
pub(super) fn signed_overflow(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    let is_signed = match column.class {
        Class::Int { bits, unsigned } => bits == 64 && !unsigned,
        Class::Any => true,
        _ => false,
    };
    if !is_signed {
        return None;
    }
    let is_largest = |number: i128| number == i128::from(i64::MAX);
    let number = |at: usize| match ids.parsed[at] {
        Parsed::Integer(number) => number,
        _ => 0,
    };
    let count = |is: &dyn Fn(i128) -> bool| (0..ids.parsed.len()).filter(|&at| is(number(at))).count();
    let (negative, positive) = (count(&|n| n < -LARGE), count(&|n| n > LARGE && !is_largest(n)));
    // Random signed integers have both signs equally often, and most ranges of a key that they lead are between the ends.
    // Ids that grow beyond 2^63 begin again at the other end.
    let inner = count(&|n| (LARGE..1 << 62).contains(&n.abs()));
    let is_inner = inner * 10 > negative + positive && ids.count(Kind::Snowflake) == 0;
    let is_random = positive > 0
        && negative > 0
        && (is_inner
            || chance::ln_tail(negative.max(positive), negative + positive, 0.5) >= chance::LEVEL.ln());
    let is_beyond = |n: i128| is_largest(n) || (n < -LARGE && !is_random);
    let beyond: Vec<usize> = (0..ids.parsed.len()).filter(|&at| is_beyond(number(at))).collect();
    let later = ids.count(Kind::Seconds64);
    let of = sql::name(engine, &column.name);
    let statement = context.statement(&format!("WHERE {of} < {} OR {of} = {}", -LARGE, i64::MAX));
    let (level, what) = if !beyond.is_empty() {
        let what = format!(
            "{} of {} ids are negative or the largest value of a signed column: they were 2^63 or more",
            beyond.len(),
            ids.parsed.len()
        );
        // A few negative integers alone can be random ones.
        let is_all = negative == ids.parsed.len() && negative < ENOUGH;
        if is_all {
            (
                Level::Warning,
                format!("all {negative} ids are negative: random integers, or ids that were 2^63 or more"),
            )
        } else {
            (Level::Danger, what)
        }
    } else if later * 2 > ids.parsed.len() {
        (
            Level::Warning,
            "64-bit ids with seconds in the upper half, in a signed column: they pass 2^63 on 2038-01-19"
                .to_owned(),
        )
    } else {
        return None;
    };
    let remedy = match engine {
        Engine::MySql | Engine::MariaDb => {
            "make the column BIGINT UNSIGNED, and read negative ids as unsigned (CAST(id AS UNSIGNED)); ids that became the \
             largest value are lost"
        }
        Engine::Postgres => "use numeric(20) or bytea, or read and write the bits as signed in every program",
        Engine::Sqlite => "store 8 bytes in a BLOB, or read and write the bits as signed in every program",
    };
    let finding = context.finding(level, Code::SignedOverflow, what);
    Some(Finding { statement, remedy: remedy.to_owned(), examples: context.examples(beyond), ..finding })
}

/// JSON numbers of JavaScript and others are floats, which hold integers below 2^53 exactly.
pub(super) fn beyond_json(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    // Numbers in a column of text are texts in JSON, too.
    if !matches!(column.class, Class::Int { .. } | Class::Any) {
        return None;
    }
    let is_beyond =
        |parsed: &Parsed| matches!(parsed, Parsed::Integer(number) if number.unsigned_abs() > 1 << 53);
    let is_number = |at: usize| matches!(ids.values[at], Value::Int(_));
    let beyond: Vec<usize> =
        (0..ids.parsed.len()).filter(|&at| is_beyond(&ids.parsed[at]) && is_number(at)).collect();
    if beyond.is_empty() {
        return None;
    }
    let of = sql::name(engine, &column.name);
    let statement = context.statement(&format!("WHERE {of} > 9007199254740992 OR {of} < -9007199254740992"));
    let what = format!(
        "{} of {} ids are beyond 2^53: a program that reads them from a JSON number may round them to another id",
        beyond.len(),
        ids.parsed.len()
    );
    let finding = context.finding(Level::Danger, Code::BeyondJson, what);
    let remedy = "send them as strings in JSON, in every interface; ignore this finding if they never leave as numbers";
    Some(Finding { statement, remedy: remedy.to_owned(), examples: context.examples(beyond), ..finding })
}
