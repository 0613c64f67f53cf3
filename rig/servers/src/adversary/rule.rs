//! The changes that the adversary makes.

use std::fmt;

use super::answer::{Outcome, Rows};

/// A change of the result of one statement. The server has executed the statement, except with
/// [`StatementLost`](Alteration::StatementLost).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Alteration {
    /// The statement says that it changed no row.
    NoAffectedRows,
    /// It says that it changed one row more.
    MoreAffectedRows,
    /// It says that it changed one row fewer.
    FewerAffectedRows,
    /// Its last insert id is 0.
    NoLastInsertId,
    /// Its last insert id is another one.
    OtherLastInsertId,
    /// It gives no rows.
    NoRows,
    /// Its first row is missing.
    WithoutFirstRow,
    /// Its last row is missing.
    WithoutLastRow,
    /// Its first row is repeated.
    RepeatedRow,
    /// Its result is that of an earlier statement of the same class.
    OldResult,
    /// An error with this number replaces the result.
    Error(u16),
    /// An error is replaced by a statement that changed one row.
    Success,
    /// The connection is closed in place of the result.
    ResultLost,
    /// Nothing comes in place of the result, and the connection stays open.
    Silence,
    /// The connection is closed, and the server never gets the statement.
    StatementLost,
}

impl Alteration {
    /// All alterations, with the errors that a client is most likely to act upon: a duplicate key (1062), a lock wait that
    /// timed out (1205), a deadlock (1213), a server that takes no writes (1290), and a lost connection (2013).
    pub const ALL: [Alteration; 19] = [
        Alteration::NoAffectedRows,
        Alteration::MoreAffectedRows,
        Alteration::FewerAffectedRows,
        Alteration::NoLastInsertId,
        Alteration::OtherLastInsertId,
        Alteration::NoRows,
        Alteration::WithoutFirstRow,
        Alteration::WithoutLastRow,
        Alteration::RepeatedRow,
        Alteration::OldResult,
        Alteration::Error(1062),
        Alteration::Error(1205),
        Alteration::Error(1213),
        Alteration::Error(1290),
        Alteration::Error(2013),
        Alteration::Success,
        Alteration::ResultLost,
        Alteration::Silence,
        Alteration::StatementLost,
    ];

    /// Returns true if the change makes a difference for such a result.
    pub fn applies_to(self, result: ResultKind) -> bool {
        match (self, result) {
            (Alteration::NoAffectedRows, ResultKind::Done { affected, .. }) => affected > 0,
            (Alteration::MoreAffectedRows, ResultKind::Done { .. }) => true,
            // One row fewer than one is none.
            (Alteration::FewerAffectedRows, ResultKind::Done { affected, .. }) => affected > 1,
            (Alteration::NoLastInsertId, ResultKind::Done { last_insert_id, .. }) => last_insert_id > 0,
            (Alteration::OtherLastInsertId, ResultKind::Done { .. }) => true,
            (Alteration::NoRows | Alteration::RepeatedRow, ResultKind::Rows(rows)) => rows > 0,
            (Alteration::WithoutFirstRow | Alteration::WithoutLastRow, ResultKind::Rows(rows)) => rows > 1,
            (Alteration::OldResult, ResultKind::Done { .. } | ResultKind::Rows(_)) => true,
            (Alteration::Error(number), result) => result != ResultKind::Error(number),
            (Alteration::Success, ResultKind::Error(_)) => true,
            (Alteration::ResultLost | Alteration::Silence | Alteration::StatementLost, _) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Alteration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Alteration::NoAffectedRows => "no affected rows",
            Alteration::MoreAffectedRows => "one affected row more",
            Alteration::FewerAffectedRows => "one affected row fewer",
            Alteration::NoLastInsertId => "last insert id 0",
            Alteration::OtherLastInsertId => "another last insert id",
            Alteration::NoRows => "no rows",
            Alteration::WithoutFirstRow => "without the first row",
            Alteration::WithoutLastRow => "without the last row",
            Alteration::RepeatedRow => "the first row twice",
            Alteration::OldResult => "the result of an earlier statement",
            Alteration::Error(number) => return write!(f, "error {number}"),
            Alteration::Success => "success instead of the error",
            Alteration::ResultLost => "the result is lost",
            Alteration::Silence => "no answer",
            Alteration::StatementLost => "the statement is lost",
        };
        f.write_str(text)
    }
}

