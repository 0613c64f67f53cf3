//! The session settings of a new connection, and what a connection reads then and while it is used.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Column, Executor, Row};

use crate::connection::own_session::{HERE, LATEST, Latest, MARK, NewSession, OUT_OF_RANGE, mark};
use crate::connection::server::{REDO_LOG, ServerReport, Topology};
use crate::error::failure::{Attempt, Failure};
use crate::error::refusal::MEMBER_STATE;
use crate::statement::shadow::Shadow;
use crate::statement::sql::bytes_literal;
use crate::table::schema::State;
use crate::table::tables::{Tables, unquoted};

/// Ends what `init_connect` has begun: a transaction, and locks of tables. The clauses keep `completion_type` from beginning
/// another transaction, and from closing the connection.
const CLEAR: &str = "ROLLBACK AND NO CHAIN NO RELEASE; UNLOCK TABLES";

/// The settings of each session, whatever the server, the user or `init_connect` have set:
///
/// - `sql_select_limit` would truncate answers, and `completion_type` would begin a transaction after each commit,
/// - `max_execution_time` and `max_statement_time` would end statements, whose time the map limits itself,
/// - `max_join_size` would refuse statements that the server expects to read many rows, unless `sql_big_selects` is on,
/// - without `unique_checks` InnoDB may leave a unique index unread,
/// - modes such as `ORACLE` and `ANSI_QUOTES` change the meaning of statements; MySQL warns of a strict mode without three others,
/// - a longer wait for a table that is about to be altered could be part of a deadlock with the alteration,
/// - at `READ UNCOMMITTED` a pair would be visible, and returned, that may be rolled back later,
/// - with `mrr`, MariaDB finds no rows by an index on a virtual column.
///
/// Comments of the form `/*!80000 */` are read by MySQL from 8.0 on, those of the form `/*M! */` by MariaDB.
const SET: &str = "SET SESSION sql_select_limit = 18446744073709551615, sql_big_selects = 1, completion_type = 0, autocommit = 1, \
    unique_checks = 1, foreign_key_checks = 1, lock_wait_timeout = 1, sql_mode = \
    'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', \
    /*!80000 max_execution_time = 0, optimizer_switch = 'mrr=off,batched_key_access=off', */ \
    /*M! max_statement_time = 0, optimizer_switch = 'mrr=off,mrr_sort_keys=off,join_cache_bka=off', */ \
    /*!80000 transaction_isolation = \
    IF(@@transaction_isolation = 'READ-UNCOMMITTED', 'READ-COMMITTED', @@transaction_isolation) */ \
    /*M! tx_isolation = IF(@@tx_isolation = 'READ-UNCOMMITTED', 'READ-COMMITTED', @@tx_isolation) */";

/// Fails with error 1568 in a transaction, and has no other effect: the session's isolation level stays as it is.
const IN_NO_TRANSACTION: &str = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

/// True in a session whose changes get into the binary log, if the server has one.
pub(crate) const IS_LOGGED: &str = "(@@SESSION.sql_log_bin OR NOT @@GLOBAL.log_bin)";

/// Fails on other servers and schemas than the named ones and in sessions that are not [logged](IS_LOGGED), before anything
/// that follows; and otherwise selects the number of the session. It reads no table, so that it begins no snapshot.
pub(crate) fn elsewhere(places: &[String]) -> String {
    let list: Vec<String> = places.iter().map(|place| bytes_literal(place.as_bytes())).collect();
    let here = format!("CAST({HERE} AS BINARY) IN ({})", list.join(","));
    format!("SELECT IF({here} AND {IS_LOGGED}, CONNECTION_ID(), {OUT_OF_RANGE})")
}

/// The query for the place of a session, as [`elsewhere`] compares it.
pub(crate) fn here() -> String {
    format!("SELECT {HERE}")
}

/// The query for the name of the server.
pub(crate) const SERVER_NAME: &str = "SELECT CONCAT_WS(' ', @@hostname, @@port, @@server_id)";

