//! Vitess: `main`, a sharded keyspace, and `lookup`, an unsharded keyspace that contains the sequences.
//! Manual: vitess.io/docs.

use std::fmt;
use std::time::{Duration, Instant};

use super::environment::{Environment, Machine};
use crate::error::Error;
use crate::{sql, url};

const SHARD: &str = include_str!("vitess_shard.sh");
const GATE: &str = include_str!("vitess_gate.sh");

/// The keyspace and the shard of the sequences.
const SEQUENCES: (&str, &str) = ("lookup", "0");

/// The same limit as for other clusters: a busy machine takes many times as long as an idle one.
const START_LIMIT: Duration = super::WHOLE_LIMIT;

/// A running Vitess whose shards have a MySQL server each. Dropping it removes its containers and networks;
/// so does the end of the program, however it ends.
///
/// ```no_run
/// use idgen_server::Vitess;
///
/// let vitess = Vitess::start()?;
/// vitess.kill(0)?;
/// // ... the rows of the other shard are still available ...
/// vitess.bring_back(0)?;
/// # Ok::<(), idgen_server::Error>(())
/// ```
pub struct Vitess {
    password: String,
    shards: &'static [&'static str],
    tablets: Vec<Machine>,
    gate: Machine,
    _ground: Environment,
}

impl Vitess {
    /// Starts two shards, the keyspace of the sequences and a gateway, and waits until all answer.
    ///
    /// # Errors
    /// No container engine answers, the image is missing (the message says what to run), or Vitess does not
    /// start (the end of its log is in the message).
    pub fn start() -> Result<Vitess, Error> {
        Vitess::of_shards(&["-80", "80-"])
    }

    /// Starts these shards, each named by its range of keyspace ids in hexadecimal (`40-80`), which together must be all ids.
    ///
    /// # Errors
    /// As [`Vitess::start`].
    pub fn of_shards(shards: &'static [&'static str]) -> Result<Vitess, Error> {
        let image = super::image_here("IDGEN_VITESS_IMAGE", "idgen-vitess:0.24")?;
        let environment = Environment::new("vitess")?;
        let password = uuid::Uuid::new_v4().simple().to_string();
        let all = tablets(shards);
        let gate_number = all.len();
        let etcd = environment.peer_address(gate_number);
        let mut arguments = vec![etcd.clone()];
        arguments.extend(all.iter().map(|(keyspace, _)| (*keyspace).to_owned()));
        let gate = environment.machine(gate_number, &image, &password, GATE, &arguments)?;
        let mut tablets = Vec::new();
        for (number, (keyspace, shard)) in all.into_iter().enumerate() {
            let own = environment.peer_address(number);
            let tablet = (100 + number).to_string();
            let arguments = [tablet, keyspace.to_owned(), shard.to_owned(), etcd.clone(), own];
            tablets.push(environment.machine(number, &image, &password, SHARD, &arguments)?);
        }
        let vitess = Vitess { password, shards, tablets, gate, _ground: environment };
        vitess.wait_whole()?;
        Ok(vitess)
    }

    /// The gateway's URL for the sharded keyspace `main`, with its password: not for logs.
    pub fn url(&self) -> String {
        url::with_schema(&url::remote(&self.password, &self.gate.front), "main")
    }

    /// Kills the shard of this number, its MySQL server and its tablet, with SIGKILL. The number after the last shard is the
    /// keyspace of the sequences.
    ///
    /// # Errors
    /// The engine refuses, for example because the shard is not running.
    ///
    /// # Panics
    /// There is no such shard.
    pub fn kill(&self, shard: usize) -> Result<(), Error> {
        self.tablets[shard].kill()
    }

    /// Starts a killed shard, and waits until the gateway reaches all of them.
    ///
    /// # Errors
    /// The shard does not come back.
    pub fn bring_back(&self, shard: usize) -> Result<(), Error> {
        self.tablets[shard].start()?;
        self.wait_whole()
    }

    fn wait_whole(&self) -> Result<(), Error> {
        let begin = Instant::now();
        loop {
            let Some(problem) = tablets(self.shards).iter().find_map(|(keyspace, shard)| {
                let url = url::with_schema(&self.url(), &format!("{keyspace}:{shard}"));
                sql::rows(&url, "SELECT @@server_id FROM DUAL").err()
            }) else {
                return Ok(());
            };
            let dead = self.tablets.iter().chain([&self.gate]).find(|machine| !machine.runs());
            if dead.is_some() || begin.elapsed() > START_LIMIT {
                let log = dead.unwrap_or(&self.gate).log();
                return Err(Error::new(format!("Vitess does not come up: {problem}\n{log}")));
            }
            std::thread::sleep(Duration::from_millis(250));
        }
    }
}

/// Keyspace and shard of each tablet.
fn tablets(shards: &[&'static str]) -> Vec<(&'static str, &'static str)> {
    shards.iter().map(|shard| ("main", *shard)).chain([SEQUENCES]).collect()
}

impl fmt::Debug for Vitess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vitess").field("url", &url::redacted(&self.url())).finish()
    }
}
