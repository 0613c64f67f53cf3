//! The findings of a check of the map.

use std::fmt;

/// The severity of a [`Finding`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is wrong yet.
    Warning,
    /// Wrong, and [`repair`](crate::UuidMap::repair) fixes it.
    Repairable,
    /// Wrong, and an operator has to decide what is right.
    Broken,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Warning => "warning",
            Severity::Repairable => "repairable",
            Severity::Broken => "broken",
        })
    }
}

/// Something that [`check`](crate::UuidMap::check) found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub(super) severity: Severity,
    pub(super) text: String,
}

impl Finding {
    /// Its severity.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// A description of what was found.
    pub fn text(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.text)
    }
}
