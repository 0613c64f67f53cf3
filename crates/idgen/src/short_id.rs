//! 64-bit ids: the value and its two layouts.

use core::fmt;
use core::str::FromStr;

use crate::codec::decimal;
use crate::error::{Error, Result};
use crate::timestamp::Timestamp;

/// A 64-bit id.
///
/// Store it as `BIGINT UNSIGNED`: device ids exceed a signed 64-bit integer from 2038-01-19 on. Send it as text,
/// because it exceeds 2^53, the largest integer that JSON readers handle exactly. For that reason, serde writes a
/// decimal string in human-readable formats (and also reads an integer).
///
/// ```
/// use idgen::{DeviceFields, ShortId};
///
/// let id = ShortId::from(DeviceFields { unix_secs: 1_795_219_200, node: 0xABCD, counter: 7 });
/// assert_eq!(id.device().node, 0xABCD);
/// assert_eq!(id.to_string().parse(), Ok(id));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct ShortId(u64);

/// The device layout: `unix_secs << 32 | node << 16 | counter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceFields {
    /// Seconds since 1970; 32 bits last until 2106-02-07.
    pub unix_secs: u32,
    /// The low two bytes of the hardware address, or a random number.
    pub node: u16,
    /// Starts anywhere and wraps within its 16 bits.
    pub counter: u16,
}

/// The layout of MySQL's `UUID_SHORT()`: `(server_id & 255) << 56 | startup_secs << 24`, plus a
/// counter that starts at 0 and carries into the seconds.
///
/// Source: MySQL Reference Manual, section Miscellaneous Functions, `UUID_SHORT()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MysqlShortFields {
    /// The low byte of the server's id.
    pub server_id: u8,
    /// The server's start time in seconds since 1970, plus one for each 2^24 ids since then.
    pub startup_secs: u32,
    /// Ids since then, modulo 2^24.
    pub counter: u32,
}

impl ShortId {
    /// The id with this number.
    #[inline]
    pub const fn new(number: u64) -> Self {
        ShortId(number)
    }

    /// The number, for a `BIGINT UNSIGNED` column.
    #[inline]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The fields in the device layout. Every number can be read this way, because the layout has no marker.
    #[inline]
    pub const fn device(self) -> DeviceFields {
        DeviceFields { unix_secs: (self.0 >> 32) as u32, node: (self.0 >> 16) as u16, counter: self.0 as u16 }
    }

    /// The fields in MySQL's layout. Every number can be read this way, because the layout has no marker.
    #[inline]
    pub const fn mysql(self) -> MysqlShortFields {
        MysqlShortFields {
            server_id: (self.0 >> 56) as u8,
            startup_secs: (self.0 >> 24) as u32,
            counter: self.0 as u32 & 0x00FF_FFFF,
        }
    }
}

impl DeviceFields {
    /// The second in which the id was generated.
    pub const fn timestamp(self) -> Timestamp {
        Timestamp::from_unix_secs(self.unix_secs as i64)
    }
}

impl MysqlShortFields {
    /// When the server started, if it generated fewer than 2^24 ids per second since then.
    pub const fn startup(self) -> Timestamp {
        Timestamp::from_unix_secs(self.startup_secs as i64)
    }
}

impl From<DeviceFields> for ShortId {
    #[inline]
    fn from(f: DeviceFields) -> Self {
        ShortId(u64::from(f.unix_secs) << 32 | u64::from(f.node) << 16 | u64::from(f.counter))
    }
}

impl From<MysqlShortFields> for ShortId {
    /// A counter beyond 24 bits carries into the seconds, as the server's does.
    fn from(f: MysqlShortFields) -> Self {
        let base = u64::from(f.server_id) << 56 | u64::from(f.startup_secs) << 24;
        ShortId(base.wrapping_add(u64::from(f.counter)))
    }
}

impl From<u64> for ShortId {
    fn from(number: u64) -> Self {
        ShortId(number)
    }
}

impl From<ShortId> for u64 {
    fn from(id: ShortId) -> Self {
        id.0
    }
}

impl fmt::Display for ShortId {
    /// Decimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl FromStr for ShortId {
    type Err = Error;

    /// Reads decimal digits only: no sign, no leading zero, at most 64 bits.
    ///
    /// # Errors
    ///
    /// `is_parse` for anything else.
    ///
    /// ```
    /// use idgen::ShortId;
    ///
    /// assert_eq!("102176818768904192".parse(), Ok(ShortId::new(102_176_818_768_904_192)));
    /// assert!("+1".parse::<ShortId>().unwrap_err().is_parse());
    /// ```
    fn from_str(text: &str) -> Result<Self> {
        let number = decimal::decode("a 64-bit id", 64, text.as_bytes())?;
        // Fits: `decode` refuses more than 64 bits.
        Ok(ShortId(number as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::string::ToString;

    #[test]
    fn short_ids_are_read_strictly() {
        for number in [0, 9, 10, 1 << 53, 1 << 63, u64::MAX] {
            assert_eq!(format!("{number}").parse(), Ok(ShortId::new(number)));
        }
        for (text, why) in [
            ("", "found 0"),
            ("+1", "'+' at offset 0"),
            ("-1", "'-' at offset 0"),
            ("01", "leading zero"),
            ("1 ", "' ' at offset 1"),
            ("0x1", "'x' at offset 1"),
            ("18446744073709551616", "64 bits"),
            ("340282366920938463463374607431768211456", "64 bits"),
        ] {
            let error = text.parse::<ShortId>().unwrap_err();
            assert!(error.is_parse() && error.to_string().contains(why), "{text}: {error}");
        }
    }
}
