//! A map to check: which index it has, which part of it is looked at, and what is missing.

use crate::defect::Defect;
use crate::scope::Scope;
use crate::world::Index;

#[derive(Clone, Copy, Debug)]
pub struct Map {
    pub index: Index,
    pub scope: Scope,
    pub defect: Option<Defect>,
}

impl Map {
    pub fn has(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }
}

/// The fate of a statement that changes something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    Received,
    /// It was executed, and the client does not get the answer.
    Lost,
    /// The client does not wait any longer, and the server carries it out later or never.
    Late,
    /// The client receives an answer that is not true.
    Wrong,
}
