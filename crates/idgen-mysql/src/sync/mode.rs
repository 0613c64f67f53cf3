//! The session's `sql_mode`.

use crate::error::Error;
use crate::error::failure::{Attempt, Kind};
use crate::statement::caller::Connection;
use crate::statement::values::Values;

/// Fails before anything that follows in a session without a strict mode, which would cut values off instead of refusing them:
/// a number that is out of range is an error at every `sql_mode`.
pub(super) const STRICT: &str = "SELECT IF(@@SESSION.sql_mode LIKE '%STRICT_%_TABLES%', 1, EXP(9999))";

/// Says what is wrong after [`STRICT`] has failed.
pub(super) async fn refuse_lax<C: Connection>(transaction: &mut C) -> Attempt<()> {
    let rows = transaction.read("SELECT @@SESSION.sql_mode".to_owned()).await?;
    let mode = rows.first().map(|row| row.text(0)).transpose()?.flatten().unwrap_or_default();
    if mode.contains("STRICT_ALL_TABLES") || mode.contains("STRICT_TRANS_TABLES") {
        return Ok(());
    }
    let problem = format!(
        "the session's sql_mode is {mode:?}, in which values that do not fit are cut off: add STRICT_ALL_TABLES to it"
    );
    Err(Error::new(Kind::Config { problem }).into())
}
