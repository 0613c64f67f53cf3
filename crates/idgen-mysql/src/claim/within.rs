//! Statements of a claim on a caller's connection: on the map's server, in the caller's transaction, and in one session.

use std::time::Duration;

use crate::call::retry::Retries;
use crate::claim::context::{ACTION, Context};
use crate::claim::place::{Place, Relation};
use crate::connection::nodes::{PooledConnection, Take};
use crate::connection::own_session::{ELSEWHERE, OUT_OF_RANGE};
use crate::connection::session::{IS_LOGGED, elsewhere, here};
use crate::error::failure::{Attempt, Failure, Kind};
use crate::error::refusal::{Concern, Reason, Refusal};
use crate::error::{Error, Result};
use crate::installed::Index;
use crate::statement::caller::Connection;
use crate::statement::sql::{IN_TRANSACTION, WITH_SETTINGS, show};
use crate::statement::values::{Values, number_at};
use crate::table::schema;

/// Two nodes of a cluster whose members are changing are compared up to this many times, with this pause after each.
const LOOKS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(200);

/// The query for the number of a session, in a form that no proxy answers by itself.
const SESSION: &str = "SELECT IF(TRUE, CONNECTION_ID(), 0)";

pub(crate) const LOST: &str = "the connection was made anew, or the transaction ended, in the middle of a call: roll back and begin again";

/// Facts about a caller's connection that are needed during one call.
#[derive(Debug, Default)]
pub(crate) struct Caller {
    /// The places of the map: its own server and schema, and those of other nodes that were found to be the map's.
    places: Vec<String>,
    /// The number of the session in which the call began, if the driver may connect again by itself: everything that the
    /// call did before was rolled back then, with the caller's transaction.
    session: Option<u64>,
}

impl Caller {
    /// A value of a row that is inserted, which is an error in another session.
    pub(super) fn value(&self, value: &str) -> String {
        self.session.map_or_else(
            || value.to_owned(),
            |session| format!("IF(CONNECTION_ID() = {session}, {value}, {OUT_OF_RANGE})"),
        )
    }

    /// The result of a call, if its last statement was carried out by the session that it began in. Otherwise nothing that
    /// the call has stored may be there, so neither its ids nor damage that it found are right.
    pub(crate) async fn ended<C: Connection, T>(&self, connection: &mut C, result: Result<T>) -> Result<T> {
        let Some(session) = self.session else { return result };
        if let Err(error) = &result
            && !error.is_damaged()
            && error.number() != Some(ELSEWHERE)
        {
            return result;
        }
        match session_of(connection).await {
            Ok(now) if now == session => result,
            Ok(_) => Err(Error::once(ACTION)(Failure::Contradicted(LOST))),
            Err(failure) => Err(Error::once(ACTION)(failure)),
        }
    }
}

impl Context {
    /// Checks the server if that was not done a moment ago, because the caller's own connection is not checked, and notes the
    /// places of the map. The first time in a call, notes the session of the caller's connection.
    pub(crate) async fn check<C: Connection>(&self, connection: &mut C, caller: &mut Caller) -> Result<()> {
        let own = Retries::run(self.deadline, ACTION, || self.pool.acquire_at_once()).await?;
        caller.places = self.known_places.fresh();
        caller.places.extend(own.seen().place.clone());
        if C::CONNECTS_AGAIN && caller.session.is_none() {
            let session = self.session_here(connection, &caller.places).await.map_err(Error::once(ACTION))?;
            caller.session = Some(session);
        }
        Ok(())
    }

    /// The number of a session that leads to the map.
    async fn session_here<C: Connection>(&self, connection: &mut C, places: &[String]) -> Attempt<u64> {
        if !places.is_empty() {
            match connection.read(elsewhere(places)).await {
                Err(failure) if failure.number() == Some(ELSEWHERE) => {}
                rows => return only_number(&rows?),
            }
        }
        self.check_place(connection).await?;
        session_of(connection).await
    }

    /// Carries out a statement on the caller's connection, which must be in a transaction and lead to this map, as
    /// [`check`](Context::check) found it.
    pub(super) async fn execute_within<C: Connection>(
        &self,
        connection: &mut C,
        caller: &Caller,
        statement: &str,
    ) -> Attempt<()> {
        self.run_within(connection, caller, statement, None).await.map(drop)
    }

    /// Runs an `INSERT` of pairs like [`execute_within`](Context::execute_within); with `ignore`, it skips rows that
    /// are in the map. Returns the number of inserted rows, or `None` on Vitess and where the server's answers do not
    /// agree on it.
    pub(super) async fn insert_within<C: Connection>(
        &self,
        connection: &mut C,
        caller: &Caller,
        statement: &str,
        ignore: bool,
    ) -> Attempt<Option<u64>> {
        // Vitess counts the rows of one shard.
        let ignore = self.tables.places.is_none().then_some(ignore);
        self.run_within(connection, caller, statement, ignore).await
    }

