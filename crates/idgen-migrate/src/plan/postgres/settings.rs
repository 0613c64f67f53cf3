//! The settings that each session needs, whatever the server, the role or the client's own file says.

use super::names::{BODY, hash};
use crate::plan::data::Statement;

/// Names of settings and their values. A server that does not know one of them does not need it. The search path stays: triggers
/// and operators of users need it, so the statements name the schema of each table and function of theirs.
const SETTINGS: [(&str, &str); 17] = [
    ("statement_timeout", "0"),
    ("transaction_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("idle_session_timeout", "0"),
    ("default_transaction_read_only", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_deferrable", "off"),
    ("standard_conforming_strings", "on"),
    ("backslash_quote", "safe_encoding"),
    ("transform_null_equals", "off"),
    ("row_security", "off"),
    ("client_encoding", "UTF8"),
    ("DateStyle", "ISO, MDY"),
    ("IntervalStyle", "postgres"),
    ("bytea_output", "hex"),
    ("extra_float_digits", "1"),
];

/// The statement with which a session begins. Only what differs is set: some of the settings need rights.
pub(super) fn clean() -> Statement {
    Statement::new(
        "What a server, a role or a client may have set otherwise, and what would change the meaning of the statements below.",
        format!("DO {BODY} BEGIN {} END {BODY}", set(false)),
    )
}

/// The statements with which the session of each file of a plan begins.
pub(super) fn of_plan(id: &str) -> Vec<Statement> {
    let key = hash(id.as_bytes()) as i64;
    let lock = format!(
        "DO {BODY} BEGIN IF NOT pg_catalog.pg_try_advisory_lock({key}) THEN RAISE EXCEPTION 'the process % executes a file of this plan: wait \
         until it has ended, or end it with pg_terminate_backend', (SELECT l.pid FROM pg_catalog.pg_locks AS l WHERE l.locktype = 'advisory' AND \
         l.granted AND ((l.classid::bigint << 32) | l.objid::bigint) = {key} LIMIT 1); END IF; END {BODY}"
    );
    vec![clean(), Statement::new("Only one session at a time executes a file of the plan.", lock)]
}

/// Returns a statement that sets these settings for one transaction of the planning. Without schemas to search, names
/// in the texts of defaults and predicates are complete.
pub(super) fn of_transaction(milliseconds: u128) -> String {
    format!(
        "DO {BODY} BEGIN {} PERFORM pg_catalog.set_config('search_path', 'pg_catalog', true); \
         PERFORM pg_catalog.set_config('statement_timeout', '{milliseconds}', true); END {BODY}",
        set(true)
    )
}

fn set(local: bool) -> String {
    let values: Vec<_> = SETTINGS.iter().map(|(name, value)| format!("('{name}', '{value}')")).collect();
    format!(
        "PERFORM pg_catalog.set_config(s.name, wanted.value, {local}) FROM (VALUES {}) AS wanted (name, value) \
         JOIN pg_catalog.pg_settings AS s ON s.name = wanted.name WHERE s.setting <> wanted.value;",
        values.join(", ")
    )
}
