//! The steps, and what holds in each state.

use stateright::{Checker, HasDiscoveries, Model, Property};

use crate::check::Judged;
use crate::sync::change::{BAD, Content, DEVICES, Message, Outcome, ROWS, RowAt, Scope};
use crate::sync::defect::{Defect, Promise};
use crate::sync::outbox::State;
use crate::sync::world::World;

/// A step. Numbers are those of a device, or the place of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Change(RowAt, Content),
    /// A device sends at most this many changes.
    Send(usize, usize),
    Deliver(usize),
    /// It is delivered, and delivered again later.
    DeliverTwice(usize),
    Lose(usize),
    Wake(usize),
    BackUpServer,
    RestoreServer,
    BackUpDevice,
    RestoreDevice,
}

struct Syncing {
    scope: Scope,
    defect: Option<Defect>,
}

impl Model for Syncing {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        let mut world = World::begin();
        if self.scope == Scope::Circle {
            (0..ROWS).for_each(|row| world.devices[0].change(row, Some(self.scope.values(row)[0])));
            let batch = world.devices[0].batch(ROWS, world.mark(self.scope, 0), None);
            let outcomes = world.server.apply(self.scope, &batch, None);
            outcomes
                .into_iter()
                .for_each(|(change, outcome)| world.devices[0].answered(change, outcome, None));
        }
        vec![world.canonical(self.scope)]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for row in 0..self.scope.rows() {
            // A circle needs no deletions, which the other parts have.
            if self.scope != Scope::Circle {
                actions.push(Action::Change(row, None));
            }
            actions.extend(self.scope.values(row).iter().map(|value| Action::Change(row, Some(*value))));
        }
        for device in 0..DEVICES {
            actions.extend([Action::Send(device, self.scope.most()), Action::Wake(device)]);
            if self.scope != Scope::Circle {
                actions.push(Action::Send(device, 1));
            }
        }
        for at in 0..world.network.len() {
            actions.extend([Action::Deliver(at), Action::Lose(at)]);
            // The other parts have few enough states for that.
            if !matches!(self.scope, Scope::Exchange | Scope::Circle) {
                actions.push(Action::DeliverTwice(at));
            }
        }
        if self.scope == Scope::Restored {
            actions.extend([Action::BackUpServer, Action::RestoreServer]);
        }
        if matches!(self.scope, Scope::Restored | Scope::Copied) {
            actions.extend([Action::BackUpDevice, Action::RestoreDevice]);
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = world.clone();
        self.take(&mut next, action)?;
        (next != *world).then(|| next.canonical(self.scope))
    }

    fn properties(&self) -> Vec<Property<Syncing>> {
        let mut properties = vec![
            Property::<Syncing>::always(Promise::LoopsEnd.name(), |model, world| model.end(world).is_some()),
            Property::<Syncing>::always(Promise::QueuesDrain.name(), |model, world| {
                model.end(world).is_none_or(|end| model.has_drained(&end))
            }),
            Property::<Syncing>::always(Promise::NothingLost.name(), |model, world| {
                model.has_what_it_said(world)
                    && model.end(world).is_none_or(|end| model.has_what_it_said(&end))
            }),
            Property::<Syncing>::always(Promise::NothingRefused.name(), |model, world| {
                model.end(world).is_none_or(|end| model.refuses_nothing(&end))
            }),
            Property::<Syncing>::always(Promise::AnswersCount.name(), |model, world| {
                model.refused_as_said(world)
            }),
            Property::<Syncing>::always(Promise::NothingUnseen.name(), |model, world| {
                !world.server.unseen && model.end(world).is_none_or(|end| !end.server.unseen)
            }),
            Property::<Syncing>::sometimes("a message is older than what was applied", |_, world| {
                world.network.iter().any(|message| match message {
                    Message::Answer(_, outcomes) => {
                        outcomes.iter().any(|(_, outcome)| matches!(outcome, Outcome::Older(_)))
                    }
                    Message::Batch(..) => false,
                })
            }),
            Property::<Syncing>::sometimes("the server has every row", |model, world| {
                world.server.rows[..model.scope.rows()].iter().all(Option::is_some)
            }),
        ];
        if self.scope == Scope::Restored {
            properties.push(Property::<Syncing>::sometimes("a restored server lacks a row", |_, world| {
                world.server_restored && world.server.log[0].0 == 0
            }));
        }
        properties
    }
}

