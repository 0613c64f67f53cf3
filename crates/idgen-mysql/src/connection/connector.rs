//! Makes connections to one server, and decides whether a connection may be used, or used again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};
use tokio::time::Instant;

use crate::connection::own_session::{Latest, NewSession};
use crate::connection::pooled::Session;
use crate::connection::server::Topology;
use crate::connection::session::{SERVER_NAME, Seen};
use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::error::numbers::is_of_connection;
use crate::error::refusal::{Reason, Refusal};
use crate::table::identity::{FRESH, MapIdentity};
use crate::table::schema;
use crate::table::table_kind::{VIEW, other_engine};
use crate::table::tables::Tables;
use crate::table::watch::{self, Looked};

/// The longest time that a connection with an outstanding answer occupies its place in the pool after its call.
const KILL_LIMIT: Duration = Duration::from_secs(2);

/// The conditions of every connection of a client, and what all of them know.
#[derive(Debug)]
pub(crate) struct Terms {
    pub(crate) identity: MapIdentity,
    pub(crate) answer_limit: Duration,
    pub(crate) accept_unsafe: bool,
    /// True if the server that was looked at last is a node of a Galera cluster, and until one was looked at.
    pub(crate) is_in_galera: AtomicBool,
}

/// A server, as a maker of connections to it.
#[derive(Debug)]
pub(crate) struct Connector {
    options: MySqlConnectOptions,
    terms: Arc<Terms>,
    /// True if other servers can be used instead.
    several: bool,
    /// Known from the first connection on.
    vitess: Mutex<Option<bool>>,
    /// The beginning of the last accepted reading of the server's settings and its map.
    good: Mutex<Option<Instant>>,
    /// Connections that were last used before this moment are replaced, because one of them was lost.
    mistrusted: Mutex<Option<Instant>>,
    refused: AtomicBool,
    /// The latest session that the server had made when a connection was last set up.
    latest: Mutex<Option<Latest>>,
    /// Set once a connection beside the first one has got a session of its own.
    alone: AtomicBool,
    /// True after an additional connection, between which transactions alternate, could not be made.
    full: AtomicBool,
    /// Locked while a connection reads them again for all.
    looking: tokio::sync::Mutex<()>,
    /// Locked while a statement is ended, because that needs a connection, too.
    kills: tokio::sync::Mutex<()>,
}

impl Connector {
    pub(crate) fn new(options: MySqlConnectOptions, terms: Arc<Terms>, several: bool) -> Connector {
        Connector {
            // The driver's events contain statements, and these contain UUIDs.
            options: options.disable_statement_logging(),
            terms,
            several,
            vitess: Mutex::default(),
            good: Mutex::default(),
            mistrusted: Mutex::default(),
            refused: AtomicBool::new(false),
            latest: Mutex::default(),
            alone: AtomicBool::new(false),
            full: AtomicBool::new(false),
            looking: tokio::sync::Mutex::new(()),
            kills: tokio::sync::Mutex::new(()),
        }
    }

    /// Returns true if the server was refused at the last check.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns true after a connection beyond those that calls need at the same time could not be made.
    pub(crate) fn is_full(&self) -> bool {
        self.full.load(Ordering::Relaxed)
    }

    pub(crate) fn set_full(&self) {
        self.full.store(true, Ordering::Relaxed);
    }

    /// Idle connections are probably lost as well.
    pub(crate) fn mistrust(&self) {
        tracing::info!(server = self.address(), "a connection was lost: the idle ones are replaced");
        set(&self.mistrusted, Some(Instant::now()));
    }

    /// Reads the settings of the server and the state of the map again.
    pub(crate) async fn look_again(&self, session: &mut Session) -> Attempt<()> {
        let (tables, began) = (self.terms.identity.tables(), Instant::now());
        session.seen = session.seen.again(&mut session.connection, &tables).await?;
        self.examine(&mut session.connection, &session.seen, began).await?;
        session.judged = began;
        Ok(())
    }

    /// Ends a connection on the server, by another one.
    pub(crate) async fn kill(&self, session: &Session) {
        let Some((thread, server)) = &session.seen.thread else { return };
        let kill = async {
            let _one = self.kills.lock().await;
            let mut connection = self.options.connect().await?;
            let row = connection.fetch_one(sqlx::raw_sql(SERVER_NAME)).await?;
            // Several servers may be behind one address, and each numbers its own connections.
            if row.try_get_unchecked::<String, _>(0)? == *server {
                let kill = format!("KILL {thread}");
                connection.execute(sqlx::raw_sql(AssertSqlSafe(kill))).await?;
            }
            connection.close().await
        };
        // If the server is gone, there is nothing to end.
        let _ = tokio::time::timeout(KILL_LIMIT, kill).await;
    }

