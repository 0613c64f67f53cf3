//! The rights with which triggers execute.

use crate::plan::data::Engine;
use crate::plan::mysql::check::{Check, check};

/// Triggers and procedures execute as the account that made them. MariaDB gives that account its own rights alone, not those of its role
/// (MariaDB, "Roles Overview"), and MySQL those of its default roles, also with `activate_all_roles_on_login`. With rights by another role, the files
/// would be executed, and then each change of a client would fail.
pub(super) fn rights_of_triggers(engine: Engine) -> Check {
    // A grant for a schema may be a pattern.
    let own = "SELECT u.PRIVILEGE_TYPE FROM information_schema.USER_PRIVILEGES AS u WHERE u.GRANTEE = me.grantee \
               UNION SELECT s.PRIVILEGE_TYPE FROM information_schema.SCHEMA_PRIVILEGES AS s WHERE s.GRANTEE = me.grantee \
               AND DATABASE() LIKE s.TABLE_SCHEMA";
    let needed = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRIGGER", "EXECUTE"];
    let needed = needed.map(|right| format!("SELECT '{right}' AS privilege")).join(" UNION ALL ");
    let (purpose, by_role, message) = match engine {
        Engine::MySql => (
            "The account needs its rights itself, or by default roles: triggers execute with these alone.",
            "EXISTS (SELECT 1 FROM information_schema.ENABLED_ROLES AS r WHERE r.IS_DEFAULT = 'NO')",
            "the account itself lacks the privileges above, and has a role that is no default role, without which triggers execute: \
             ALTER USER … DEFAULT ROLE ALL",
        ),
        _ => (
            "The account needs its rights itself, not by a role: triggers execute without roles.",
            "CURRENT_ROLE() IS NOT NULL",
            "the account has the privileges above by its role alone, and triggers execute without roles: grant them to the account itself",
        ),
    };
    check(
        purpose,
        format!(
            "SELECT me.grantee AS account, needed.privilege FROM (SELECT CONCAT('\\'', REPLACE(CURRENT_USER(), '@', '\\'@\\''), '\\'') AS grantee) AS me \
             CROSS JOIN ({needed}) AS needed WHERE {by_role} AND needed.privilege NOT IN ({own})"
        ),
        message,
    )
}