impl Syncing {
    fn take(&self, world: &mut World, action: Action) -> Option<()> {
        match action {
            Action::Change(row, content) => self.change(world, row, content),
            Action::Send(device, most) => {
                // More batches on their way add nothing: two can overtake each other.
                (world.network.len() < 2).then_some(())?;
                let mark = world.mark(self.scope, device);
                let batch = world.devices[device].batch(most, mark, self.defect);
                (!batch.is_empty()).then_some(())?;
                world.network.push(Message::Batch(device, batch));
                Some(())
            }
            Action::Deliver(at) => {
                let message = world.network.remove(at);
                self.deliver(world, message);
                Some(())
            }
            Action::DeliverTwice(at) => {
                let message = world.network.get(at)?.clone();
                (world.network.len() < 2).then_some(())?;
                self.deliver(world, message);
                Some(())
            }
            Action::Lose(at) => {
                world.network.remove(at);
                Some(())
            }
            Action::Wake(device) => {
                world.devices[device].wake();
                Some(())
            }
            Action::BackUpServer => {
                (world.server_backup.is_none() && !world.server_restored).then_some(())?;
                world.server_backup = Some(world.server.clone());
                Some(())
            }
            Action::RestoreServer => {
                world.server = world.server_backup.take()?;
                world.server_restored = true;
                // Connections end with the server.
                world.network.clear();
                Some(())
            }
            Action::BackUpDevice => {
                (world.device_backup.is_none() && !world.device_restored).then_some(())?;
                world.device_backup = Some(world.devices[0].clone());
                Some(())
            }
            Action::RestoreDevice => {
                world.devices[0] = world.device_backup.take()?;
                world.device_restored = true;
                // Nobody receives the answers of its connections any more; batches may still arrive.
                world.network.retain(|message| matches!(message, Message::Batch(..)));
                for message in &mut world.network {
                    if let Message::Batch(device, _) = message {
                        *device = 1;
                    }
                }
                Some(())
            }
        }
    }

    /// The rows of a device agree with each other, as its own database sees to.
    fn change(&self, world: &mut World, row: RowAt, content: Content) -> Option<()> {
        let scope = self.scope;
        let device = &mut world.devices[scope.owner(row)];
        let number = device.entries[row].map_or(0, |entry| entry.number);
        (number < scope.numbers(row) && device.content(row) != content).then_some(())?;
        for other in
            (0..scope.rows()).filter(|other| *other != row && scope.owner(*other) == scope.owner(row))
        {
            let there = device.content(other);
            let agrees = match (scope.parent(row), scope.parent(other)) {
                (Some(_), _) => content.is_none() || there.is_some(),
                (_, Some(_)) => content.is_some() || there.is_none(),
                (None, None) => content.is_none() || there != content,
            };
            agrees.then_some(())?;
        }
        device.change(row, content);
        Some(())
    }

    fn deliver(&self, world: &mut World, message: Message) {
        match message {
            Message::Batch(device, batch) => {
                let outcomes = world.server.apply(self.scope, &batch, self.defect);
                for (change, outcome) in &outcomes {
                    if !matches!(outcome, Outcome::Applied) {
                        let said = &mut world.said_no[change.row];
                        *said = change.number.max(*said);
                        if let Outcome::Older(newest) = outcome
                            && *newest >= change.number
                            && world.device_restored
                        {
                            *said = (*newest).max(*said);
                        }
                    }
                }
                world.network.push(Message::Answer(device, outcomes));
            }
            Message::Answer(device, outcomes) => {
                for (change, outcome) in outcomes {
                    world.devices[device].answered(change, outcome, self.defect);
                }
            }
        }
    }

    /// Returns the state of the devices and the server after the loops of the devices; `None` if a loop does not end.
    fn end(&self, world: &World) -> Option<World> {
        let mut world = world.clone();
        world.network.clear();
        if world.server_restored && self.defect != Some(Defect::NoResend) {
            world.devices.iter_mut().for_each(|device| device.resend());
        }
        world.server_restored = false;
        for _ in 0..6 {
            for device in 0..DEVICES {
                let mut batches = 0;
                loop {
                    let mark = world.mark(self.scope, device);
                    let batch = world.devices[device].batch(self.scope.most(), mark, self.defect);
                    if batch.is_empty() {
                        break;
                    }
                    batches += 1;
                    if batches > 12 {
                        return None;
                    }
                    let outcomes = world.server.apply(self.scope, &batch, self.defect);
                    for (change, outcome) in outcomes {
                        world.devices[device].answered(change, outcome, self.defect);
                    }
                }
            }
            world.devices.iter_mut().for_each(|device| device.wake());
        }
        Some(world)
    }

