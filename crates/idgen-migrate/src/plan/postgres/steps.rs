//! The steps, made of their templates and descriptions.

use serde::Serialize;
use serde_json::json;

use super::bigint;
use super::catalog::{Column, Table};
use super::change::Change;
use super::estimate::Reading;
use super::render::Templates;
use super::texts::{
    BACKFILL, CHECK, CONSTRAINTS, DEFAULT, FINISH, INDEXES, PREPARE, SWITCH, TEXT, TRIGGERS, Text, VERIFY,
};
use super::trial::Trial;
use crate::plan::data::Step;
use idgen_database::Result;

/// The context of the templates of a change: its fields, and all of it as `p` for macros.
#[derive(Serialize)]
pub(super) struct Context<'a> {
    #[serde(flatten)]
    change: &'a Change,
    p: &'a Change,
}

impl<'a> Context<'a> {
    pub(super) fn of(change: &'a Change) -> Context<'a> {
        Context { change, p: change }
    }
}

/// The steps of a change of type.
pub(super) fn of_type(
    templates: &Templates,
    change: &Change,
    reading: Option<Reading>,
    trial: Option<&Trial>,
) -> Result<Vec<Step>> {
    let texts = match change.integers {
        true => bigint::TEXTS,
        false => [CHECK, PREPARE, TRIGGERS, BACKFILL, INDEXES, CONSTRAINTS, VERIFY, TEXT, SWITCH, FINISH],
    };
    let duration = |name: &str| {
        trial.and_then(|trial| trial.shown(name)).or_else(|| reading.and_then(|reading| reading.shown(name)))
    };
    let step = |name: &str| {
        let text = texts.iter().find(|text| text.name == name)?;
        let step = step(templates, text, Context::of(change));
        Some(step.map(|step| Step { duration: duration(name), ..step }))
    };
    change.steps.iter().filter_map(|file| step(file.name)).collect()
}

/// The query of everything that is attached to the tables.
pub(super) fn shape(templates: &Templates, change: &Change) -> Result<String> {
    templates.query("shape.sql", Context::of(change))
}

/// The query of the rights that the role does not have.
pub(super) fn lacking(templates: &Templates, change: &Change) -> Result<String> {
    templates.query("lacking.sql", Context::of(change))
}

/// The step that gives a column a default of version 7.
pub(super) fn of_default(templates: &Templates, table: &Table, column: &Column, made: &str) -> Result<Step> {
    let context = json!({
        "table": { "schema": table.schema, "name": table.name },
        "column": column.name, "made": made, "default": column.default,
    });
    step(templates, &DEFAULT, context)
}

fn step(templates: &Templates, text: &Text, change: impl Serialize) -> Result<Step> {
    let rendered = templates.render(text.template, change)?;
    Ok(Step {
        name: text.name.into(),
        purpose: text.purpose.into(),
        statements: rendered.statements,
        undo: rendered.undo,
        locks: text.locks.into(),
        duration: None,
        stop: text.stop.into(),
    })
}
