//! What is measured: groups of cases that do the same work, ours and the peers', side by side.
//!
//! A new section is one file with a `groups` function and a line in [`SECTIONS`]; the criterion
//! benches, the interleaving runner and the instruction counts all go through that list.

pub mod case;
pub mod codecs;
pub mod generators;
pub mod instructions;
pub mod machine;
pub mod report;
pub mod runner;
pub mod soak;
pub mod startup;

use anyhow::{Context, Result};

use case::Section;

/// Everything that is measured, in the order of the report.
pub const SECTIONS: &[Section] = &[codecs::SECTION, generators::SECTION];

/// The sections with these names, or all of them.
///
/// # Errors
///
/// A name that is not in [`SECTIONS`].
pub fn sections(names: &[String]) -> Result<Vec<&'static Section>> {
    if names.is_empty() {
        return Ok(SECTIONS.iter().collect());
    }
    let known = || SECTIONS.iter().map(|section| section.name).collect::<Vec<_>>().join(", ");
    names
        .iter()
        .map(|name| {
            let found = SECTIONS.iter().find(|section| section.name == name);
            found.with_context(|| format!("no section \"{name}\": there are {}", known()))
        })
        .collect()
}
