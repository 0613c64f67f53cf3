//! The file that ends a plan whose steps can neither go on nor back.

use super::change::ABANDON;
use super::render::Templates;
use super::steps::Context;
use crate::plan::data::{Plan, Script};
use idgen_database::Result;

const PURPOSE: &str = "For a plan whose steps can neither go on nor back: one of its tables was dropped, or the database was restored from a \
    dump while the plan was at work, so its tables are others than those that the plan remembers. It removes the plan from the tables that are \
    there, in one transaction: constraints first, then triggers, columns, and the schema. Before the switch it drops the new columns, and the \
    keys are the old ones. After the switch the keys are the new ones: the old columns stay with their values, but nothing writes them any \
    more and they may be null, so drop them when nobody needs them. Rows and keys stay in any case, and inserts work after it. Do not drop the \
    schema of the plan by yourself: the constraints that its triggers satisfy would stay, and refuse each new row. If it was dropped, this file \
    removes the rest. Where the steps can still go back, use their files.";

/// Makes the file. It asks the catalog alone, since the ledger and its functions may be gone.
pub(super) fn script(templates: &Templates, context: &Context<'_>, plan: &Plan) -> Result<Script> {
    let statements = templates.render("abandon.sql", context)?.statements;
    Ok(Script { name: ABANDON.into(), purpose: PURPOSE.into(), text: plan.sql(PURPOSE, &statements) })
}