    async fn run_within<C: Connection>(
        &self,
        connection: &mut C,
        caller: &Caller,
        statement: &str,
        ignore: Option<bool>,
    ) -> Attempt<Option<u64>> {
        let statement = &format!("{WITH_SETTINGS}{statement}");
        let before = IN_TRANSACTION.map(str::to_owned);
        // A temporary table hides the map's from this session alone.
        let (map, claim) = (&self.tables.map, &self.tables.claim);
        let tables = match self.installed.index {
            Index::Unique => vec![map],
            Index::Dedup => vec![map, claim],
        };
        let tables: Vec<String> = tables.iter().map(|table| show(table)).collect();
        // The place of a session whose number is known was checked before, and its statements prove that it is the same one.
        if caller.session.is_none() {
            if !caller.places.is_empty() {
                let checks = [&before[..], &[elsewhere(&caller.places)], &tables].concat();
                match run_after(connection, &checks, statement, ignore).await {
                    Err(failure) if failure.number() == Some(ELSEWHERE) => {}
                    done => return done.map_err(outside),
                }
            }
            self.check_place(connection).await?;
        }
        let checks = [&before[..], &tables].concat();
        run_after(connection, &checks, statement, ignore).await.map_err(outside)
    }

    /// Fails where [`execute_within`](Context::execute_within) would, before a statement that only reads.
    pub(super) async fn check_within<C: Connection>(
        &self,
        connection: &mut C,
        caller: &Caller,
    ) -> Attempt<()> {
        self.execute_within(connection, caller, "DO 0").await
    }

    /// Fails unless a caller's connection leads to the map: on another node of its cluster, or on its own server after the
    /// server's clock was set back.
    async fn check_place<C: Connection>(&self, connection: &mut C) -> Attempt<()> {
        let refused = |reason| Err(Failure::Refused(Box::new(Refusal::of_caller(reason))));
        if !self.pool.accept_unsafe() {
            let logged = connection.read(format!("SELECT IF({IS_LOGGED}, '1', '0')")).await?;
            if logged.first().map(|row| row.text(0)).transpose()?.flatten().as_deref() != Some("1") {
                let advice = "replicas would not get the pairs; claim on a session that has it on";
                let concern = Concern { variable: "sql_log_bin", value: "OFF".to_owned(), advice };
                return refused(Reason::Unsafe(vec![concern]));
            }
        }
        let state = schema::state(connection, &self.tables).await?;
        match self.pool.identity().epoch_of(state.as_ref()) {
            Ok(Some(epoch)) if epoch != self.now() => return Err(Failure::OtherEpoch),
            Ok(_) => {}
            Err(reason) => return refused(reason),
        }
        for _ in 0..LOOKS {
            let read = async |own: &mut PooledConnection| Place::read(&mut **own).await;
            let expected = self.pool.attempt(Take::AtOnce, read).await?;
            let found = Place::read(connection).await?;
            match expected.relation(&found) {
                Relation::Same => {
                    let rows = connection.read(here()).await?;
                    let place = rows.first().map(|row| row.text(0)).transpose()?.flatten();
                    place.into_iter().for_each(|place| self.known_places.note(place));
                    return Ok(());
                }
                Relation::Changing => tokio::time::sleep(PAUSE).await,
                Relation::Other => {
                    let table = self.tables.map.clone();
                    let (expected, found) = (expected.describe(), found.describe());
                    return refused(Reason::Copy { table, expected, found });
                }
            }
        }
        Err(Failure::Changing)
    }
}

/// Runs a statement after checks. Of an `INSERT`, which has `ignore`, the server's answers must agree on the number.
async fn run_after<C: Connection>(
    connection: &mut C,
    checks: &[String],
    statement: &str,
    ignore: Option<bool>,
) -> Attempt<Option<u64>> {
    match ignore {
        Some(ignore) => connection.insert_after(checks, statement, ignore, &mut false).await,
        None => connection.execute_after(checks, statement).await.map(Some),
    }
}

/// The failure of a statement after [`IN_TRANSACTION`].
fn outside(failure: Failure) -> Failure {
    match failure.number() {
        Some(1305) => Error::new(Kind::NotInTransaction).into(),
        _ => failure,
    }
}

/// The number of a connection's session.
async fn session_of<C: Connection>(connection: &mut C) -> Attempt<u64> {
    only_number(&connection.read(SESSION.to_owned()).await?)
}

fn only_number(rows: &[impl Values]) -> Attempt<u64> {
    number_at(rows.first().ok_or(Failure::Contradicted("the server did not report its session"))?, 0)
}
