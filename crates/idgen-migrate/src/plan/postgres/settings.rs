//! The settings that each session needs, whatever the server, the role or the client's own file says.

use super::names::BODY;
use crate::plan::data::Statement;

/// Names of settings and their values. A server that does not know one of them does not need it.
const SETTINGS: [(&str, &str); 18] = [
    ("statement_timeout", "0"),
    ("transaction_timeout", "0"),
    ("lock_timeout", "0"),
    ("idle_in_transaction_session_timeout", "0"),
    ("idle_session_timeout", "0"),
    ("default_transaction_read_only", "off"),
    ("default_transaction_isolation", "read committed"),
    ("default_transaction_deferrable", "off"),
    ("search_path", "pg_catalog"),
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
pub(super) fn clean() -> Vec<Statement> {
    let values: Vec<_> = SETTINGS.iter().map(|(name, value)| format!("('{name}', '{value}')")).collect();
    vec![Statement::new(
        "What a server, a role or a client may have set otherwise, and what would change the meaning of the statements below.",
        format!(
            "DO {BODY} BEGIN PERFORM set_config(s.name, wanted.value, false) FROM (VALUES {}) AS wanted (name, value) \
             JOIN pg_catalog.pg_settings AS s ON s.name = wanted.name WHERE s.setting <> wanted.value; END {BODY}",
            values.join(", ")
        ),
    )]
}
