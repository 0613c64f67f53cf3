//! Asks the model of `idgen lab` about the keys that the survey found. Everything that this command needs of the lab is here.

use btree_model::Server;
use idgen_lab::Result;
use idgen_lab::advise::cost;
use idgen_lab::forecast::{Load, PostgresSettings, Settings, SqliteSettings};
use idgen_lab::strategy::{self, Strategy};
use idgen_migrate::survey::{Change, Engine, Order, Predicted, Prediction, Question, Survey};

use super::wait::Wait;

/// The buffer pool, if this user may not see it: that of a server as it is installed.
const POOL: u64 = 128 << 20;
/// The smallest pool of the model.
const LEAST_POOL: u64 = 5 << 20;
/// Bytes of an integer of the map.
const INTEGER: u32 = 8;
/// Bytes of an id that is stored as bytes.
const BINARY: u32 = 16;

/// A table for the model: the key that new rows have, the one that the old rows have, and the bytes of the rest.
struct Plan {
    new: &'static str,
    old: &'static str,
    row_bytes: u32,
}

/// Predicts the keys of at most this many tables. The second list says which keys are left out, and why.
pub fn predict(survey: &Survey, most: usize, rate: f64) -> (Vec<Prediction>, Vec<String>) {
    let (questions, mut left_out) = survey.questions(most);
    let wait = Wait::begin(questions.len());
    let mut predictions = Vec::new();
    for question in questions {
        wait.next(&question.table);
        let rate = question.rate.unwrap_or(rate).clamp(Load::MIN_RATE, Load::MAX_RATE);
        let mut changes = Vec::new();
        for &change in changes_of(survey.engine, &question) {
            match plans(survey.engine, &question, change)
                .map(|plans| sum(survey, &question, rate, change, &plans))
            {
                None => {}
                Some(Ok(predicted)) => changes.push(predicted),
                Some(Err(error)) => {
                    left_out.push(format!(
                        "{}.{}, {}: {error}",
                        question.table,
                        question.column,
                        change.title()
                    ));
                }
            }
        }
        if !changes.is_empty() {
            predictions.push(Prediction { question, assumed_rate: rate, changes, too_small: false });
        }
    }
    (predictions, left_out)
}

/// The changes that can be made to such a key.
fn changes_of(engine: Engine, question: &Question) -> &'static [Change] {
    use Change::{Bytes16, Integers, Prefix, Stay, Swapped, V7, V7In16};
    // The map is one of MySQL and MariaDB.
    let has_map = matches!(engine, Engine::MySql | Engine::MariaDb);
    let is_wide = question.key_bytes > BINARY + 1;
    match (question.order, is_wide, has_map) {
        (Order::Random, true, true) => &[Stay, Bytes16, V7, V7In16, Prefix, Integers],
        (Order::Random, true, false) => &[Stay, Bytes16, V7, V7In16, Prefix],
        (Order::Random, false, true) => &[Stay, V7, Prefix, Integers],
        (Order::Random, false, false) => &[Stay, V7, Prefix],
        (Order::LowTimeFirst, _, true) => &[Stay, Swapped, V7, Prefix, Integers],
        (Order::LowTimeFirst, _, false) => &[Stay, Swapped, V7, Prefix],
        (Order::TimeFirst, _, true) => &[Stay, Bytes16, Integers],
        (Order::TimeFirst, _, false) => &[Stay, Bytes16],
    }
}

/// The table of a change, and that of the map if it has one. `None` if the model has no such key.
fn plans(engine: Engine, question: &Question, change: Change) -> Option<(Plan, Option<Plan>)> {
    if engine == Engine::Postgres {
        return postgres_plan(question, change).map(|plan| (plan, None));
    }
    let (stay, prefix) = match question.order {
        Order::Random => ("v4-binary", "minute-ascending"),
        Order::LowTimeFirst => ("v1-binary", "minute-ascending"),
        Order::TimeFirst => ("v7-binary", "v7-binary"),
    };
    // The tail of a prefixed id in text is random.
    let prefix = if question.key_bytes > BINARY + 1 { "minute-random" } else { prefix };
    // On a page, a wider key of the same order is one of 16 bytes in a row with more bytes.
    let wide = question.row_bytes + question.key_bytes.saturating_sub(BINARY);
    let plan = |new, old, row_bytes| Plan { new, old, row_bytes };
    let table = match change {
        Change::Stay => plan(stay, stay, wide),
        Change::Bytes16 => plan(stay, stay, question.row_bytes),
        Change::V7 => plan("v7-binary", stay, wide),
        Change::V7In16 => plan("v7-binary", stay, question.row_bytes),
        Change::Prefix => plan(prefix, stay, wide),
        Change::Swapped => plan("v1-swapped", "v1-swapped", wide),
        Change::Integers => plan("auto-increment", "auto-increment", question.row_bytes),
        _ => return None,
    };
    Some((table, (change == Change::Integers).then(|| plan(stay, stay, INTEGER))))
}

