//! A lease, as its row says.

use idgen::Timestamp;
use idgen::generator::DeviceLease;
use sqlx::Row;
use sqlx::mysql::MySqlRow;
use uuid::Uuid;

use crate::error::failure::{Attempt, Failure};
use crate::statement::sql::{literal, uuid_at};

/// The columns in the order in which [`Lease::of_row`] reads them.
pub(super) const COLUMNS: &str = "number, device, term, first_sec, last_sec";

/// A number that is leased to a device for a range of seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lease {
    pub(super) device: Uuid,
    pub(super) number: u16,
    pub(super) term: u64,
    pub(super) first: u32,
    pub(super) last: u32,
}

impl Lease {
    /// The device that holds the number.
    pub fn device(&self) -> Uuid {
        self.device
    }

    /// The number, the 16 bits of the device in 64-bit ids.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// Returns the term of the lease. It begins at 1 for each number, stays the same when a lease is renewed, and
    /// ascends when the lease is released, ended, or goes to another device.
    pub fn term(&self) -> u64 {
        self.term
    }

    /// The first second of which the device may make ids.
    pub fn not_before(&self) -> Timestamp {
        Timestamp::from_unix_secs(self.first.into())
    }

    /// The last second of which the device may make ids.
    pub fn not_after(&self) -> Timestamp {
        Timestamp::from_unix_secs(self.last.into())
    }

    /// Returns the lease in the form that the generator of the device takes.
    pub fn grant(&self) -> DeviceLease {
        DeviceLease::new(self.number, self.not_before(), self.not_after())
            .expect("the seconds of a lease are in order and fit a 64-bit id")
    }

    /// # Errors
    /// The row holds what no lease has: somebody else changed it.
    pub(super) fn of_row(row: &MySqlRow) -> Attempt<Lease> {
        let (term, first, last): (u64, u32, u32) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        let lease = Lease { number: row.try_get(0)?, device: uuid_at(row, 1)?, term, first, last };
        if first == 0 || first > last {
            return Err(Failure::Unreadable(format!(
                "the lease of the number {} is from second {first} to {last}, which no lease is: correct the row",
                lease.number
            )));
        }
        Ok(lease)
    }

    /// The values of [`COLUMNS`].
    pub(super) fn values(&self) -> String {
        let Lease { device, number, term, first, last } = self;
        format!("{number}, {}, {term}, {first}, {last}", literal(*device))
    }
}
