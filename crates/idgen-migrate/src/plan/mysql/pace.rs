//! The settings of a copy that runs.

use super::execute;
use super::quote::name as quoted;
use crate::plan::pace::{is_off, known};
use crate::plan::status::Status;
use idgen_database::{Error, Result};

const NAMES: [&str; 5] =
    ["paused", "max_threads_running", "abort_threads_running", "chunk_milliseconds", "max_replica_lag"];

/// Changes one of them.
pub(crate) async fn set(url: &str, plan: &Status, name: &str, value: &str) -> Result<()> {
    let name = known(name, &NAMES)?;
    let value = checked(name, value)?;
    let table = format!("{}.{}", quoted(&plan.schema), quoted(&format!("idgen_{}_control", plan.id)));
    execute::change(url, format!("UPDATE {table} SET {name} = {value}")).await
}

fn checked(name: &str, value: &str) -> Result<String> {
    let wanted = match name {
        "paused" => "0 or 1",
        "abort_threads_running" => "a whole number, or none",
        _ => "a whole number",
    };
    match value.parse::<u16>() {
        _ if is_off(name, value) => Ok("NULL".to_owned()),
        Ok(value) if name != "paused" || value <= 1 => Ok(value.to_string()),
        _ => Err(Error::new(format!("{name} cannot be {value:?}: write {wanted}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_their_settings() {
        assert_eq!(checked("paused", "1").unwrap(), "1");
        assert_eq!(checked("abort_threads_running", "none").unwrap(), "NULL");
        for (name, value) in [
            ("paused", "2"),
            ("max_threads_running", "none"),
            ("max_replica_lag", "1; DROP TABLE t"),
            ("chunk_milliseconds", "-1"),
        ] {
            assert!(checked(name, value).unwrap_err().to_string().starts_with(&format!("{name} cannot be ")));
        }
        let unknown = known("speed", &NAMES).unwrap_err().to_string();
        assert!(unknown.contains("no setting \"speed\": choose paused, max_threads_running"), "{unknown}");
    }
}