const BINLOG_FORMAT: &str = "binlog_format";

const VARIABLES: &str = "SHOW VARIABLES WHERE Variable_name IN ('innodb_flush_log_at_trx_commit', 'binlog_format', \
    'log_bin', 'sql_log_bin', 'unique_checks', 'completion_type', 'innodb_doublewrite', 'innodb_flush_method', 'wsrep_on', 'group_replication_group_name', 'autocommit', 'version', \
    'sync_binlog', 'transaction_isolation', 'tx_isolation')";

/// The failure of an answer that lacks settings.
const NOT_REPORTED: Failure = Failure::Contradicted("the server did not report its settings");

const MEMBER: &str = "SELECT member_state FROM performance_schema.replication_group_members \
    WHERE member_id = @@server_uuid";

/// The settings of a server and the state of its map, as a connection has read them.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub(crate) report: ServerReport,
    /// `None` where the map is not installed.
    pub(crate) state: Option<State>,
    /// A table that had another engine than InnoDB when the connection was made, and that engine.
    pub(crate) engine: Option<(String, String)>,
    /// The server's number of the connection, and the server's name.
    pub(crate) thread: Option<(u64, String)>,
    /// The server process and the schema, as [`elsewhere`] compares them.
    pub(crate) place: Option<String>,
    /// The temporary table or the view that hid a table of the map from this connection when it was made, with its
    /// name.
    pub(crate) shadow: Option<(String, Shadow)>,
    /// The mark of the session; `None` on Vitess.
    pub(crate) mark: Option<u64>,
    /// True if another client uses the session, too.
    pub(crate) is_shared: bool,
    /// The session as it was before it was set up.
    pub(super) session: NewSession,
    /// The latest session that the server had made then.
    pub(super) latest: Option<Latest>,
    /// The variables that this server has.
    names: Vec<String>,
    /// The format of the session's binary log, which only the session can change. MySQL warns of reading `@@binlog_format`.
    binlog_format: Option<String>,
    /// True if the server has the status variable [`REDO_LOG`].
    has_redo_log: bool,
}

impl Seen {
    /// Sets a new connection up and reads what must hold, in one text and one round trip.
    pub(crate) async fn set_up(
        connection: &mut MySqlConnection,
        tables: &Tables,
        schema: Option<&str>,
        vitess: bool,
    ) -> Attempt<Seen> {
        if vitess {
            return Seen::set_up_vitess(connection, tables).await;
        }
        let engine = [&tables.map, &tables.state, &tables.claim].map(|table| {
            format!(
                "SELECT table_name AS foreign_table, engine AS foreign_engine FROM information_schema.tables \
                 WHERE table_schema = DATABASE() AND table_name = '{}' AND engine <> 'InnoDB'",
                unquoted(table)
            )
        });
        // Several names in one condition would make MariaDB read the whole schema.
        let engine = engine.join(" UNION ALL ");
        let status = format!("SHOW GLOBAL STATUS WHERE Variable_name IN ('{REDO_LOG}', '{LATEST}')");
        // `init_connect` may have chosen another schema.
        let schema = schema.map(|name| format!("USE `{}`; ", name.replace('`', "``"))).unwrap_or_default();
        let names = format!(
            "SELECT CONNECTION_ID() AS connection_id, CONCAT_WS(' ', @@hostname, @@port, @@server_id) AS server_name, \
             {HERE} AS place, {MARK} AS session_mark"
        );
        let own = mark();
        let text = format!(
            "{CLEAR}; {schema}{SET}; {IN_NO_TRANSACTION}; {names}; SET {MARK} = {own}; {VARIABLES}; {status}; {engine}; {}; {}",
            state_row(tables),
            definitions(tables)
        );
        let read = Read::all(connection, text).await?;
        let reported = |name: &str| read.values.iter().any(|(found, _)| found == name);
        if !["version", "innodb_flush_log_at_trx_commit", "log_bin"].into_iter().all(reported) {
            return Err(NOT_REPORTED);
        }
        let mut seen = read.into_seen(connection).await?;
        seen.is_shared = seen.session.is_marked;
        seen.mark = Some(own);
        Ok(seen)
    }

