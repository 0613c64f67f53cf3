//! The model: which steps there are. Each is one statement, or one transaction, of a client or an operator.

use stateright::{Model, Property};

use crate::map::{Answer, Map};
use crate::properties::properties;
use crate::world::{CLIENTS, IDS, Id, UUIDS, Uuid, World};

/// A step; the first number is the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    ReadEpoch(usize),
    Reserve(usize, Answer),
    OpenTransaction(usize),
    Find(usize, Uuid),
    Insert(usize, Uuid, Answer),
    LookFirst(usize, Uuid),
    Claim(usize, Uuid),
    Look(usize, Answer),
    Store(usize, Answer),
    ReleaseLock(usize),
    ClusterEnds(usize),
    CommitTransaction(usize, Answer),
    RollBack(usize),
    AnswerFromCache(usize),
    Displace(usize),
    Close(usize, Answer),
    KillClient(usize),
    KillServer,
    LateStatement,
    LateStatementFails,
    Purge,
    Forget(Uuid),
    ImportPair(Uuid, Id),
    CommitImport,
    BackUp,
    Restore,
    Fence(Id),
    FenceReturns,
}

impl Model for Map {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::begin()]
    }

    fn actions(&self, _: &World, actions: &mut Vec<Action>) {
        let answers = [Answer::Received, Answer::Lost, Answer::Late, Answer::Wrong];
        let uuids = 1..=UUIDS as Uuid;
        for client in 0..CLIENTS {
            actions.extend([
                Action::ReadEpoch(client),
                Action::OpenTransaction(client),
                Action::ReleaseLock(client),
                Action::ClusterEnds(client),
                Action::RollBack(client),
                Action::AnswerFromCache(client),
                Action::Displace(client),
                Action::KillClient(client),
            ]);
            for answer in answers {
                actions.extend([
                    Action::Reserve(client, answer),
                    Action::Look(client, answer),
                    Action::Store(client, answer),
                    Action::CommitTransaction(client, answer),
                    Action::Close(client, answer),
                ]);
            }
            for uuid in uuids.clone() {
                actions.extend([
                    Action::Find(client, uuid),
                    Action::LookFirst(client, uuid),
                    Action::Claim(client, uuid),
                ]);
                actions.extend(answers.map(|answer| Action::Insert(client, uuid, answer)));
            }
        }
        actions.extend([Action::KillServer, Action::LateStatement, Action::LateStatementFails]);
        actions.extend([Action::Purge, Action::CommitImport]);
        actions.extend([Action::BackUp, Action::Restore, Action::FenceReturns]);
        actions.extend(uuids.clone().map(Action::Forget));
        for id in 1..=IDS as Id {
            actions.push(Action::Fence(id));
            actions.extend(uuids.clone().map(|uuid| Action::ImportPair(uuid, id)));
        }
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let mut next = *world;
        let taken = self.take(&mut next, action);
        if !self.scope.has_calls() {
            // No server is killed there.
            next.not_on_disk = 0;
        }
        (taken && next != *world).then(|| next.canonical())
    }

    fn properties(&self) -> Vec<Property<Map>> {
        properties(self)
    }
}

impl Map {
    /// Takes a step; false if it cannot be taken now.
    fn take(&self, world: &mut World, action: Action) -> bool {
        match action {
            Action::ReadEpoch(client) => self.read_epoch(world, client),
            Action::Reserve(client, answer) => self.reserve(world, client, answer),
            Action::OpenTransaction(client) => self.open_transaction(world, client),
            Action::Find(client, uuid) => self.find(world, client, uuid),
            Action::Insert(client, uuid, answer) => self.insert(world, client, uuid, answer),
            Action::LookFirst(client, uuid) => self.look_first(world, client, uuid),
            Action::Claim(client, uuid) => self.claim(world, client, uuid),
            Action::Look(client, answer) => self.look(world, client, answer),
            Action::Store(client, answer) => self.store(world, client, answer),
            Action::ReleaseLock(client) => self.release_lock(world, client),
            Action::ClusterEnds(client) => self.cluster_ends(world, client),
            Action::CommitTransaction(client, answer) => self.commit_transaction(world, client, answer),
            Action::RollBack(client) => self.roll_back(world, client),
            Action::AnswerFromCache(client) => self.answer_from_cache(world, client),
            Action::Displace(client) => world.clients[client].cached.take().is_some(),
            Action::Close(client, answer) => self.close(world, client, answer),
            Action::KillClient(client) => self.kill_client(world, client),
            Action::KillServer => self.kill_server(world),
            Action::LateStatement => self.late_statement(world),
            Action::LateStatementFails => world.late.take().is_some(),
            Action::Purge => self.purge(world),
            Action::Forget(uuid) => self.forget(world, uuid),
            Action::ImportPair(uuid, id) => self.import_pair(world, uuid, id),
            Action::CommitImport => self.commit_import(world),
            Action::BackUp => self.back_up(world),
            Action::Restore => self.restore(world),
            Action::Fence(id) => self.fence(world, id),
            Action::FenceReturns => self.fence_returns(world),
        }
    }
}