    /// The address of the server, without user and password.
    pub(crate) fn address(&self) -> String {
        match self.options.get_socket() {
            Some(socket) => socket.display().to_string(),
            None => format!("{}:{}", self.options.get_host(), self.options.get_port()),
        }
    }

    async fn connect(&self) -> Attempt<Session> {
        let latest = self.latest();
        let connected = self.options.connect().await;
        // The driver's error does not contain the address.
        let mut connection = connected.map_err(|error| match error {
            sqlx::Error::Io(error) => {
                let said = format!("{}: {error}", self.address());
                sqlx::Error::Io(std::io::Error::new(error.kind(), said))
            }
            other => other,
        })?;
        let vitess = match get(&self.vitess) {
            Some(vitess) => vitess,
            None => {
                let row = connection.fetch_one(sqlx::raw_sql("SELECT VERSION()")).await?;
                let vitess = row.try_get_unchecked::<String, _>(0)?.contains("Vitess");
                set(&self.vitess, Some(vitess));
                vitess
            }
        };
        let (tables, schema) = (self.terms.identity.tables(), self.options.get_database());
        let began = Instant::now();
        let mut seen = Seen::set_up(&mut connection, &tables, schema, vitess).await?;
        if !vitess {
            seen.is_shared |= seen.session.is_older(latest.as_ref());
            if !seen.is_shared {
                *lock(&self.latest) = seen.latest.clone();
                seen.is_shared = !self.is_alone().await?;
            }
        }
        self.examine(&mut connection, &seen, began).await?;
        tracing::debug!(server = self.address(), version = seen.report.version(), "connected");
        Ok(Session { connection, seen, judged: began, used: Instant::now(), committed: None })
    }

    /// Connects once more while a connection is there, once for a server: a pooler gives the new one an older session.
    async fn is_alone(&self) -> Attempt<bool> {
        if self.alone.load(Ordering::Relaxed) {
            return Ok(true);
        }
        let latest = self.latest();
        let mut other = match self.options.connect().await.map_err(Failure::Sql) {
            Ok(other) => other,
            // The map works with one connection.
            Err(failure) if failure.is_too_many_connections() => return Ok(true),
            Err(failure) => return Err(failure),
        };
        let session = NewSession::read(&mut other).await?;
        // Its answer is read.
        let _ = other.close().await;
        let alone = !session.is_older(latest.as_ref());
        self.alone.store(alone, Ordering::Relaxed);
        Ok(alone)
    }

    fn latest(&self) -> Option<Latest> {
        lock(&self.latest).clone()
    }

    /// The failure of a session that other clients use, too.
    pub(crate) fn shared(&self) -> Failure {
        let (server, reason) = (self.address(), Reason::Shared);
        Failure::Refused(Box::new(Refusal { server, reason, elsewhere: false }))
    }

    /// Refuses a server whose settings endanger pairs, or that holds another map, or whose tables must not be used.
    async fn examine(&self, connection: &mut MySqlConnection, seen: &Seen, began: Instant) -> Attempt<()> {
        self.terms.is_in_galera.store(seen.report.topology() == Topology::Galera, Ordering::Relaxed);
        let mut judged = self.reason(seen);
        let identity = &self.terms.identity;
        if let (Ok(()), Some(installed)) = (&judged, identity.installed()) {
            // A client that accepts an unsafe server accepts that it loses pairs, and a node of a cluster may not have
            // all pairs yet.
            let cluster = matches!(seen.report.topology(), Topology::Galera | Topology::GroupReplication);
            let known = if self.terms.accept_unsafe || cluster { Vec::new() } else { identity.stored() };
            let tables = identity.tables();
            judged = match watch::look(connection, &tables, installed.index, &known).await? {
                Looked::Refused(reason) => Err(reason),
                Looked::Defined(Some(definitions)) if identity.are_defined_so(&definitions) => Ok(()),
                Looked::Defined(_) => self.read_tables(connection, &tables).await?,
            };
        }
        self.conclude(judged, began)
    }

