//! Remedies that are taken out of the design, to show that the checker notices.

use crate::sync::change::Scope;

/// A property that holds in every state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// The loop that sends batches until there is none ends, whatever waits.
    LoopsEnd,
    /// Every change is applied or refused, unless it waits for a row that has not arrived.
    QueuesDrain,
    /// The server has all changes that it reported to a device as applied, and in the end everything that the devices
    /// have.
    NothingLost,
    /// The server takes the changes of a device whose own rows agree with each other.
    NothingRefused,
    /// Only the answer for the newest change of a row has an effect.
    AnswersCount,
    /// A device that was restored or copied overwrites nothing of which it does not know.
    NothingUnseen,
}

impl Promise {
    /// All of them.
    pub const ALL: [Promise; 6] = [
        Promise::LoopsEnd,
        Promise::QueuesDrain,
        Promise::NothingLost,
        Promise::NothingRefused,
        Promise::AnswersCount,
        Promise::NothingUnseen,
    ];

    /// The name of the property.
    pub fn name(self) -> &'static str {
        match self {
            Promise::LoopsEnd => "loops end",
            Promise::QueuesDrain => "queues drain",
            Promise::NothingLost => "nothing is lost",
            Promise::NothingRefused => "nothing is refused",
            Promise::AnswersCount => "answers of older changes do nothing",
            Promise::NothingUnseen => "nothing is overwritten unseen",
        }
    }
}

/// A remedy that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A change that waits is part of the next batch.
    WaitsWithoutPause,
    /// A row that refers to a deleted row waits for it.
    DeletedRowsMayArrive,
    /// Rows that wait for a refused row go on waiting.
    RefusalsStayAlone,
    /// The outbox refuses a change that another row stands in the way of, although it has a change of that row.
    BlockedIsFinal,
    /// The answer about a row in the way does not say which change of it the server has.
    BlockedWithoutNumber,
    /// Rows that exchange their unique values are refused.
    NoExchange,
    /// A circle of rows that exchange their values is cut where a batch ends.
    CirclesAreCut,
    /// A change that failed is not tried again after the rest of its batch.
    NoSecondTry,
    /// The server does not remember deletions.
    DeletionsForgotten,
    /// The server applies changes that are older than applied ones.
    OlderApplied,
    /// An answer for an older change says that the server has a newer one, and the newest change is refused.
    OlderAnswersCount,
    /// An answer does not name the number of its change.
    AnswersWithoutNumber,
    /// Nothing is sent again after the server was restored.
    NoResend,
    /// The server applies a change with a higher number, although the device does not know the one before.
    CopiesOverwrite,
    /// Numbers have no marks: a device and its copy give out the same number, and the answer that tells them apart may be lost.
    NumbersAlone,
    /// The outbox does not note what it gives out to be sent.
    SendingUnnoted,
}

impl Defect {
    /// The promise that it breaks.
    pub fn breaks(self) -> Promise {
        match self {
            Defect::WaitsWithoutPause => Promise::LoopsEnd,
            Defect::DeletedRowsMayArrive
            | Defect::RefusalsStayAlone
            | Defect::NoExchange
            | Defect::CirclesAreCut
            | Defect::NoSecondTry => Promise::QueuesDrain,
            Defect::BlockedIsFinal | Defect::BlockedWithoutNumber => Promise::NothingRefused,
            Defect::SendingUnnoted => Promise::NothingRefused,
            Defect::CopiesOverwrite | Defect::NumbersAlone => Promise::NothingUnseen,
            Defect::DeletionsForgotten
            | Defect::OlderApplied
            | Defect::AnswersWithoutNumber
            | Defect::NoResend => Promise::NothingLost,
            Defect::OlderAnswersCount => Promise::AnswersCount,
        }
    }

    /// The part of the model in which it is found.
    pub fn scope(self) -> Scope {
        match self {
            Defect::WaitsWithoutPause | Defect::DeletedRowsMayArrive => Scope::TwoDevices,
            Defect::RefusalsStayAlone => Scope::Family,
            Defect::BlockedIsFinal
            | Defect::BlockedWithoutNumber
            | Defect::NoExchange
            | Defect::NoSecondTry => Scope::Exchange,
            Defect::DeletionsForgotten
            | Defect::OlderApplied
            | Defect::OlderAnswersCount
            | Defect::AnswersWithoutNumber
            | Defect::NoResend => Scope::Restored,
            Defect::CopiesOverwrite | Defect::NumbersAlone => Scope::Copied,
            Defect::CirclesAreCut => Scope::Circle,
            // No device is restored there, so that nothing else is refused.
            Defect::SendingUnnoted => Scope::Exchange,
        }
    }
}