/// Selects a result, and the change that is made to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// The class of the statement, as [`Recorded::class`] says it.
    pub class: String,
    /// The number of statements of this class that are left alone before.
    pub skip: usize,
    /// The change.
    pub alteration: Alteration,
}

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ResultKind {
    /// A statement without rows.
    Done {
        /// The rows that it changed.
        affected: u64,
        /// Its last insert id.
        last_insert_id: u64,
    },
    /// This number of rows.
    Rows(usize),
    /// An error with this number.
    Error(u16),
}

/// A result as the server gave it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recorded {
    /// The statement's class: its text with `N` and `X` in place of numbers and hexadecimal literals, and with one element
    /// in place of a list. Prepared statements begin with `prepare` or `execute`.
    pub class: String,
    /// The number of statements of this class that came before.
    pub place: usize,
    /// The kind of the result.
    pub result: ResultKind,
}

/// The effect of a change on a result.
pub(super) enum Changed {
    Into(Outcome),
    Lost,
    Silent,
}

/// The result after the change; `None` if the change makes no difference. `old` is another result of the same class.
pub(super) fn change(alteration: Alteration, outcome: &Outcome, old: Option<&Outcome>) -> Option<Changed> {
    if !alteration.applies_to(kind(outcome)) {
        return None;
    }
    let rows = |make: &dyn Fn(&mut Rows)| {
        let mut changed = outcome.clone();
        if let Outcome::Rows(rows) = &mut changed {
            make(rows);
        }
        changed
    };
    let done = |affected: &dyn Fn(u64) -> u64, last: &dyn Fn(u64) -> u64| {
        let mut changed = outcome.clone();
        if let Outcome::Done(done) = &mut changed {
            done.affected = affected(done.affected);
            done.last_insert_id = last(done.last_insert_id);
        }
        changed
    };
    let same = |value| value;
    Some(Changed::Into(match alteration {
        Alteration::NoAffectedRows => done(&|_| 0, &same),
        Alteration::MoreAffectedRows => done(&|affected| affected + 1, &same),
        Alteration::FewerAffectedRows => done(&|affected| affected - 1, &same),
        Alteration::NoLastInsertId => done(&same, &|_| 0),
        Alteration::OtherLastInsertId => done(&same, &|last| last + 1),
        Alteration::NoRows => rows(&|rows| rows.rows.clear()),
        Alteration::WithoutFirstRow => rows(&|rows| drop(rows.rows.remove(0))),
        Alteration::WithoutLastRow => rows(&|rows| drop(rows.rows.pop())),
        Alteration::RepeatedRow => rows(&|rows| rows.rows.insert(0, rows.rows[0].clone())),
        Alteration::OldResult => old?.clone(),
        Alteration::Error(number) => Outcome::error(number),
        Alteration::Success => Outcome::done(1),
        Alteration::ResultLost | Alteration::StatementLost => return Some(Changed::Lost),
        Alteration::Silence => return Some(Changed::Silent),
    }))
}

/// Returns the kind of a result.
pub(super) fn kind(outcome: &Outcome) -> ResultKind {
    match outcome {
        Outcome::Done(done) => {
            ResultKind::Done { affected: done.affected, last_insert_id: done.last_insert_id }
        }
        Outcome::Rows(rows) => ResultKind::Rows(rows.rows.len()),
        Outcome::Error(_) => ResultKind::Error(outcome.error_number().unwrap_or_default()),
    }
}