    /// Checks tables that were altered since they were last found to be right.
    async fn read_tables(
        &self,
        connection: &mut MySqlConnection,
        tables: &Tables,
    ) -> Attempt<Result<(), Reason>> {
        let kind = match schema::read(connection, tables).await {
            Ok(sound) => {
                self.terms.identity.note_definitions(sound.definitions);
                return Ok(Ok(()));
            }
            Err(Failure::Final(kind)) => kind,
            Err(failure) => return Err(failure),
        };
        match *kind {
            Kind::Schema { table, problem } => Ok(Err(Reason::Schema { table, problem })),
            Kind::NotInstalled { table } => Ok(Err(Reason::NoMap { table })),
            other => Err(Error::new(other).into()),
        }
    }

    fn conclude(&self, judged: Result<(), Reason>, began: Instant) -> Attempt<()> {
        let refused_before = self.refused.swap(judged.is_err(), Ordering::Relaxed);
        match judged {
            Ok(()) => {
                set(&self.good, Some(began));
                self.terms.identity.note_reading(began);
                Ok(())
            }
            Err(reason) => {
                let server = self.address();
                if !refused_before {
                    tracing::warn!(server, reason = reason.short(), "the server is refused");
                }
                Err(Failure::Refused(Box::new(Refusal { server, reason, elsewhere: false })))
            }
        }
    }

    fn reason(&self, seen: &Seen) -> Result<(), Reason> {
        if seen.is_shared {
            return Err(Reason::Shared);
        }
        let concerns = seen.report.concerns();
        if !self.terms.accept_unsafe && !concerns.is_empty() {
            return Err(Reason::Unsafe(concerns.to_vec()));
        }
        let identity = &self.terms.identity;
        if let Some((table, what)) = &seen.shadow
            && (identity.is_known() || what.is_of_session())
        {
            let problem = match what.is_of_session() {
                true => format!("{what} has its name: drop it"),
                false => VIEW.to_owned(),
            };
            return Err(Reason::Schema { table: table.clone(), problem });
        }
        // Until the map is known, its tables may be anything: install says what is wrong with them.
        if !identity.is_known() {
            return Ok(());
        }
        if let Some((table, engine)) = &seen.engine {
            let problem = other_engine(table, engine);
            return Err(Reason::Schema { table: table.clone(), problem });
        }
        identity.compare(seen.state.as_ref())
    }

    /// The time in which an idle connection must answer.
    fn ping_limit(&self) -> Duration {
        if self.several { self.terms.answer_limit.min(FRESH) } else { self.terms.answer_limit }
    }
}

impl Manager for Connector {
    type Type = Session;
    type Error = Failure;

    async fn create(&self) -> Result<Session, Failure> {
        // Boxed because it is large and rare.
        Box::pin(self.connect()).await
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<Failure> {
        if get(&self.mistrusted).is_some_and(|at| session.used <= at) {
            return Err(RecycleError::message("another connection to this server was lost"));
        }
        // Relative to the moment when the connection was asked for: on a busy machine a reading may take longer than it
        // counts, and each waiter would begin another one.
        let asked = Instant::now();
        let fresh = |at: Instant| asked.saturating_duration_since(at) < FRESH;
        let in_use = fresh(session.used);
        let good = || get(&self.good).filter(|at| in_use && fresh(*at));
        if let Some(at) = good() {
            session.judged = at;
            return Ok(());
        }
        let look = async {
            // One connection reads for all that are in use.
            let _one = if in_use { Some(self.looking.lock().await) } else { None };
            let Some(at) = good() else { return self.look_again(session).await };
            session.judged = at;
            Ok(())
        };
        let looked = tokio::time::timeout(self.ping_limit(), Box::pin(look)).await;
        let failure = match looked {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(failure)) => failure,
            Err(_) => Failure::NoAnswer,
        };
        let lost = match &failure {
            Failure::Sql(error) => is_of_connection(error),
            failure => matches!(failure, Failure::NoAnswer),
        };
        if lost {
            self.mistrust();
        }
        Err(RecycleError::Backend(failure))
    }
}

fn get<T: Copy>(mutex: &Mutex<Option<T>>) -> Option<T> {
    *lock(mutex)
}

fn set<T>(mutex: &Mutex<Option<T>>, value: Option<T>) {
    *lock(mutex) = value;
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
