//! The session of the caller: its settings, and the transaction in which everything must happen.

use crate::claim::within::LOST;
use crate::connection::own_session::{ELSEWHERE, OUT_OF_RANGE};
use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::Values;

/// A savepoint of the sync. No caller has one of the same name.
macro_rules! savepoint {
    () => {
        "idgen_sync_4be1907d35c2a8f6"
    };
}

const SAVE: &str = concat!("SAVEPOINT ", savepoint!());
pub(super) const GO_BACK: &str = concat!("ROLLBACK TO SAVEPOINT ", savepoint!());
pub(super) const RELEASE: &str = concat!("RELEASE SAVEPOINT ", savepoint!());

/// A savepoint after the first one. If it still exists after an error, the transaction was not rolled back.
pub(super) const SAVE_AGAIN: &str = concat!("SAVEPOINT ", savepoint!(), "_b");
pub(super) const STILL_THERE: [&str; 2] = [concat!("RELEASE SAVEPOINT ", savepoint!(), "_b"), SAVE_AGAIN];
/// A savepoint for changes that may have to be undone without the rest of the batch.
pub(super) const SAVE_EXCHANGE: &str = concat!("SAVEPOINT ", savepoint!(), "_x");
pub(super) const GO_BACK_EXCHANGE: &str = concat!("ROLLBACK TO SAVEPOINT ", savepoint!(), "_x");

/// True in a session that refuses values that do not fit, orphans, duplicates, and (MariaDB has a switch for them) what a check refuses, and that stores an empty text as one. Without a
/// strict mode, the server cuts values off instead.
const SAFE: &str = "@@SESSION.sql_mode LIKE '%STRICT_%_TABLES%' AND @@SESSION.sql_mode NOT LIKE '%EMPTY_STRING_IS_NULL%' \
    AND @@SESSION.foreign_key_checks = 1 AND @@SESSION.unique_checks = 1 /*M! AND @@SESSION.check_constraint_checks = 1 */";

/// Proves that a statement is carried out by the session that the batch began in.
///
/// A driver that connects again by itself repeats the statement in a new session, outside of the transaction. A variable of
/// the session has no value there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Guard(Option<u32>);

impl Guard {
    pub(super) fn of<C: Connection>() -> Guard {
        Guard(C::CONNECTS_AGAIN.then(|| fastrand::u32(1..)))
    }

    /// Returns true if the session is checked before the batch, and not with its first row.
    pub(super) fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// The statements before the batch. The third one fails where the first one was sent to another session, or outside of a
    /// transaction.
    pub(super) fn begin(self) -> Vec<String> {
        let token = self.0.map_or(String::new(), |token| token.to_string());
        let set = format!("SET @idgen_sync = IF({SAFE}, {token}, {OUT_OF_RANGE})");
        vec![SAVE.to_owned(), set, GO_BACK.to_owned(), SAVE_AGAIN.to_owned()]
    }

    /// The statements before the first row, for a driver that does not connect again.
    pub(super) fn begin_late() -> Vec<String> {
        vec![SAVE.to_owned(), SAVE_AGAIN.to_owned(), format!("SELECT IF({SAFE}, 1, {OUT_OF_RANGE}){ALL}")]
    }

    /// A value of a row that is inserted, which is an error in another session.
    pub(super) fn value(self, value: &str) -> String {
        self.0.map_or_else(
            || value.to_owned(),
            |token| format!("IF(@idgen_sync <=> {token}, {value}, {OUT_OF_RANGE})"),
        )
    }

    /// The failure of a statement with such a value.
    pub(super) fn lost(self, failure: Failure) -> Failure {
        if self.is_set() && failure.number() == Some(ELSEWHERE) {
            Failure::Contradicted(LOST)
        } else {
            failure
        }
    }

    /// A condition of a change, which is false in another session.
    pub(super) fn condition(self) -> String {
        self.0.map_or_else(String::new, |token| format!(" AND @idgen_sync <=> {token}"))
    }
}

/// The failure of a statement that needs the savepoint. If there is none, the caller's transaction has ended, which is
/// transient: everything that the batch did was rolled back.
pub(super) fn lost(failure: Failure) -> Failure {
    if failure.number() == Some(1305) { Failure::Contradicted(LOST) } else { failure }
}

/// Says what is wrong with the session, if its check has failed. A cluster may have ended the transaction instead.
pub(super) async fn refuse_unsafe<C: Connection>(transaction: &mut C, failure: &Failure) -> Attempt<()> {
    if failure.number() != Some(ELSEWHERE) {
        return Ok(());
    }
    // Converted to text, a switch is 1 on MySQL and ON on MariaDB.
    let settings = "SELECT @@SESSION.sql_mode, IF(@@SESSION.foreign_key_checks, '1', '0'), IF(@@SESSION.unique_checks, '1', '0'), \
        IF(1 /*M! AND @@SESSION.check_constraint_checks */, '1', '0')";
    let rows = transaction.read(format!("{settings}{ALL}")).await?;
    let text = |at: usize| -> Attempt<String> {
        Ok(rows.first().map(|row| row.text(at)).transpose()?.flatten().unwrap_or_default())
    };
    let mode = text(0)?;
    let problem = if !mode.contains("STRICT_ALL_TABLES") && !mode.contains("STRICT_TRANS_TABLES") {
        format!(
            "the session's sql_mode is {mode:?}, in which values that do not fit are cut off: add STRICT_ALL_TABLES to it"
        )
    } else if mode.contains("EMPTY_STRING_IS_NULL") {
        format!(
            "the session's sql_mode is {mode:?}, in which an empty text is stored as NULL: remove EMPTY_STRING_IS_NULL from it"
        )
    } else if text(1)? != "1" || text(2)? != "1" {
        format!(
            "the session has foreign_key_checks={} and unique_checks={}, with which rows without their parents and duplicates \
             are stored: set both to 1",
            text(1)?,
            text(2)?
        )
    } else if text(3)? != "1" {
        "the session has check_constraint_checks=0, with which rows are stored that a CHECK refuses: set it to 1".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Config { problem }).into())
}
