//! Reads the ledgers of plans, and what their next steps would wait for.

use super::change::ABANDON;
use super::names::{hash, quoted};
use crate::plan::data::Engine;
use crate::plan::status::ask::ask;
use crate::plan::status::cells::{cell, texts};
use crate::plan::status::data::{Copied, State, Status, StepStatus};
use idgen_database::{Error, Refused, Result, Session};

/// The steps that need a lock on a table against readers, so that open transactions hold them up.
const SHORT_LOCKS: [&str; 6] = ["prepare", "triggers", "constraints", "text", "switch", "finish"];

/// The plans of the database. A plan's functions and views are called with the rights of this user, so a superuser calls those of superusers
/// only: any role that may make a schema could make one that looks like a plan.
pub(crate) async fn read(session: &mut Session) -> Result<Vec<Status>> {
    let found = session
        .catalog(
            "schemas of plans",
            "SELECT n.nspname, has_schema_privilege(n.oid, 'USAGE'), o.rolname, NOT o.rolsuper AND me.rolsuper FROM pg_namespace AS n \
             JOIN pg_roles AS o ON o.oid = n.nspowner JOIN pg_roles AS me ON me.rolname = current_user WHERE n.nspname ~ '^idgen_[a-z][a-z0-9]{7}$' AND \
             (SELECT count(*) FROM pg_class AS c WHERE c.relnamespace = n.oid AND c.relname IN ('steps', 'plan', 'progress', 'tables')) = 4 \
             ORDER BY n.nspname",
        )
        .await?;
    let mut plans = Vec::new();
    for row in texts(&found) {
        let schema = cell(&row, 0);
        let [may_use, is_foreign] = [1, 3].map(|at| cell(&row, at) == "t");
        match (may_use, is_foreign) {
            (false, _) => plans.push(unreadable(&schema, "USAGE on its schema")),
            (true, true) => {
                let mut status = empty(&schema);
                status.unread.push(format!(
                    "Not read: the ledger of this plan, which belongs to the role {0}. Its functions would be called with the rights of a \
                     superuser: connect as {0}.",
                    cell(&row, 2)
                ));
                plans.push(status);
            }
            (true, false) => plans.extend(plan(session, &schema).await?),
        }
    }
    Ok(plans)
}

fn unreadable(schema: &str, needs: &str) -> Status {
    let mut status = empty(schema);
    status.unread.push(format!(
        "Not read: the ledger of this plan, which needs {needs}. The role that executes its files has it."
    ));
    status
}

fn empty(schema: &str) -> Status {
    Status {
        id: schema.trim_start_matches("idgen_").to_owned(),
        engine: Engine::Postgres,
        schema: schema.to_owned(),
        target: String::new(),
        tables: Vec::new(),
        steps: Vec::new(),
        session: None,
        next: None,
        blocked: Vec::new(),
        unread: Vec::new(),
    }
}

