//! Numbers of devices for 64-bit ids, leased instead of drawn at random.
//!
//! A 64-bit id contains the second in which it was made and the number of its device. A lease is a number for a range of
//! seconds, and the generator of the device makes no id of another second. The table gives no two devices one number for the
//! same second. So ids of two leases differ whatever the clocks of the devices and of the servers do: a clock only decides
//! whether a device can work now.

mod attempt;
mod row;
mod table;

use std::pin::Pin;
use std::time::Duration;

use uuid::Uuid;

use crate::call::retry::Retries;
use crate::connection::nodes::{Nodes, PooledConnection, Take};
use crate::error::failure::{Attempt, Kind};
use crate::error::{Error, Result};
use crate::map::uuid_map::{UuidMap, finish};
use crate::table::sharded;
use attempt::{Held, Terms};
pub use row::Lease;

/// A day, in seconds.
const DAY: u64 = 86_400;

/// The work of one attempt.
type Work<'a, T> = Pin<Box<dyn Future<Output = Attempt<T>> + Send + 'a>>;

/// Leases the numbers of devices, which [`DeviceShort`](idgen::generator::DeviceShort) puts into 64-bit ids.
///
/// ```no_run
/// use idgen::generator::{DeviceShort, Generate};
/// use idgen_mysql::UuidMap;
/// use uuid::uuid;
///
/// # async fn example(map: UuidMap) -> Result<(), Box<dyn std::error::Error>> {
/// let leases = map.device_leases();
/// leases.install().await?;
///
/// // On the server, for a device that asks for it.
/// let lease = leases.lease(uuid!("6ccd780c-baba-1026-9564-5b8c656024db")).await?;
/// // On the device.
/// let mut ids = DeviceShort::system()?.with_lease(lease.grant());
/// assert_eq!(ids.next_id()?.device().node, lease.number());
/// # Ok(())
/// # }
/// ```
///
/// - **Who holds a number.** A device is a UUID that the installation of an app draws once. It has at most one number. If it
///   asks again, because it lost the answer or needs more time, it gets the same number for a longer time.
/// - **When a number goes to another device.** After the last second of its lease and the [margin](Self::margin), by the clock
///   of the database server. The new lease begins after the last second of the old one, so that a clock that is wrong causes
///   refused ids, and never equal ones.
/// - **When a lease begins.** By the margin before the time of the server, so that devices whose clocks are behind by less
///   than that can make ids at once.
///
/// Two copies of an installation hold the same number: an app must draw another UUID, and drop its lease, if it finds that it
/// was copied. If the database is restored from a backup, the leases since then are unknown: see "Backup" in docs/sync.md.
#[derive(Clone, Debug)]
pub struct DeviceLeases {
    map: UuidMap,
    terms: Terms,
}

impl UuidMap {
    /// The leases of device numbers in the schema of this map. They have a table of their own.
    pub fn device_leases(&self) -> DeviceLeases {
        DeviceLeases { map: self.clone(), terms: Terms { duration: 30 * DAY, margin: DAY } }
    }
}

impl DeviceLeases {
    /// Sets for how long a number is leased or renewed; 30 days by default. The duration is rounded down to whole
    /// seconds, at least one. No lease lasts beyond 2106-02-07, the end of 64-bit ids.
    #[must_use]
    pub fn duration(mut self, duration: Duration) -> Self {
        self.terms.duration = duration.as_secs().max(1);
        self
    }

    /// Sets how long a number rests after the last second of its lease; a day by default. All clients of a map should choose the
    /// same. It may be zero: then a device whose clock is behind can use a new number only later.
    #[must_use]
    pub fn margin(mut self, margin: Duration) -> Self {
        self.terms.margin = margin.as_secs();
        self
    }

    /// Creates the table of leases, or checks the existing one. It is safe to call at every start. The map must be
    /// installed.
    ///
    /// # Errors
    /// The map is not installed, the user may not create tables, or the table has other keys than those that keep numbers
    /// unique ([`is_schema`](Error::is_schema)).
    pub async fn install(&self) -> Result<()> {
        self.call("install the table of leases", |connection, table| {
            Box::pin(table::install(connection, table))
        })
        .await
    }

    /// Leases a number for a device, or makes the lease that it has longer. The lease is committed when this returns.
    /// Repeating a call is safe.
    ///
    /// # Errors
    /// No number is free: [`is_no_number_free`](Error::is_no_number_free), and
    /// [`next_free_number_at`](Error::next_free_number_at) says when there is one. The nil and the maximum UUID are no devices.
    pub async fn lease(&self, device: Uuid) -> Result<Lease> {
        refuse_markers(device)?;
        let terms = self.terms;
        let leased = self.call("lease a number", move |connection, table| {
            Box::pin(attempt::lease(connection, table, terms, device))
        });
        count("lease", leased.await)
    }

