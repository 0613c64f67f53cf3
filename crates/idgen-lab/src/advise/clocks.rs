//! The sentence of advice about the clocks of several hosts.

use super::Found;
use crate::forecast::Load;

/// Explains the effect of clocks that differ on ids that begin with the time, and the remedies; `None` for
/// one writer and for other ids.
pub(super) fn sentence(found: &Found<'_>) -> Option<String> {
    let Found { best, load, .. } = *found;
    let begins_with_time = best.strategy.starts_with("v7-") || best.strategy.starts_with("ulid-");
    if load.writers < 2 || !begins_with_time {
        return None;
    }
    let between = between_millis(load);
    Some(match &load.skew {
        Some(skew) => format!(
            "These figures are those of hosts with {}. A row arrives behind all rows of hosts whose clocks are further ahead, and \
             {between} ms pass between two statements. If the pages are too empty: give each client a name behind a sequential \
             prefix (on InnoDB), let one client insert, or let the database make the ids.",
            skew.text()
        ),
        None => format!(
            "These figures are those of clients with one clock. If the clocks of your hosts differ by more than the {between} ms \
             between two statements, pages are emptier: measure the difference with idgen lab skew, and give it as --skew."
        ),
    })
}

/// Milliseconds between two statements, with two digits.
fn between_millis(load: &Load) -> String {
    let rows = load.clients.map_or(1, |clients| clients.statement_rows) as f64;
    let millis = 1_000.0 * rows / load.rate;
    if millis < 10.0 { format!("{millis:.2}") } else { format!("{millis:.0}") }
}
