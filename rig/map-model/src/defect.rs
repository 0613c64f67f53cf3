//! Remedies that are taken out of the design, to show that the checker notices.

use crate::promises as property;
use crate::scope::Scope;
use crate::world::Index;

/// A remedy that is missing, or a design that was published or tried before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// Closing a client compares the end of its block with the next id, and not the epoch.
    GiveBackIgnoresEpoch,
    /// Giving back a block is repeated after a lost answer.
    GiveBackRepeated,
    /// A block begins where the server's answer says, which is 0 if the state table has a trigger.
    AnswerBelieved,
    /// The ids of a block are used before its reservation is committed, or after its answer was lost.
    BlockUsedBeforeCommit,
    /// An id is used for another UUID after the answer to its statement was lost.
    IdReusedAfterLostAnswer,
    /// The map is asked before the claim.
    LookBeforeClaim,
    /// A claim that did not exist shows that the UUID is new, and claims are deleted after some time.
    NewClaimMeansNewUuid,
    /// Claims of running transactions are deleted.
    RunningClaimsPurged,
    /// A caller's transaction looks for the pair in its own snapshot only.
    SnapshotBelieved,
    /// A pair that only the caller's snapshot shows is returned, although it may have been forgotten.
    SnapshotNotConfirmed,
    /// A named lock takes the place of the claim. It is released before the commit.
    LockReleasedBeforeCommit,
    /// The cluster rolls the transaction back, and the rest of a text of several statements is carried out outside of it.
    TextGoesOnAfterRollback,
    /// A look-up that returns nothing shows that there is no pair.
    EmptyLookUpBelieved,
    /// A pair is returned as soon as it is visible, before it is on disk.
    ReadBeforeOnDisk,
    /// A fence does not begin a new epoch.
    FenceKeepsEpoch,
    /// A fence adds one to the epoch, so that an epoch that was lost with the server comes again.
    EpochsRepeat,
    /// A fence does not raise the next id.
    FenceKeepsNextId,
    /// A client keeps its reserved ids in a new epoch.
    BlockKeptOverFence,
    /// A client keeps its cached pairs in a new epoch.
    CacheKeptOverFence,
    /// A client that answers from its cache does not ask for the epoch.
    CacheWithoutAgeLimit,
    /// A backup is restored while the connections of clients stay open.
    ConnectionsSurviveRestore,
    /// An import does not raise the next id.
    ImportKeepsNextId,
    /// An import compares the next id before it stores the pairs, without a lock on the state row.
    ImportComparesEarly,
    /// Forgetting a UUID deletes the row of its id.
    ForgetFreesId,
}

impl Defect {
    /// The property that it violates.
    pub fn violates(self) -> &'static str {
        match self {
            Defect::GiveBackIgnoresEpoch
            | Defect::GiveBackRepeated
            | Defect::AnswerBelieved
            | Defect::BlockUsedBeforeCommit
            | Defect::IdReusedAfterLostAnswer
            | Defect::ImportKeepsNextId
            | Defect::ImportComparesEarly => property::NEXT_ID,
            Defect::LookBeforeClaim
            | Defect::NewClaimMeansNewUuid
            | Defect::RunningClaimsPurged
            | Defect::SnapshotBelieved
            | Defect::LockReleasedBeforeCommit
            | Defect::TextGoesOnAfterRollback
            | Defect::EmptyLookUpBelieved
            | Defect::EpochsRepeat
            | Defect::CacheKeptOverFence
            | Defect::CacheWithoutAgeLimit => property::ONE_ID,
            Defect::SnapshotNotConfirmed | Defect::ReadBeforeOnDisk => property::NOT_LOST,
            Defect::FenceKeepsEpoch | Defect::BlockKeptOverFence => property::FENCED,
            Defect::FenceKeepsNextId | Defect::ConnectionsSurviveRestore => property::ONE_UUID,
            Defect::ForgetFreesId => property::FORGOTTEN_ID,
        }
    }

    /// The indexes that it concerns.
    pub fn indexes(self) -> &'static [Index] {
        match self {
            Defect::GiveBackIgnoresEpoch
            | Defect::GiveBackRepeated
            | Defect::AnswerBelieved
            | Defect::BlockUsedBeforeCommit
            | Defect::IdReusedAfterLostAnswer
            | Defect::ReadBeforeOnDisk
            | Defect::FenceKeepsEpoch
            | Defect::EpochsRepeat
            | Defect::FenceKeepsNextId
            | Defect::BlockKeptOverFence
            | Defect::CacheKeptOverFence
            | Defect::CacheWithoutAgeLimit
            | Defect::ConnectionsSurviveRestore
            | Defect::ImportKeepsNextId
            | Defect::ImportComparesEarly
            | Defect::ForgetFreesId => &[Index::Unique, Index::Dedup],
            Defect::LookBeforeClaim
            | Defect::NewClaimMeansNewUuid
            | Defect::RunningClaimsPurged
            | Defect::SnapshotBelieved
            | Defect::SnapshotNotConfirmed
            | Defect::LockReleasedBeforeCommit
            | Defect::TextGoesOnAfterRollback
            | Defect::EmptyLookUpBelieved => &[Index::Dedup],
        }
    }

    /// The part of the model in which it is found.
    pub fn scope(self) -> Scope {
        match self {
            Defect::GiveBackIgnoresEpoch
            | Defect::FenceKeepsEpoch
            | Defect::EpochsRepeat
            | Defect::FenceKeepsNextId
            | Defect::BlockKeptOverFence
            | Defect::CacheKeptOverFence
            | Defect::CacheWithoutAgeLimit
            | Defect::ConnectionsSurviveRestore => Scope::Operations,
            Defect::GiveBackRepeated
            | Defect::AnswerBelieved
            | Defect::BlockUsedBeforeCommit
            | Defect::IdReusedAfterLostAnswer
            | Defect::LookBeforeClaim
            | Defect::NewClaimMeansNewUuid
            | Defect::RunningClaimsPurged
            | Defect::SnapshotBelieved
            | Defect::SnapshotNotConfirmed
            | Defect::LockReleasedBeforeCommit
            | Defect::TextGoesOnAfterRollback
            | Defect::EmptyLookUpBelieved
            | Defect::ReadBeforeOnDisk
            | Defect::ImportKeepsNextId
            | Defect::ImportComparesEarly
            | Defect::ForgetFreesId => Scope::Calls,
        }
    }
}
