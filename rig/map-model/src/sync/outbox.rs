//! The outbox of a device, modeled on `crates/idgen-outbox`.

use crate::sync::change::{ANY, Change, Content, Marks, Outcome, ROWS, RowAt};
use crate::sync::defect::Defect;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    Pending,
    Done,
    Refused,
}

/// The newest change of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    pub(super) number: u8,
    /// The highest number that was sent, or that the server has named.
    pub(super) sent: u8,
    /// The marks of what it gave out since the last answer, with the answered number.
    pub(super) given: Marks,
    /// Which changes the content follows, for the checker.
    pub(super) follows: Marks,
    pub(super) content: Content,
    pub(super) state: State,
    pub(super) needs: Option<RowAt>,
    /// It waits until some time.
    pub(super) asleep: bool,
    pub(super) resent: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Outbox {
    pub(super) entries: [Option<Entry>; ROWS],
    /// The rows in the order in which they are sent.
    order: Vec<RowAt>,
}

impl Outbox {
    /// The content of the row on the device itself.
    pub(super) fn content(&self, row: RowAt) -> Content {
        self.entries[row].and_then(|entry| entry.content)
    }

    fn move_to_end(&mut self, row: RowAt) {
        self.order.retain(|other| *other != row);
        self.order.push(row);
    }

    pub(super) fn change(&mut self, row: RowAt, content: Content) {
        let before = self.entries[row];
        let number = before.map_or(0, |entry| entry.number) + 1;
        if before.is_none_or(|entry| entry.state != State::Pending) {
            self.move_to_end(row);
        }
        let (sent, given, follows) =
            before.map_or_else(Default::default, |entry| (entry.sent, entry.given, entry.follows));
        let state = State::Pending;
        self.entries[row] = Some(Entry {
            number,
            sent,
            given,
            follows,
            content,
            state,
            needs: None,
            asleep: false,
            resent: false,
        });
        self.release(row);
    }

    /// The next changes, at most this many. They are noted as sent, with a mark for each new number.
    pub(super) fn batch(&mut self, most: usize, mark: u8, defect: Option<Defect>) -> Vec<Change> {
        let mut batch = self.next(most, defect);
        for change in &mut batch {
            let Some(entry) = &mut self.entries[change.row] else { continue };
            let at = usize::from(change.number);
            // What the row was before: whoever gave it out.
            if entry.given == Marks::default() {
                entry.given[usize::from(entry.sent)] = ANY;
            }
            if entry.given[at] == 0 {
                entry.given[at] = mark;
            }
            entry.follows[at] |= 1 << entry.given[at];
            (change.given, change.follows) = (entry.given, entry.follows);
            if defect != Some(Defect::SendingUnnoted) {
                entry.sent = entry.sent.max(change.number);
            }
        }
        batch
    }

    /// The rows that wait for each other in a circle with this one; `None` if it is in no circle.
    fn circle(&self, first: RowAt) -> Option<Vec<RowAt>> {
        let (mut circle, mut next) = (Vec::new(), first);
        while !circle.contains(&next) {
            circle.push(next);
            next = self.entries[next].filter(|entry| entry.state == State::Pending)?.needs?;
        }
        (next == first).then_some(circle)
    }

    fn next(&self, most: usize, defect: Option<Defect>) -> Vec<Change> {
        let pending = |row: RowAt| self.entries[row].filter(|entry| entry.state == State::Pending);
        let sent = |row: RowAt, entry: Entry| {
            let Entry { number, sent: known, given, follows, content, .. } = entry;
            Change { row, number, known, given, follows, content }
        };
        let mut batch: Vec<Change> = Vec::new();
        for first in &self.order {
            let is_first = batch.is_empty();
            let mut next = pending(*first).filter(|entry| !entry.asleep).map(|entry| (*first, entry));
            while let Some((row, entry)) = next.take() {
                if batch.iter().any(|change| change.row == row) {
                    break;
                }
                // A row is sent together with the one that it waits for.
                if batch.len() >= most {
                    // Without each other, the rows of a circle would wait for ever.
                    if is_first
                        && defect != Some(Defect::CirclesAreCut)
                        && let Some(circle) = self.circle(*first)
                    {
                        return circle.into_iter().filter_map(|row| Some(sent(row, pending(row)?))).collect();
                    }
                    return batch;
                }
                batch.push(sent(row, entry));
                next = entry.needs.and_then(|row| Some((row, pending(row)?)));
            }
        }
        batch
    }

