//! The parts of an answer.

use std::fmt;

/// The answer of a report: what was compared, what differs, and how sure this is. As text, it is one paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The comparisons; at least one.
    pub parts: Vec<Part>,
    /// Sentences about all parts, or an empty text.
    pub rest: String,
}

/// A comparison: its lead and its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Sentences. Before findings, the last one ends with a colon.
    pub lead: String,
    /// Findings, each without a full stop; empty where the lead contains everything.
    pub findings: Vec<String>,
}

impl Answer {
    /// An answer without a list of findings.
    pub(crate) fn sentences(lead: String) -> Answer {
        Answer { parts: vec![Part { lead, findings: Vec::new() }], rest: String::new() }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.parts.iter().map(|part| match part.findings.as_slice() {
            [] => part.lead.clone(),
            findings => format!("{} {}.", part.lead, findings.join("; ")),
        });
        let rest = (!self.rest.is_empty()).then(|| self.rest.clone());
        f.write_str(&parts.chain(rest).collect::<Vec<_>>().join(" "))
    }
}