/// One plan; none if its schema was dropped meanwhile.
async fn plan(session: &mut Session, schema: &str) -> Result<Option<Status>> {
    let own = quoted(schema);
    let mut status = empty(schema);
    let key = hash(status.id.as_bytes()) as i64;
    let lock = format!(
        "SELECT l.pid FROM pg_locks AS l WHERE l.locktype = 'advisory' AND l.granted AND l.database = (SELECT d.oid FROM pg_database AS d \
         WHERE d.datname = current_database()) AND ((l.classid::bigint << 32) | l.objid::bigint) = {key} LIMIT 1"
    );
    let lock = session.catalog("the session that executes a file", &lock).await?;
    status.session = texts(&lock).first().map(|row| cell(row, 0));
    let sql = format!(
        "SELECT s.step, s.file, s.state, s.begun AT TIME ZONE 'UTC', s.ended AT TIME ZONE 'UTC', s.session, s.account, p.switched \
         FROM {own}.steps AS s LEFT JOIN {own}.plan AS p ON true ORDER BY s.place"
    );
    let rows = match session.rows("the ledger of a plan", &sql, &[]).await {
        Ok(rows) => texts(&rows),
        Err(refused) => return gone_or(refused, schema),
    };
    let mut rows = rows.into_iter();
    // The first row is about the plan itself.
    let about = rows.next().unwrap_or_default();
    status.target = cell(&about, 0);
    let is_switched = cell(&about, 7) == "t";
    status.steps = rows.map(|row| StepStatus::of_row(&row, status.session.is_some())).collect();
    let copies = match session.rows("the progress of copies", &copies(&own), &[]).await {
        Ok(rows) => texts(&rows),
        Err(refused) => return gone_or(refused, schema),
    };
    status.tables = copies.iter().map(|row| copied(row)).collect();
    let missing = format!("SELECT {own}.next_file()");
    let missing = match session.rows("the next file", &missing, &[]).await {
        Ok(rows) => texts(&rows).first().map(|row| cell(row, 0)),
        // A file that was killed has made the tables, and not all functions.
        Err(refused) if refused.why.contains("next_file") => None,
        Err(refused) => return gone_or(refused, schema),
    };
    status.next = next(&status.steps, missing, is_switched);
    add_lost(session, &own, &mut status).await;
    add_waiting(session, &own, &mut status).await;
    add_blocked(session, &own, &mut status).await;
    if is_switched {
        add_denied(session, &own, &mut status).await;
    }
    Ok(Some(status))
}

/// The catalog says what is missing. Steps that it knows nothing of are those that the ledger does not call done.
fn next(steps: &[StepStatus], missing: Option<String>, is_switched: bool) -> Option<String> {
    if let Some(running) = steps.iter().find(|step| step.state == State::Running) {
        return Some(running.file.clone());
    }
    let place = |file: &str| steps.iter().position(|step| step.file == file);
    let missing = missing.and_then(|file| place(&file));
    // `check` comes before the ledger, and does not have to be recorded in it.
    let open = steps.iter().position(|step| step.state != State::Done && step.step != "check");
    let at = match (missing, open) {
        (Some(missing), Some(open)) if !is_switched => Some(missing.min(open)),
        (Some(missing), _) => Some(missing),
        (None, open) => open,
    };
    Some(steps.get(at?)?.file.clone())
}

fn copies(own: &str) -> String {
    format!(
        "SELECT t.name, COALESCE(g.rows, 0), (SELECT c.reltuples::bigint FROM pg_class AS c WHERE c.oid = t.id AND c.reltuples >= 0), \
         COALESCE(g.done, false), LEAST(g.next_block::float8 / greatest(g.blocks, 1), 1) \
         FROM {own}.tables AS t LEFT JOIN {own}.progress AS g ON g.name = t.name ORDER BY t.name"
    )
}

fn copied(row: &[String]) -> Copied {
    Copied {
        table: cell(row, 0),
        rows: cell(row, 1).parse().unwrap_or(0),
        of_rows: cell(row, 2).parse().ok(),
        is_finished: cell(row, 3) == "t",
        part: cell(row, 4).parse().ok(),
        rows_per_second: None,
        seconds_left: None,
    }
}

/// A plan that was finished while it was read has no ledger any more.
fn gone_or(refused: Refused, schema: &str) -> Result<Option<Status>> {
    if refused.why.contains("does not exist") {
        return Ok(None);
    }
    if refused.why.contains("SELECT on it") {
        return Ok(Some(unreadable(schema, "SELECT on its tables and EXECUTE on its functions")));
    }
    Err(Error::new(format!("cannot read the ledger of a plan: {}", refused.why)))
}

/// Adds that tables are not those of the plan any more. Then the file comes next that removes it, unless a name is all that is missing.
async fn add_lost(session: &mut Session, own: &str, status: &mut Status) {
    let known = format!(
        "SELECT count(*) FROM pg_proc WHERE pronamespace = '{own}'::regnamespace AND proname = 'lost'"
    );
    // A file that was killed has made the tables, and not all functions.
    let known = session.rows("the functions of the plan", &known, &[]).await;
    if known.is_ok_and(|rows| texts(&rows).first().is_some_and(|row| cell(row, 0) == "0")) {
        return;
    }
    let before = status.blocked.len();
    ask(session, status, "whether the tables are those of the plan", &format!("SELECT {own}.lost()")).await;
    if status.blocked[before..].iter().any(|line| line.contains(ABANDON)) {
        status.next = Some(ABANDON.to_owned());
    }
}

