//! The part of the model that is checked. All of it at once would have too many states.

/// The steps of clients and operators that are checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everything that happens on one server: calls, callers' transactions, imports, forgotten UUIDs, purges, statements
    /// that arrive late, crashes of the server.
    Calls,
    /// A map that is restored from its backup and fenced, and clients that reserved ids and cached pairs before.
    Operations,
}

impl Scope {
    pub(crate) fn has_calls(self) -> bool {
        self == Scope::Calls
    }

    /// The number of fences.
    pub(crate) fn fences(self) -> u8 {
        match self {
            Scope::Calls => 0,
            Scope::Operations => 2,
        }
    }
}