    /// Makes a lease longer, if the device still holds it. The device sends its number and its [term](Lease::term).
    ///
    /// # Errors
    /// The lease was released or ended, or its number went to another device: [`is_lease_lost`](Error::is_lease_lost). The
    /// ids that the device made within its lease stay unique. Call [`lease`](Self::lease) for a number from now on.
    pub async fn renew(&self, device: Uuid, number: u16, term: u64) -> Result<Lease> {
        let (terms, held) = (self.terms, Held { device, number, term });
        let renewed = self.call("renew a lease", move |connection, table| {
            Box::pin(attempt::renew(connection, table, terms, held))
        });
        count("renew", renewed.await)
    }

    /// Ends a lease early: the device states that it makes no further id with it, and the time of the last id that it made;
    /// [`not_before`](Lease::not_before) if it made none. Its number is free after that second and the margin.
    ///
    /// Returns false if there is nothing to release, because the lease has ended or was released already. Repeating a call
    /// is safe, also after the device got another lease.
    ///
    /// # Errors
    /// The second is not in the lease.
    pub async fn release(
        &self,
        device: Uuid,
        number: u16,
        term: u64,
        last: idgen::Timestamp,
    ) -> Result<bool> {
        let held = Held { device, number, term };
        let released = self.call("release a lease", move |connection, table| {
            Box::pin(attempt::release(connection, table, held, last))
        });
        count("release", released.await)
    }

    /// Ends the lease of a device that will never answer again, now. Returns the lease as it is then, or `None` if the device
    /// has none. Its number is free after the margin, which must cover how far the clock of the device was ahead: ids that it
    /// made for later seconds can be repeated. If the device asks again in time, it gets its number again.
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout).
    pub async fn expire(&self, device: Uuid) -> Result<Option<Lease>> {
        let expired = self.call("end a lease", move |connection, table| {
            Box::pin(attempt::expire(connection, table, device))
        });
        count("expire", expired.await)
    }

    /// The time of the server, and all leases in the order of their numbers, also those that have ended and whose numbers no
    /// other device has taken.
    ///
    /// # Errors
    /// The server fails for longer than the [timeout](crate::Builder::timeout).
    pub async fn list(&self) -> Result<(idgen::Timestamp, Vec<Lease>)> {
        self.call("list the leases", |connection, table| Box::pin(attempt::list(connection, table))).await
    }

    /// Returns the time from which the number of a lease can go to another device.
    pub fn free_at(&self, lease: &Lease) -> idgen::Timestamp {
        idgen::Timestamp::from_unix_secs(i64::try_from(self.terms.free_at(lease)).unwrap_or(i64::MAX))
    }

    /// Runs attempts until one succeeds. Each is a transaction, or can be repeated.
    async fn call<T, W>(&self, action: &'static str, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: for<'a> Fn(&'a mut PooledConnection, &'a str) -> Work<'a, T> + Send + Sync + 'static,
    {
        let context = self.map.context().await?;
        sharded::refuse(&context.tables, "a lease", "keep the leases on a server of their own")?;
        context.writable(&format!("cannot {action}"))?;
        let (deadline, nodes) = self.map.begin();
        let table = context.tables.lease.clone();
        finish(async move { Retries::run(deadline, action, || once(&nodes, &table, &work)).await }).await
    }
}

/// Counts a call about a lease of a device number, and returns its result.
fn count<T>(call: &'static str, result: Result<T>) -> Result<T> {
    let outcome = match &result {
        Ok(_) => "ok",
        Err(error) if error.is_no_number_free() => "none-free",
        Err(error) if error.is_lease_lost() => "lost",
        Err(_) => "failed",
    };
    metrics::counter!("idgen_map_leases_total", "call" => call, "result" => outcome).increment(1);
    result
}

async fn once<T, W>(nodes: &Nodes, table: &str, work: &W) -> Attempt<T>
where
    W: for<'a> Fn(&'a mut PooledConnection, &'a str) -> Work<'a, T>,
{
    nodes.attempt(Take::AtOnce, async |connection| work(connection, table).await).await
}

fn refuse_markers(device: Uuid) -> Result<()> {
    if device.is_nil() || device.is_max() {
        let problem = format!("{device} is no device: draw a UUID when the app is installed");
        return Err(Error::new(Kind::Config { problem }));
    }
    Ok(())
}