/// Adds what the session of the plan waits for, or whose locks the next step would wait for.
async fn add_blocked(session: &mut Session, own: &str, status: &mut Status) {
    let who = "concat_ws(', ', NULLIF(a.application_name, ''), 'role ' || a.usename, a.state, 'since ' || date_trunc('second', a.xact_start))";
    let next = status.next.clone().unwrap_or_default();
    let needs_locks = SHORT_LOCKS.iter().any(|step| next.ends_with(&format!("-{step}.sql")));
    let sql = match &status.session {
        Some(at_work) => format!(
            "SELECT format('Process {at_work} waits for %s.', CASE b.pid WHEN 0 THEN 'a prepared transaction (see pg_prepared_xacts)' ELSE \
             format('process %s (%s)', b.pid, {who}) END) FROM unnest(pg_blocking_pids({at_work})) AS b (pid) \
             LEFT JOIN pg_stat_activity AS a ON a.pid = b.pid"
        ),
        None if needs_locks => format!(
            "SELECT DISTINCT format('The next file needs locks that %s has.', CASE WHEN l.pid IS NULL THEN 'a prepared transaction (see \
             pg_prepared_xacts)' ELSE format('process %s (%s)', l.pid, {who}) END) FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON \
             a.pid = l.pid WHERE l.granted AND l.locktype = 'relation' AND l.pid IS DISTINCT FROM pg_backend_pid() AND l.relation IN \
             (SELECT t.id FROM {own}.tables AS t) AND (l.pid IS NULL OR a.xact_start < now() - interval '1 second')"
        ),
        None => return,
    };
    ask(session, status, "who holds locks", &sql).await;
}

/// Adds that the role whose triggers keep the old columns current can no longer read a table: then clients cannot write.
async fn add_denied(session: &mut Session, own: &str, status: &mut Status) {
    let sql = format!(
        "SELECT DISTINCT format('The role %s, which executed the switch, cannot read %s any more, so clients that write rows which refer to it fail \
         with \"permission denied\": GRANT SELECT ON %s TO %s.', p.proowner::regrole, t.name, t.id::regclass, p.proowner::regrole) \
         FROM pg_proc AS p CROSS JOIN {own}.tables AS t JOIN pg_class AS r ON r.oid = t.id JOIN pg_namespace AS n ON n.oid = r.relnamespace \
         WHERE p.pronamespace = '{own}'::regnamespace AND p.prosecdef AND NOT has_table_privilege(p.proowner, t.id, 'SELECT') AND \
         position(format('FROM \"%s\".\"%s\" AS p', replace(n.nspname, '\"', '\"\"'), replace(r.relname, '\"', '\"\"')) IN p.prosrc) > 0 \
         ORDER BY 1"
    );
    ask(session, status, "the privileges of the triggers", &sql).await;
}

/// Adds why the copy waits, as it asks itself before each chunk.
async fn add_waiting(session: &mut Session, own: &str, status: &mut Status) {
    if !status.next.as_ref().is_some_and(|next| next.ends_with("-backfill.sql")) {
        return;
    }
    let sql = format!(
        "SELECT 'The copy is paused: UPDATE {own}.settings SET paused = false continues it.' FROM {own}.settings WHERE paused UNION ALL \
         SELECT format('The copy waits while more than %s sessions are active; now %s.', s.max_active, a.active) FROM {own}.settings AS s, \
         (SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND backend_type = 'client backend' AND pid <> pg_backend_pid()) \
         AS a (active) WHERE a.active > s.max_active UNION ALL \
         SELECT format('The copy waits for a replica that is more than %s behind; now %s.', s.max_lag, r.lag) FROM {own}.settings AS s, \
         (SELECT max(replay_lag) FROM pg_stat_replication) AS r (lag) WHERE r.lag > s.max_lag"
    );
    ask(session, status, "the settings of the copy", &sql).await;
}
