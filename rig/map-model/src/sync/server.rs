//! The server: its tables and the log of the sync, as `idgen_mysql::sync` applies batches.

use crate::sync::change::{ANY, BAD, Change, Content, Outcome, ROWS, RowAt, Scope};
use crate::sync::defect::Defect;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Server {
    pub(super) rows: [Content; ROWS],
    /// The newest change of each row that was applied; the number 0 before any was.
    pub(super) log: [(u8, Content); ROWS],
    /// The marks of these changes.
    marks: [u8; ROWS],
    /// The marks of all changes with this number and content, as bits, for the checker: each of their senders knows what the row is.
    same: [u8; ROWS],
    /// True if a device has overwritten a change of which it did not know.
    pub(super) unseen: bool,
}

impl Server {
    /// Applies a batch in one transaction.
    pub(super) fn apply(
        &mut self,
        scope: Scope,
        batch: &[Change],
        defect: Option<Defect>,
    ) -> Vec<(Change, Outcome)> {
        let mut outcomes: Vec<(Change, Outcome)> = Vec::new();
        let mut left = batch.to_vec();
        // Decided by what was applied before.
        left.retain(|change| {
            let (number, content) = self.log[change.row];
            let knows = self.knows(change, defect);
            let outcome = match change.number.cmp(&number) {
                std::cmp::Ordering::Less if defect != Some(Defect::OlderApplied) => Outcome::Older(number),
                std::cmp::Ordering::Equal if content == change.content => Outcome::Applied,
                // Another one has used the number.
                std::cmp::Ordering::Equal if !knows => Outcome::Older(number),
                std::cmp::Ordering::Equal => Outcome::Refused,
                std::cmp::Ordering::Greater if !knows => Outcome::Older(number),
                _ => return true,
            };
            if outcome == Outcome::Applied && scope == Scope::Copied {
                self.same[change.row] |= 1 << change.given[usize::from(number)];
            }
            outcomes.push((*change, outcome));
            false
        });
        outcomes.extend(self.round(scope, &left, defect));
        outcomes.sort_unstable();
        outcomes
    }

    /// The sender knows the newest change of its row. One from before the first number that it gives out, or has an answer for, is of a server
    /// that was restored.
    fn knows(&self, change: &Change, defect: Option<Defect>) -> bool {
        let (number, mark) = (self.log[change.row].0, self.marks[change.row]);
        let first = change.given.iter().position(|given| *given > 0).unwrap_or(usize::MAX);
        let is_own = usize::from(number) < first || [mark, ANY].contains(&change.given[usize::from(number)]);
        (number <= change.known || defect == Some(Defect::CopiesOverwrite))
            && (is_own || matches!(defect, Some(Defect::NumbersAlone | Defect::CopiesOverwrite)))
    }

    fn round(&mut self, scope: Scope, changes: &[Change], defect: Option<Defect>) -> Vec<(Change, Outcome)> {
        let is_early = |at: usize| {
            let row = changes[at].row;
            let refers = |change: &Change| change.content.is_some() && scope.parent(change.row) == Some(row);
            !changes[..at].iter().any(refers)
        };
        let (deletes, mut puts): (Vec<usize>, Vec<usize>) =
            (0..changes.len()).partition(|at| changes[*at].content.is_none());
        puts.sort_by_key(|at| scope.parent(changes[*at].row).is_some());
        let (early, late): (Vec<usize>, Vec<usize>) = deletes.into_iter().partition(|at| is_early(*at));
        let order: Vec<usize> = early.into_iter().chain(puts).chain(late).collect();
        let mut outcomes = vec![None; changes.len()];
        loop {
            let mut applied = false;
            for at in &order {
                if outcomes[*at] != Some(Outcome::Applied) {
                    outcomes[*at] = Some(self.write(scope, changes[*at], defect));
                    applied |= outcomes[*at] == Some(Outcome::Applied);
                }
            }
            if !applied || defect == Some(Defect::NoSecondTry) {
                break;
            }
        }
        if defect != Some(Defect::NoExchange) && defect != Some(Defect::NoSecondTry) {
            self.exchange(scope, changes, &mut outcomes);
        }
        changes.iter().copied().zip(outcomes.into_iter().flatten()).collect()
    }

    fn write(&mut self, scope: Scope, change: Change, defect: Option<Defect>) -> Outcome {
        let Change { row, number, given, follows, content, .. } = change;
        match (content, scope.parent(row)) {
            (None, _) => {
                let child =
                    (0..ROWS).find(|child| scope.parent(*child) == Some(row) && self.rows[*child].is_some());
                if let Some(child) = child {
                    return Outcome::Blocked(child, self.log[child].0);
                }
            }
            (Some(BAD), _) => return Outcome::Refused,
            (Some(_), Some(parent)) if self.rows[parent].is_none() => {
                let is_deleted = self.log[parent].0 > 0 && self.log[parent].1.is_none();
                let may_arrive = defect == Some(Defect::DeletedRowsMayArrive);
                return if is_deleted && !may_arrive {
                    Outcome::Blocked(parent, self.log[parent].0)
                } else {
                    Outcome::Waits(parent)
                };
            }
            (Some(_), Some(_)) => {}
            (Some(value), None) => {
                let holder = (0..ROWS).find(|other| {
                    *other != row && scope.parent(*other).is_none() && self.rows[*other] == Some(value)
                });
                if let Some(holder) = holder {
                    return Outcome::Blocked(holder, self.log[holder].0);
                }
            }
        }
        let before = self.log[row].0;
        let is_judged = scope == Scope::Copied && before > 0;
        self.unseen |= is_judged && follows[usize::from(before)] & self.same[row] == 0;
        self.rows[row] = content;
        self.set_mark(scope, row, given[usize::from(number)]);
        self.log[row] = if content.is_none() && defect == Some(Defect::DeletionsForgotten) {
            (0, None)
        } else {
            (number, content)
        };
        Outcome::Applied
    }

    fn set_mark(&mut self, scope: Scope, row: RowAt, mark: u8) {
        self.marks[row] = mark;
        self.same[row] = if scope == Scope::Copied { 1 << mark } else { 0 };
    }

    /// Rows that are there and have each other's values.
    fn exchange(&mut self, scope: Scope, changes: &[Change], outcomes: &mut [Option<Outcome>]) {
        let mut blocked: Vec<usize> = (0..changes.len())
            .filter(|at| {
                matches!(outcomes[*at], Some(Outcome::Blocked(..)))
                    && changes[*at].content.is_some()
                    && self.rows[changes[*at].row].is_some()
                    && scope.parent(changes[*at].row).is_none()
            })
            .collect();
        // The rows that have their values are among them.
        loop {
            let among: Vec<_> = blocked.iter().map(|at| changes[*at].row).collect();
            blocked.retain(|at| {
                let holder = (0..ROWS).find(|other| {
                    *other != changes[*at].row
                        && scope.parent(*other).is_none()
                        && self.rows[*other] == changes[*at].content
                });
                holder.is_none_or(|holder| among.contains(&holder))
            });
            if blocked.len() == among.len() {
                break;
            }
        }
        if blocked.len() < 2 {
            return;
        }
        for at in blocked {
            let Change { row, number, content, .. } = changes[at];
            (self.rows[row], self.log[row]) = (content, (number, content));
            self.set_mark(scope, row, changes[at].given[usize::from(number)]);
            outcomes[at] = Some(Outcome::Applied);
        }
    }
}
