//! What is measured: groups of cases that do the same work, with our implementations and those of peers.
//!
//! To add a section, add a file with a `groups` function and a line in [`SECTIONS`]. The criterion benches, the
//! interleaving runner and the instruction counts all use that list.

pub mod case;
pub mod codecs;
pub mod generators;
pub mod instructions;
pub mod machine;
pub mod making;
pub mod outside;
pub mod report;
pub mod runner;
pub mod seal;
pub mod soak;
pub mod startup;
pub mod untouched;

use anyhow::{Context, Result};

use case::Section;

/// Everything that is measured, in the order of the report.
pub const SECTIONS: &[Section] = &[codecs::SECTION, generators::SECTION, seal::SECTION, outside::SECTION];

/// The sections with these names, or all of them.
///
/// # Errors
///
/// If a name is not in [`SECTIONS`].
pub fn sections(names: &[String]) -> Result<Vec<&'static Section>> {
    if names.is_empty() {
        return Ok(SECTIONS.iter().collect());
    }
    let known = || SECTIONS.iter().map(|section| section.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| {
            let found = SECTIONS.iter().find(|section| section.name == name);
            found.with_context(|| format!("there is no section \"{name}\": choose from {}", known()))
        })
        .collect()
}
