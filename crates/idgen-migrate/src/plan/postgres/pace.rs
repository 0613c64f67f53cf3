//! The settings of a copy that runs.

use super::execute;
use super::names::{literal, quoted};
use crate::plan::pace::{is_off, known};
use crate::plan::status::Status;
use idgen_database::Result;

const NAMES: [&str; 6] = ["paused", "max_active", "abort_active", "chunk_blocks", "pause", "max_lag"];

/// Changes one of them. The server checks the value.
pub(crate) async fn set(url: &str, plan: &Status, name: &str, value: &str) -> Result<()> {
    let name = known(name, &NAMES)?;
    let value = if is_off(name, value) { "NULL".to_owned() } else { literal(value) };
    execute::change(url, format!("UPDATE {}.settings SET {name} = {value}", quoted(&plan.schema))).await
}
