//! A client of the map behind an adversary, whose every answer is noted.

use std::time::Duration;

use idgen_mysql::{DriverAnswer, DriverConnection, DriverError, Error, Index, UuidMap};
use idgen_server::adversary::Adversary;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};
use uuid::Uuid;

use super::driver;
use super::ledger::Ledger;
use super::tables::Tables;

/// The time limit of a call, and of one answer. A statement without an answer takes the second.
const TIMEOUT: Duration = Duration::from_secs(12);
const ANSWER_LIMIT: Duration = Duration::from_secs(2);
/// A call that takes longer does not end: its limit is a tenth of this.
const HANGS: Duration = Duration::from_secs(120);
/// The time that the caller gives a call on its own connection, which the map does not limit.
const CALLER_LIMIT: Duration = Duration::from_secs(4);

/// The panic of a run that fails before anything is changed.
pub const LATE: &str = "no id, although nothing was changed";

pub struct Client<'a> {
    pub adversary: &'a Adversary,
    pub tables: &'a mut Tables,
    pub ledger: &'a mut Ledger,
    pub index: Index,
    map: Option<UuidMap>,
}

/// The end of a caller's transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum End {
    Commit,
    Rollback,
}

/// A call on the caller's connection.
#[derive(Clone, Copy)]
pub enum Within<'a> {
    IdOf(Uuid),
    IdsOf(&'a [Uuid]),
    Register(Uuid),
    Driver(&'a [Uuid]),
    DriverIdOf(Uuid),
}

impl<'a> Client<'a> {
    pub fn new(
        adversary: &'a Adversary,
        tables: &'a mut Tables,
        ledger: &'a mut Ledger,
        index: Index,
    ) -> Self {
        Client { adversary, tables, ledger, index, map: None }
    }

    /// Connects; false if that failed.
    pub async fn connect(&mut self) -> bool {
        // Few ids at a time, so that many are reserved.
        let builder = UuidMap::builder().index(self.index).largest_block(4).connections(4);
        let builder = builder.timeout(TIMEOUT).answer_limit(ANSWER_LIMIT);
        self.map = self.call("connect", builder.connect(self.adversary.url())).await.ok();
        self.map.is_some()
    }

    pub fn map(&self) -> UuidMap {
        self.map.clone().expect("a client that is connected")
    }

    pub fn is_open(&self) -> bool {
        self.map.is_some()
    }

    /// Waits for a call, for as long as calls may take, and notes its result.
    pub async fn call<T: std::fmt::Debug>(
        &mut self,
        name: &str,
        call: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        match tokio::time::timeout(HANGS, Box::pin(call)).await {
            Ok(result) => {
                self.ledger.note(name, &result);
                result
            }
            Err(_) => {
                self.ledger.violation(name, "it did not end");
                panic!("{name} did not end");
            }
        }
    }

    pub async fn id_of(&mut self, uuid: Uuid) -> Option<u64> {
        let map = self.map();
        let id = self.call("id_of", map.id_of(uuid)).await.ok()?;
        self.ledger.acknowledge("id_of", uuid, id);
        Some(id)
    }

    /// Repeats `id_of` until it succeeds, where no result is changed: on a busy machine, a call may be late.
    pub async fn surely(&mut self, uuid: Uuid) {
        for _ in 0..20 {
            if self.id_of(uuid).await.is_some() {
                return;
            }
        }
        panic!("{LATE}: {:?}", self.ledger.last());
    }

    pub async fn ids_of(&mut self, uuids: &[Uuid]) -> Option<Vec<u64>> {
        let map = self.map();
        let ids = self.call("ids_of", map.ids_of(uuids)).await.ok()?;
        self.all("ids_of", uuids, &ids);
        Some(ids)
    }

    fn all(&mut self, call: &str, uuids: &[Uuid], ids: &[u64]) {
        if uuids.len() != ids.len() {
            self.ledger.violation(call, format!("{} ids for {} UUIDs", ids.len(), uuids.len()));
        }
        for (uuid, id) in uuids.iter().zip(ids) {
            self.ledger.acknowledge(call, *uuid, *id);
        }
    }

    pub async fn register(&mut self, uuid: Uuid) {
        let (map, known) = (self.map(), self.ledger.id_of(&uuid));
        let result = self.call("register", map.register(uuid)).await;
        self.registered("register", uuid, known, result);
    }

    fn registered(&mut self, call: &str, uuid: Uuid, known: Option<u64>, result: Result<u64, Error>) {
        match (result, known) {
            (Ok(id), None) => self.ledger.acknowledge(call, uuid, id),
            (Ok(id), Some(known)) => {
                self.ledger.violation(call, format!("{uuid} is new with the id {id}, and had {known}"));
            }
            (Err(error), known) if error.is_duplicate() => {
                if known.is_none() {
                    self.ledger.violation(call, format!("{uuid} is called registered, and was not"));
                }
                if let Some(id) = error.existing_id() {
                    self.ledger.acknowledge(call, uuid, id);
                }
            }
            (Err(_), _) => {}
        }
    }

    pub async fn find(&mut self, uuids: &[Uuid]) {
        let map = self.map();
        if let Ok(ids) = self.call("find", map.find_many(uuids)).await {
            for (uuid, id) in uuids.iter().zip(ids) {
                self.ledger.found("find", *uuid, id);
            }
        }
    }

    pub async fn uuids_of(&mut self, ids: &[u64]) {
        let map = self.map();
        if let Ok(uuids) = self.call("uuids_of", map.uuids_of(ids)).await {
            for (id, uuid) in ids.iter().zip(uuids) {
                self.ledger.found_uuid("uuids_of", *id, uuid);
            }
        }
    }

    /// Claims in a transaction of the caller, whose connection leads through the adversary as well.
    pub async fn within(&mut self, caller: &mut MySqlConnection, what: Within<'_>, end: End) -> bool {
        let map = self.map();
        if sql(caller, "START TRANSACTION").await.is_err() {
            return false;
        }
        let uuids = match &what {
            Within::IdOf(uuid) | Within::Register(uuid) | Within::DriverIdOf(uuid) => {
                std::slice::from_ref(uuid)
            }
            Within::IdsOf(uuids) | Within::Driver(uuids) => uuids,
        };
        let work = async {
            match what {
                Within::IdOf(uuid) => Ok(vec![map.id_of_within(caller, uuid).await?]),
                Within::IdsOf(uuids) => map.ids_of_within(caller, uuids).await,
                Within::Register(uuid) => Ok(vec![map.register_within(caller, uuid).await?]),
                Within::Driver(uuids) => map.ids_of_within(&mut Driver(caller), uuids).await,
                Within::DriverIdOf(uuid) => Ok(vec![map.id_of_within(&mut Driver(caller), uuid).await?]),
            }
        };
        let call = "within";
        let Ok(result) = tokio::time::timeout(CALLER_LIMIT, Box::pin(work)).await else {
            // The caller closes its connection, which rolls back.
            self.ledger.note(call, &"the caller's limit");
            return false;
        };
        self.ledger.note(call, &result);
        let registers = matches!(what, Within::Register(_));
        if let Err(error) = &result
            && registers
            && error.is_duplicate()
        {
            let known = self.ledger.id_of(&uuids[0]);
            let same = error.existing_id() == known;
            if !same {
                let existing = error.existing_id();
                self.ledger.violation(call, format!("{} has {known:?}, and not {existing:?}", uuids[0]));
            }
        }
        let end = if result.is_ok() { end } else { End::Rollback };
        let ended = sql(caller, if end == End::Commit { "COMMIT" } else { "ROLLBACK" }).await;
        self.ledger.note("end", &ended.as_ref().map(|_| end == End::Commit));
        match (end, &ended, result) {
            (End::Commit, Ok(_), Ok(ids)) if registers => {
                let known = self.ledger.id_of(&uuids[0]);
                self.registered(call, uuids[0], known, Ok(ids[0]));
            }
            (End::Commit, Ok(_), Ok(ids)) => self.all(call, uuids, &ids),
            (End::Rollback, _, _) => self.ledger.rolled_back(uuids),
            // It may be committed.
            _ => {}
        }
        ended.is_ok()
    }

    pub async fn close(&mut self) {
        if let Some(map) = self.map.take() {
            let _ = self.call("close", map.close()).await;
        }
    }
}

pub async fn sql(connection: &mut MySqlConnection, statement: &str) -> Result<(), sqlx::Error> {
    let run = connection.execute(sqlx::raw_sql(AssertSqlSafe(statement.to_owned())));
    let late = || sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(CALLER_LIMIT, run).await.map_err(|_| late())?.map(drop)
}

/// A connection of the caller, which is made without a change.
pub async fn caller(adversary: &Adversary) -> MySqlConnection {
    adversary.watch(false);
    let connection = MySqlConnection::connect(adversary.url()).await.unwrap();
    adversary.watch(true);
    connection
}

/// Another driver, which runs one statement at a time.
struct Driver<'a>(&'a mut MySqlConnection);

impl DriverConnection for Driver<'_> {
    async fn run(&mut self, statement: &str) -> Result<DriverAnswer, DriverError> {
        driver::answer(self.0, statement).await
    }
}