    /// Reads again what may have changed.
    pub(crate) async fn again(&self, connection: &mut MySqlConnection, tables: &Tables) -> Attempt<Seen> {
        if self.report.topology() == Topology::Vitess {
            return Seen::set_up_vitess(connection, tables).await;
        }
        // Asked one by one, they cost the server a tenth of `SHOW VARIABLES`.
        let columns: Vec<String> = self.names.iter().map(|name| format!("@@{name} AS {name}")).collect();
        let (columns, state) = (columns.join(", "), state_row(tables));
        let status = if self.has_redo_log { redo_log() + "; " } else { String::new() };
        let text = format!(
            "{IN_NO_TRANSACTION}; SELECT {columns}, {HERE} AS place, CONNECTION_ID() AS connection_id, \
             {MARK} AS session_mark; {status}{state}"
        );
        let mut read = Read::all(connection, text).await?;
        // Without them, the server would seem to be safe.
        if !self.names.iter().all(|name| read.values.iter().any(|(found, _)| found == name)) {
            return Err(NOT_REPORTED);
        }
        read.values.extend(self.binlog_format.clone().map(|format| (BINLOG_FORMAT.to_owned(), format)));
        let answers = |name: &str, own: Option<u64>| {
            own.is_none_or(|own| read.value(name).is_some_and(|found| found == own.to_string()))
        };
        let is_own = answers("session_mark", self.mark)
            && answers("connection_id", self.thread.as_ref().map(|(id, _)| *id));
        let seen = read.into_seen(connection).await?;
        Ok(Seen {
            mark: self.mark,
            is_shared: !is_own,
            session: self.session.clone(),
            latest: self.latest.clone(),
            names: self.names.clone(),
            binlog_format: self.binlog_format.clone(),
            thread: self.thread.clone(),
            engine: self.engine.clone(),
            shadow: self.shadow.clone(),
            has_redo_log: self.has_redo_log,
            ..seen
        })
    }

    /// Vitess takes one simple statement at a time. Session settings would take connections to the shards out of
    /// its pools.
    async fn set_up_vitess(connection: &mut MySqlConnection, tables: &Tables) -> Attempt<Seen> {
        let mut read = Read::all(connection, VARIABLES.to_owned()).await?;
        let uncommitted = |(_, value): &(String, String)| value == "READ-UNCOMMITTED";
        if read.values.iter().any(uncommitted) {
            let set = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
            connection.execute(sqlx::raw_sql(set)).await?;
            read = Read::all(connection, VARIABLES.to_owned()).await?;
        }
        if tables.places.is_some() {
            read.state = Read::all(connection, state_row(tables)).await?.state;
        }
        read.into_seen(connection).await
    }
}

fn redo_log() -> String {
    format!("SHOW GLOBAL STATUS WHERE Variable_name = '{REDO_LOG}'")
}

/// Temporary tables hide others of their names from the session that made them, and the lists of tables do not have them.
fn definitions(tables: &Tables) -> String {
    let names = [&tables.map, &tables.state, &tables.sync, &tables.claim];
    names.map(|table| format!("SHOW CREATE TABLE {table}")).join("; ")
}

/// All columns, whatever the version: after everything that must be read, since it fails where the table is not there.
fn state_row(tables: &Tables) -> String {
    format!("SELECT * FROM {} WHERE one = 1", tables.state)
}

/// The rows of several statements.
#[derive(Default)]
struct Read {
    values: Vec<(String, String)>,
    state: Option<State>,
    shadow: Option<(String, Shadow)>,
}