    pub(super) fn answered(&mut self, change: Change, outcome: Outcome, defect: Option<Defect>) {
        let row = change.row;
        let Some(entry) = self.entries[row] else { return };
        let is_newest = entry.number == change.number || defect == Some(Defect::AnswersWithoutNumber);
        let counts = is_newest
            || defect == Some(Defect::OlderAnswersCount)
                && matches!(outcome, Outcome::Older(newest) if newest >= entry.number);
        match (entry.state, outcome) {
            // The server has a change of which this device does not know, and would be overwritten by the next one.
            (State::Pending, Outcome::Older(newest))
                if change.number < entry.number
                    && !(change.number < newest && newest <= entry.sent)
                    && defect != Some(Defect::OlderAnswersCount) =>
            {
                self.older(row, newest, defect);
            }
            _ if !counts => {}
            (State::Pending | State::Refused, Outcome::Applied) => self.done(row),
            (State::Pending, Outcome::Older(_)) if entry.resent => {
                self.done(row);
            }
            (State::Pending, Outcome::Older(newest)) => {
                self.older(row, newest, defect);
            }
            (State::Pending, Outcome::Refused) => self.refuse(row, defect),
            (State::Pending, Outcome::Waits(needs) | Outcome::Blocked(needs, _)) => {
                let other = self.entries[needs];
                let is_refused = other.is_some_and(|entry| entry.state == State::Refused);
                let is_final = match outcome {
                    Outcome::Blocked(_, number) => match defect {
                        Some(Defect::BlockedIsFinal) => true,
                        Some(Defect::BlockedWithoutNumber) => {
                            other.is_none_or(|entry| entry.state != State::Pending)
                        }
                        _ => is_refused || other.is_none_or(|entry| entry.number <= number),
                    },
                    _ => is_refused && defect != Some(Defect::RefusalsStayAlone),
                };
                if is_final {
                    self.refuse(row, defect);
                } else if let Some(entry) = &mut self.entries[row] {
                    entry.asleep = defect != Some(Defect::WaitsWithoutPause);
                    self.move_to_end(row);
                }
                if let Some(entry) = &mut self.entries[row] {
                    entry.needs = Some(needs);
                }
            }
            _ => {}
        }
    }

    fn done(&mut self, row: RowAt) {
        if let Some(entry) = &mut self.entries[row] {
            let mut given = Marks::default();
            given[usize::from(entry.number)] = entry.given[usize::from(entry.number)];
            *entry = Entry {
                state: State::Done,
                given,
                sent: entry.sent.max(entry.number),
                needs: None,
                asleep: false,
                resent: false,
                ..*entry
            };
        }
        self.order.retain(|other| *other != row);
        self.release(row);
    }

    fn older(&mut self, row: RowAt, newest: u8, defect: Option<Defect>) {
        self.refuse(row, defect);
        if let Some(entry) = &mut self.entries[row] {
            entry.number = newest.max(entry.number);
            entry.sent = newest;
            // The user decides about it, whoever made it.
            entry.given = Marks::default();
            entry.given[usize::from(newest)] = ANY;
            entry.follows[usize::from(newest)] = u8::MAX;
        }
    }

    fn refuse(&mut self, row: RowAt, defect: Option<Defect>) {
        if let Some(entry) = &mut self.entries[row] {
            *entry = Entry { state: State::Refused, needs: None, asleep: false, resent: false, ..*entry };
        }
        self.order.retain(|other| *other != row);
        if defect == Some(Defect::RefusalsStayAlone) {
            return;
        }
        for other in 0..ROWS {
            let Some(entry) = &mut self.entries[other] else { continue };
            if other != row && entry.state == State::Pending && entry.needs == Some(row) {
                (entry.state, entry.asleep) = (State::Refused, false);
                self.order.retain(|at| *at != other);
            }
        }
    }

    /// Sends the rows again that need a row.
    fn release(&mut self, row: RowAt) {
        for other in 0..ROWS {
            let Some(entry) = &mut self.entries[other] else { continue };
            if other != row && entry.state != State::Done && entry.needs == Some(row) {
                (entry.state, entry.needs, entry.asleep) = (State::Pending, None, false);
                self.move_to_end(other);
            }
        }
    }

    /// The time is over until which changes wait.
    pub(super) fn wake(&mut self) {
        self.entries.iter_mut().flatten().for_each(|entry| entry.asleep = false);
    }

    pub(super) fn resend(&mut self) {
        for row in 0..ROWS {
            let Some(entry) = &mut self.entries[row] else { continue };
            if entry.state == State::Done {
                (entry.state, entry.resent) = (State::Pending, true);
                self.move_to_end(row);
            }
        }
    }
}
