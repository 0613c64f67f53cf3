//! Selects the UUIDs that are accepted from devices.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use idgen::Timestamp;
use uuid::{Uuid, Variant};

use crate::sync::change::Change;

type Owner = dyn Fn(&Change) -> Result<(), String> + Send + Sync;

/// The rules for what devices send. Each refuses one change, and leaves the others of the batch alone.
///
/// By default, the texts of UUIDs must be canonical (hyphenated, in lower case), of the RFC's variant, and of version 1, 4, 6, 7 or 8;
/// times in them may be a day in the future.
#[derive(Clone)]
pub struct Intake {
    versions: Vec<usize>,
    tolerance: Duration,
    owner: Option<Arc<Owner>>,
    forgotten: bool,
}

impl Default for Intake {
    fn default() -> Intake {
        Intake {
            versions: vec![1, 4, 6, 7, 8],
            tolerance: Duration::from_secs(86_400),
            owner: None,
            forgotten: false,
        }
    }
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Intake { versions, tolerance, forgotten, .. } = self;
        f.debug_struct("Intake")
            .field("versions", versions)
            .field("tolerance", tolerance)
            .field("forgotten", forgotten)
            .finish_non_exhaustive()
    }
}

impl Intake {
    /// The versions of UUIDs that are taken, such as only 7.
    #[must_use]
    pub fn versions(mut self, versions: &[usize]) -> Self {
        self.versions = versions.to_vec();
        self
    }

    /// Sets how far the time in a UUID of version 1, 6 or 7 may be in the future, by the clock of this program. A key from the far
    /// future would stay at the end of an index.
    #[must_use]
    pub fn future(mut self, tolerance: Duration) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Decides whether the sender may make this change: whether the row and those that it refers to belong to its device or
    /// tenant. The text of an error is given to the sender.
    #[must_use]
    pub fn owner(mut self, decide: impl Fn(&Change) -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.owner = Some(Arc::new(decide));
        self
    }

    /// Refuses changes that name a UUID that was [erased](crate::sync::Sync::forget), which a device may send again. By
    /// default, such a UUID is a new one, and its row gets a new integer. It takes one more statement for a batch with new rows.
    #[must_use]
    pub fn refuse_forgotten(mut self) -> Self {
        self.forgotten = true;
        self
    }

    pub(super) fn refuses_forgotten(&self) -> bool {
        self.forgotten
    }

    pub(super) fn check_owner(&self, change: &Change) -> Result<(), String> {
        self.owner.as_ref().map_or(Ok(()), |decide| decide(change))
    }

    /// The UUID of a text, if the rules take it.
    pub(super) fn uuid(&self, text: &str, now: Timestamp) -> Result<Uuid, String> {
        let shown: String = text.chars().take(60).flat_map(char::escape_default).collect();
        let uuid = Uuid::try_parse(text).ok().filter(|uuid| uuid.to_string() == text);
        let Some(uuid) = uuid else {
            return Err(format!(
                "\"{shown}\" is no UUID in canonical text: 36 characters, in lower case, with hyphens"
            ));
        };
        if uuid.is_nil() || uuid.is_max() {
            return Err(format!("{uuid} is the nil or the maximum UUID, which names no row"));
        }
        if uuid.get_variant() != Variant::RFC4122 {
            return Err(format!("{uuid} is not of the variant of RFC 9562"));
        }
        let version = uuid.get_version_num();
        if !self.versions.contains(&version) {
            return Err(format!("{uuid} is of version {version}; taken are {:?}", self.versions));
        }
        let time = matches!(version, 1 | 6 | 7).then(|| idgen::inspect_uuid(uuid).timestamp).flatten();
        match time {
            Some(time) if time > now.saturating_add(self.tolerance) => Err(format!(
                "{uuid} is of {time}, more than {} seconds in the future: correct the clock of the device, and give the \
                 row a new key",
                self.tolerance.as_secs()
            )),
            _ => Ok(uuid),
        }
    }
}

/// The time of this program's clock.
pub(super) fn now() -> Timestamp {
    Timestamp::from(SystemTime::now())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_refuses_and_says_why() {
        let now = Timestamp::from_unix_secs(1_800_000_000);
        let v7 = |secs: u64| {
            let bits = u128::from(secs * 1000) << 80 | 0x7 << 76 | 0x8 << 60 | 42;
            Uuid::from_u128(bits).to_string()
        };
        let intake = Intake::default();
        for good in [
            "6ccd780c-baba-1026-9564-5b8c656024db",
            "550e8400-e29b-41d4-a716-446655440000",
            &v7(1_800_086_400),
        ] {
            assert_eq!(intake.uuid(good, now).map(|uuid| uuid.to_string()), Ok(good.to_owned()));
        }
        for (bad, words) in [
            ("550E8400-e29b-41d4-a716-446655440000", "canonical"),
            ("{550e8400-e29b-41d4-a716-446655440000}", "canonical"),
            ("550e8400e29b41d4a716446655440000", "canonical"),
            (" 550e8400-e29b-41d4-a716-446655440000", "canonical"),
            ("", "canonical"),
            ("'; DROP TABLE é", "\\u{e9}"),
            ("00000000-0000-0000-0000-000000000000", "nil"),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", "maximum"),
            ("ffffffff-ffff-ffff-0000-000000000001", "variant"),
            ("550e8400-e29b-31d4-a716-446655440000", "version 3"),
            ("550e8400-e29b-f1d4-a716-446655440000", "version 15"),
            (&v7(1_800_086_401), "in the future"),
        ] {
            let said = intake.uuid(bad, now).unwrap_err();
            assert!(said.contains(words), "{bad}: {said}");
        }
        let strict = Intake::default().versions(&[7]).future(Duration::ZERO);
        assert!(
            strict.uuid("550e8400-e29b-41d4-a716-446655440000", now).unwrap_err().contains("taken are [7]")
        );
        assert!(
            strict.uuid(&v7(1_800_000_001), now).is_err() && strict.uuid(&v7(1_800_000_000), now).is_ok()
        );
    }
}
