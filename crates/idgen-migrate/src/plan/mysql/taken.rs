//! Finds names that the plan needs and that something else has: all of them are listed at once, and there is no plan.

use super::texts::{TableText, Texts};
use idgen_database::Result;
use idgen_database::catalog::ForeignKey;

use crate::plan::reasons::of_reasons;

pub(super) fn check(texts: &Texts<'_>, tables: &[TableText]) -> Result<()> {
    let catalog = texts.catalog;
    let mut reasons = Vec::new();
    for text in tables {
        for name in
            [&text.new, &text.old, &text.at].into_iter().filter(|name| catalog.tables.contains_key(*name))
        {
            reasons.push(format!(
                "the table {name} is there already, and the plan for {} needs this name: rename it first",
                text.now
            ));
        }
        for key in &text.foreign {
            let has_name = |other: &&ForeignKey| {
                other.schema == catalog.schema && other.name.eq_ignore_ascii_case(key.name())
            };
            if let Some(other) = catalog.foreign.iter().find(has_name) {
                reasons.push(format!(
                    "the table {} has a foreign key {} already, and the plan for {} needs this name: rename it first",
                    other.table, other.name, text.now
                ));
            }
        }
        let Some(table) = catalog.tables.get(&text.now) else { continue };
        for (name, column) in texts.added(table) {
            if let Some(taken) = table.columns.iter().find(|other| other.name.eq_ignore_ascii_case(&name)) {
                reasons.push(format!(
                    "{0}.{1} is there already, and the plan needs this name for {0}.{column}: rename it first",
                    table.name, taken.name
                ));
            }
        }
    }
    of_reasons(&reasons)
}