impl Read {
    fn value(&self, name: &str) -> Option<&str> {
        self.values.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    async fn all(connection: &mut MySqlConnection, text: String) -> Attempt<Read> {
        let mut read = Read::default();
        let mut rows = connection.fetch(sqlx::raw_sql(AssertSqlSafe(text)));
        loop {
            match rows.try_next().await.map_err(Failure::Sql) {
                Ok(Some(row)) => read.take(&row)?,
                Ok(None) => return Ok(read),
                Err(failure) if failure.is_no_table() => return Ok(read),
                // A user of the index `unique` needs no privilege on the claims.
                Err(failure) if read.state.is_some() && failure.number() == Some(1142) => return Ok(read),
                Err(failure) => return Err(failure),
            }
        }
    }

    fn take(&mut self, row: &MySqlRow) -> Attempt<()> {
        let names: Vec<&str> = row.columns().iter().map(Column::name).collect();
        if names.contains(&"one") {
            self.state = Some(State::of_row(row)?);
        } else if names.contains(&"View") || names.contains(&"Create Table") {
            if let Some(shadow) = Shadow::of_definition(row)? {
                self.shadow.get_or_insert((text(row, 0)?, shadow));
            }
        } else if names.first().is_some_and(|name| name.eq_ignore_ascii_case("Variable_name")) {
            self.values.push((text(row, 0)?, text(row, 1)?));
        } else {
            for (at, name) in names.into_iter().enumerate() {
                self.values.push((name.to_owned(), text(row, at)?));
            }
        }
        Ok(())
    }

    async fn into_seen(mut self, connection: &mut MySqlConnection) -> Attempt<Seen> {
        // An answer that is repeated does not make the next question longer.
        let names: BTreeSet<String> = self.values.iter().map(|(name, _)| name.clone()).collect();
        let other = [
            REDO_LOG,
            LATEST,
            BINLOG_FORMAT,
            "connection_id",
            "server_name",
            "place",
            "session_mark",
            "foreign_table",
            "foreign_engine",
        ];
        let names = names.into_iter().filter(|name| !other.contains(&name.as_str())).collect();
        let value = |name: &str| self.value(name).map(str::to_owned);
        let engine = value("foreign_table").zip(value("foreign_engine"));
        let number = |name: &str| value(name).and_then(|number| number.parse::<u64>().ok());
        let thread = number("connection_id").zip(value("server_name"));
        let place = value("place");
        let session = NewSession {
            place: place.clone().unwrap_or_default(),
            id: number("connection_id").unwrap_or(0),
            is_marked: value("session_mark").is_some_and(|mark| !mark.is_empty()),
        };
        let latest = place.clone().zip(number(LATEST)).map(|(place, id)| Latest { place, id });
        let binlog_format = value(BINLOG_FORMAT);
        let has_redo_log = value(REDO_LOG).is_some();
        if value("group_replication_group_name").is_some_and(|group| !group.is_empty()) {
            // Without the privilege the state is unknown, and the advice names the privilege.
            let state = match connection.fetch_optional(sqlx::raw_sql(MEMBER)).await.map_err(Failure::Sql) {
                Ok(Some(row)) => text(&row, 0)?,
                Ok(None) => "not in its group".to_owned(),
                Err(failure) if failure.number() == Some(1142) => "not to be read".to_owned(),
                Err(failure) => return Err(failure),
            };
            self.values.push((MEMBER_STATE.to_owned(), state));
        }
        let report = ServerReport::judge(&self.values);
        Ok(Seen {
            report,
            state: self.state,
            engine,
            shadow: self.shadow,
            thread,
            place,
            mark: None,
            is_shared: false,
            session,
            latest,
            names,
            binlog_format,
            has_redo_log,
        })
    }
}

/// Some servers give metadata as text, some as bytes.
fn text(row: &MySqlRow, at: usize) -> Attempt<String> {
    let bytes: Option<Vec<u8>> = row.try_get_unchecked(at)?;
    Ok(String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned())
}
