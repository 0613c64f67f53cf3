//! Generators of any kind, for programs that learn the kind while they run: the command line and the C library.

use alloc::boxed::Box;
use core::result::Result;

use uuid::Uuid;

use crate::error::Error;
use crate::generator::{DeviceLease, DeviceShort, Generate, MysqlShort, PrefixBits, Tail};
use crate::interval::Interval;
use crate::kind::Kind;
use crate::node::Node;
use crate::prefix::Prefix;
use crate::short_id::ShortId;
use crate::source::{Clock, ClockPolicy, State};

/// The settings of the layout, as a program has them. Only those of the kind are read: whether the others are valid does not
/// matter.
pub trait LayoutSettings {
    /// The error of the program.
    type Error;

    /// Prefix, interval and tail of [`Kind::Week`] or [`Kind::Prefixed`].
    fn prefixed(&self, kind: Kind) -> Result<(Prefix, Interval, Tail), Self::Error>;
    /// The prefix of [`Kind::FixedPrefix`].
    fn fixed_prefix(&self) -> Result<PrefixBits, Self::Error>;
    /// The server of [`Kind::MysqlShort`].
    fn server_id(&self) -> Result<u8, Self::Error>;

    /// The error if the library refuses the settings of the layout, or the times of bounds.
    fn refused(&self, error: Error) -> Self::Error;
}

/// The settings of a generator, as a program has them.
pub trait Settings {
    /// The error of the program.
    type Error: From<Error>;

    /// The policy for a clock that is behind.
    fn policy(&self) -> Result<ClockPolicy, Self::Error>;
    /// The node; `None` for a random one.
    fn node(&self) -> Result<Option<Node>, Self::Error>;
    /// The state. Called last, because it takes the lock of a file.
    fn state(&self, kind: Kind) -> Result<Box<dyn State + Send>, Self::Error>;
}

/// Generates 64-bit ids.
pub trait GenerateShort: Generate<Id = ShortId> {
    /// Takes a lease, whose number is the node.
    ///
    /// # Errors
    /// `is_config` for ids that are not those of devices.
    fn set_lease(&mut self, lease: DeviceLease) -> Result<(), Error>;
}

impl<C: Clock, S: State> GenerateShort for DeviceShort<C, S> {
    fn set_lease(&mut self, lease: DeviceLease) -> Result<(), Error> {
        DeviceShort::set_lease(self, lease);
        Ok(())
    }
}

impl<S: State> GenerateShort for MysqlShort<S> {
    fn set_lease(&mut self, _: DeviceLease) -> Result<(), Error> {
        Err(Error::config("a lease has no effect on", Kind::MysqlShort, "leave it out"))
    }
}

/// A generator of either width.
pub enum AnyGenerator {
    /// Of 128 bits.
    Uuids(Box<dyn Generate<Id = Uuid> + Send>),
    /// Of 64 bits.
    Shorts(Box<dyn GenerateShort + Send>),
}