/// Makes the plan for PostgreSQL, where the type decides how many bytes an entry of the index has.
fn postgres_plan(question: &Question, change: Change) -> Option<Plan> {
    let form = match question.key_bytes {
        16 => "binary",
        17 => "bytea",
        36 | 37 => "text36",
        22 | 23 => "base64",
        _ => return None,
    };
    let (new, old) = match (question.order, form, change) {
        (Order::Random, "binary", Change::Stay) | (Order::Random, _, Change::Bytes16) => {
            ("v4-binary", "v4-binary")
        }
        (Order::Random, "text36", Change::Stay) => ("v4-text36", "v4-text36"),
        (Order::Random, "base64", Change::Stay) => ("v4-base64", "v4-base64"),
        (Order::Random, "bytea", Change::Stay) => ("v4-bytea", "v4-bytea"),
        (Order::Random, "binary", Change::V7) | (Order::Random, _, Change::V7In16) => {
            ("v7-binary", "v4-binary")
        }
        (Order::Random, "text36", Change::V7) => ("v7-text36", "v4-text36"),
        (Order::Random, "binary", Change::Prefix) => ("minute-random", "v4-binary"),
        (Order::Random, "text36", Change::Prefix) => ("minute-text36", "v4-text36"),
        (Order::TimeFirst, "text36", Change::Stay) => ("v7-text36", "v7-text36"),
        (Order::TimeFirst, _, Change::Bytes16) => ("v7-binary", "v7-binary"),
        _ => return None,
    };
    Some(Plan { new, old, row_bytes: question.row_bytes })
}

/// The figures of a change, with those of the map; page fill is that of the table.
fn sum(
    survey: &Survey,
    question: &Question,
    rate: f64,
    change: Change,
    (table, map): &(Plan, Option<Plan>),
) -> Result<Predicted> {
    let table = of_plan(survey, question, rate, change, table)?;
    let Some(map) = map else { return Ok(table) };
    let map = of_plan(survey, question, rate, change, map)?;
    Ok(Predicted {
        bytes: table.bytes + map.bytes,
        reads_per_1k: table.reads_per_1k + map.reads_per_1k,
        writes_per_1k: table.writes_per_1k + map.writes_per_1k,
        ..table
    })
}

fn of_plan(
    survey: &Survey,
    question: &Question,
    rate: f64,
    change: Change,
    plan: &Plan,
) -> Result<Predicted> {
    let existing: Option<(&'static Strategy, u64)> = Some((strategy::find(plan.old)?, question.rows));
    let load =
        Load { row_bytes: plan.row_bytes, rate, existing, ..Load::new(question.rows, settings(survey)) };
    let found = cost(strategy::find(plan.new)?, &load)?;
    Ok(Predicted {
        change,
        bytes: found.tree_bytes,
        fill: found.fill,
        reads_per_1k: found.pages.reads_per_1k,
        writes_per_1k: found.pages.writes_per_1k,
        images_per_1k: found.log.map(|log| log.images_per_1k),
    })
}

/// The settings of the server that was surveyed, as far as they can be seen.
fn settings(survey: &Survey) -> Settings {
    let pool = survey.pool_bytes.unwrap_or(POOL).max(LEAST_POOL);
    match survey.engine {
        Engine::MySql => Server::mysql(pool).into(),
        Engine::MariaDb => Server::mariadb(pool).into(),
        Engine::Sqlite => {
            SqliteSettings { page_bytes: survey.page_bytes, ..SqliteSettings::default() }.into()
        }
        Engine::Postgres => PostgresSettings { pool_bytes: pool, ..PostgresSettings::default() }.into(),
    }
}