    fn entries<'w>(&self, world: &'w World) -> impl Iterator<Item = (RowAt, &'w crate::sync::outbox::Entry)> {
        let scope = self.scope;
        (0..scope.rows())
            .filter_map(move |row| Some((row, world.devices[scope.owner(row)].entries[row].as_ref()?)))
    }

    fn has_drained(&self, end: &World) -> bool {
        self.entries(end).all(|(row, entry)| {
            entry.state != State::Pending
                || self.scope.parent(row).is_some_and(|parent| {
                    end.server.log[parent].0 == 0 && {
                        // It can still arrive: its device does not know of a refusal, or it is another device's row.
                        let of = end.devices[self.scope.owner(row)].entries[parent];
                        of.is_none_or(|of| of.state != State::Refused)
                    }
                })
                || entry.content.is_none() && self.is_in_the_way(end, row)
        })
    }

    /// A child of another device refers to the row.
    fn is_in_the_way(&self, end: &World, row: RowAt) -> bool {
        (0..self.scope.rows())
            .any(|child| self.scope.parent(child) == Some(row) && end.server.rows[child].is_some())
    }

    /// The server has each change that it reported to a device as applied, or a newer one.
    fn has_what_it_said(&self, world: &World) -> bool {
        // Between its restoration and the next loops, it lacks what the devices have.
        if world.server_restored {
            return true;
        }
        self.entries(world).all(|(row, entry)| {
            let (number, content) = world.server.log[row];
            entry.state != State::Done
                || world.device_restored && number > entry.number
                || number == entry.number && content == entry.content && world.server.rows[row] == content
        })
    }

    /// Only values that the server refuses, references to rows that others have deleted, rows that block other changes,
    /// and devices that use numbers again are refused.
    fn refuses_nothing(&self, end: &World) -> bool {
        self.entries(end).all(|(row, entry)| {
            let parent = self.scope.parent(row);
            entry.state != State::Refused
                || world_is_conflicted(self.scope, end)
                || end.device_restored
                || entry.content == Some(BAD)
                || parent.is_some_and(|parent| end.devices[0].content(parent) == Some(BAD))
        })
    }

    /// A refused change was refused by the server under its own number, or because of another row.
    fn refused_as_said(&self, world: &World) -> bool {
        self.entries(world).all(|(row, entry)| {
            entry.state != State::Refused
                || entry.needs.is_some()
                || world.said_no[row] >= entry.number
                // The server has named a change of the device's earlier life.
                || world.device_restored && world.said_no[row] > 0
        })
    }
}

/// Two devices disagree: one has deleted the row to which the other one refers.
fn world_is_conflicted(scope: Scope, _: &World) -> bool {
    scope == Scope::TwoDevices
}

/// The results of the checker.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of visited states.
    pub states: usize,
    /// The promises that are broken.
    pub broken: Vec<&'static str>,
    /// The states of interest that it did not reach.
    pub unreached: Vec<&'static str>,
    /// The steps that lead to the first state in which a promise is broken, for people.
    pub path: String,
}

/// Visits all states. With a defect, it ends when the promise is broken that this defect breaks.
///
/// ```
/// use map_model::sync::{Defect, check};
///
/// let found = check(Defect::NoExchange.scope(), Some(Defect::NoExchange));
/// assert!(found.broken.contains(&Defect::NoExchange.breaks().name()));
/// ```
pub fn check(scope: Scope, defect: Option<Defect>) -> Report {
    let model = Syncing { scope, defect };
    let properties = model.properties();
    match defect {
        None => report(model.checker().spawn_dfs().join(), &properties),
        Some(defect) => {
            let until = HasDiscoveries::AnyOf([defect.breaks().name()].into());
            report(model.checker().finish_when(until).spawn_bfs().join(), &properties)
        }
    }
}

fn report(checker: impl Checker<Syncing>, properties: &[Property<Syncing>]) -> Report {
    let states = checker.unique_state_count();
    let Judged { violated: broken, unreached, path } = Judged::of(&checker, properties);
    Report { states, broken, unreached, path }
}
