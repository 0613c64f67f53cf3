//! The names of what a plan makes for itself. Each contains the identity of the plan, so that two plans share nothing.

use serde::Serialize;

use super::settings;
use crate::plan::data::Engine;

/// Names of the plan itself in the schema, and what differs between the servers.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Names {
    pub(super) id: String,
    /// The name of the lock that allows one file at a time, and the beginning of all other names.
    pub(super) lock: String,
    /// The variable of a session that shows whether all statements of a file reach the same session.
    pub(super) session: String,
    /// The ledger: one row for each step.
    pub(super) steps: String,
    /// The table of the lines that describe the new tables, as `triggers-back` left them.
    pub(super) attached: String,
    /// The table of the times at which the tables were altered.
    pub(super) altered: String,
    pub(super) phase: String,
    pub(super) phase_after: String,
    pub(super) phase_before: String,
    pub(super) control: String,
    pub(super) guard: String,
    pub(super) checks: String,
    pub(super) after: String,
    pub(super) work: String,
    pub(super) busy: String,
    pub(super) copy: String,
    pub(super) verify: String,
    pub(super) repair: String,
    pub(super) ending: String,
    /// With `--to integer`: the procedures that ask the map, the reserved integers and the table whose counter draws them.
    pub(super) claim: String,
    pub(super) bytes: String,
    pub(super) block: String,
    pub(super) ids: String,
    pub(super) reserve: String,
    pub(super) clear: String,
    /// The table of the server's counters.
    status: &'static str,
    /// The clause of a locking read that does not wait.
    share: &'static str,
    /// The words before a statement of a trigger that may read rows newer than the client's snapshot: with `innodb_snapshot_isolation`, MariaDB would end
    /// the client's transaction with error 1020. The rows are the plan's, and the client has not read them.
    any_age: &'static str,
    /// A table of InnoDB that is shown only with the privilege PROCESS.
    of_process: &'static str,
    pub(super) is_mysql: bool,
    /// The statement that sets the strict mode of the files again.
    strict: String,
}

impl Names {
    pub(super) fn new(engine: Engine, id: &str, has_snapshot_isolation: bool) -> Names {
        let is_mysql = engine == Engine::MySql;
        let own = |name: &str| format!("idgen_{id}_{name}");
        Names {
            id: id.to_owned(),
            lock: format!("idgen_{id}"),
            session: own("session"),
            steps: own("steps"),
            attached: own("attached"),
            altered: own("altered"),
            phase: own("phase"),
            phase_after: own("phase_after"),
            phase_before: own("phase_before"),
            control: own("control"),
            guard: own("guard"),
            checks: own("checks"),
            after: own("after"),
            work: own("work"),
            busy: own("busy"),
            copy: own("copy"),
            verify: own("verify"),
            repair: own("repair"),
            ending: own("ending"),
            claim: own("claim"),
            bytes: own("bytes"),
            block: own("block"),
            ids: own("ids"),
            reserve: own("reserve"),
            clear: own("clear"),
            status: if is_mysql {
                "performance_schema.global_status"
            } else {
                "information_schema.GLOBAL_STATUS"
            },
            share: if is_mysql { "FOR SHARE NOWAIT" } else { "LOCK IN SHARE MODE" },
            any_age: if has_snapshot_isolation {
                "SET STATEMENT innodb_snapshot_isolation = 0 FOR "
            } else {
                ""
            },
            of_process: if is_mysql { "INNODB_TABLESPACES" } else { "INNODB_SYS_TABLES" },
            is_mysql,
            strict: settings::strict(),
        }
    }

    /// The ending of a name that is made from a table's name.
    pub(super) fn ending(&self, what: &str) -> String {
        ending(&self.id, what)
    }
}

/// The ending of a name that the plan with this identity makes from a table's name.
pub(super) fn ending(id: &str, what: &str) -> String {
    format!("_{id}_{what}")
}
