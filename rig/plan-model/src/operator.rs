//! The operator, clients and others, and what is promised to them.

use stateright::{Model, Property};

use crate::world::{FILES, File, State, World};

/// A rule that is taken out of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defect {
    /// The step of the triggers, which empties the new table, may be executed at any time.
    TriggersAgain,
    /// `rename` does not ask whether the verification succeeded.
    RenameWithoutVerify,
    /// `finish` does not ask whether the verification after the renaming succeeded.
    FinishWithoutVerify,
    /// `rename` does not ask whether tables and triggers are those that were verified.
    SignatureIgnored,
    /// What others changed while `rename` or its way back waited for locks is not found.
    NoCheckAfterRename,
    /// The way back of `rename` does not compare what hangs on the new table.
    UndoWithoutCompare,
    /// The way back of `rename` does not ask whether the old table was kept current.
    UndoWithoutSignature,
    /// The step of the triggers does not wait for transactions that were prepared before them.
    PreparedIgnored,
}

const ROWS: &str = "acknowledged rows are in the table that the application reads";
const FINISHED: &str = "the last step removes no row that no other table has";
const ATTACHED: &str = "nothing attached disappears unnamed";

impl Defect {
    /// The property that it violates.
    pub fn violates(self) -> &'static str {
        match self {
            Defect::FinishWithoutVerify => FINISHED,
            Defect::NoCheckAfterRename | Defect::UndoWithoutCompare => ATTACHED,
            _ => ROWS,
        }
    }
}

/// The next step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Execute(File),
    Undo(File),
    Statement,
    Kill,
    Write,
    Prepare,
    Commit,
    DropForwardTrigger,
    DropBackTrigger,
    Truncate,
    ChangeOld,
    ChangeNew,
    DeleteFromNew,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator {
    pub(crate) defect: Option<Defect>,
}

impl Model for Operator {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::begin()]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        if world.is_finished() {
            return;
        }
        match world.running {
            Some(_) => actions.extend([Action::Statement, Action::Kill]),
            None => {
                let may = |file: &File, is_undo| world.may_begin(*file, is_undo, self.defect);
                actions.extend(FILES.into_iter().filter(|file| may(file, false)).map(Action::Execute));
                let back = FILES.into_iter().filter(|file| !file.only_reads() && *file != File::Finish);
                actions.extend(back.filter(|file| may(file, true)).map(Action::Undo));
            }
        }
        match world.prepared {
            Some(_) => actions.push(Action::Commit),
            None if world.writes > 0 => actions.extend([Action::Write, Action::Prepare]),
            None => {}
        }
        if world.events == 0 {
            return;
        }
        let events = [
            (world.forward, Action::DropForwardTrigger),
            (world.back, Action::DropBackTrigger),
            (!world.is_renamed || world.state(File::Rename) == State::Done, Action::Truncate),
            (!world.is_renamed, Action::ChangeOld),
            (world.is_renamed && !world.is_ending, Action::ChangeNew),
            (world.has_new && !world.is_renamed && world.new != 0, Action::DeleteFromNew),
        ];
        actions.extend(events.into_iter().filter(|(may, _)| *may).map(|(_, action)| action));
    }

    fn next_state(&self, last: &World, action: Action) -> Option<World> {
        let mut world = *last;
        match action {
            Action::Execute(file) => world.begin_file(file, false),
            Action::Undo(file) => world.begin_file(file, true),
            Action::Statement => world.step(last.running?, self.defect),
            Action::Kill => world.running = None,
            Action::Write => world.write(),
            Action::Prepare => world.prepare(),
            Action::Commit => world.commit(),
            other => {
                world.events -= 1;
                match other {
                    Action::DropForwardTrigger => world.drop_forward(),
                    Action::DropBackTrigger => world.drop_back(),
                    Action::Truncate => world.truncate(),
                    Action::ChangeOld => world.old_differs = true,
                    Action::ChangeNew => world.new_differs = true,
                    _ => {
                        world.new = 0;
                        let compared = matches!(world.state(File::Verify), State::Open | State::Done);
                        world.is_tampered |= compared && world.unchanged.since_verify;
                    }
                }
            }
        }
        Some(world)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            // While the file that renames has not ended, it may still find that somebody was faster, and rename back.
            Property::<Self>::always(ROWS, |_, world| {
                let renames = matches!(world.state(File::Rename), State::Open | State::Undoing);
                renames || world.is_tampered || world.read() == world.acknowledged
            }),
            Property::<Self>::always(FINISHED, |_, world| world.has_old || world.new == world.acknowledged),
            Property::<Self>::always(ATTACHED, |_, world| !world.has_lost),
            Property::<Self>::sometimes("it is finished after two writes", |_, world| {
                world.is_finished() && world.writes == 0
            }),
            Property::<Self>::sometimes("it is undone after a renaming and a write", |_, world| {
                world.state(File::Rename) == State::Undoing && !world.is_renamed && world.writes < 2
            }),
            Property::<Self>::sometimes("it renamed back at once", |_, world| world.was_faster),
            Property::<Self>::sometimes("it is finished although somebody interfered", |_, world| {
                world.is_finished() && world.events == 0
            }),
            Property::<Self>::sometimes("it renamed while a transaction was prepared", |_, world| {
                world.is_renamed && world.state(File::Rename) == State::Done && world.prepared.is_some()
            }),
        ]
    }
}
