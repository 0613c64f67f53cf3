//! Layer 3: the generators, one a file. Each is a value built from its sources. A new one is added here: its module, its export, its name, and how
//! it is built from settings.

#[cfg(all(feature = "prefixed", feature = "alloc"))]
mod any;
mod counted;
mod device_lease;
mod device_short;
mod draws;
mod fixed_prefix;
mod generate;
mod gregorian;
#[cfg(feature = "prefixed")]
pub(crate) mod layout;
mod line;
mod monotonic;
#[cfg(feature = "std")]
mod mysql_servers;
mod mysql_short;
#[cfg(test)]
mod order;
#[cfg(feature = "prefixed")]
mod prefixed;
mod reserve;
#[cfg(feature = "std")]
mod rows;
mod ulid;
pub(crate) mod unit;
mod v1_v6;
mod v4;
mod v7;

#[cfg(all(feature = "prefixed", feature = "alloc"))]
#[doc(hidden)]
pub use any::{AnyGenerator, GenerateShort, LayoutSettings, Settings};
pub use device_lease::DeviceLease;
pub use device_short::DeviceShort;
pub use fixed_prefix::{FixedPrefix, PrefixBits};
pub(crate) use generate::{Bits, NextBits, all_or_nothing, from_bits, to_bits};
pub use generate::{Generate, Ids};
#[cfg(feature = "std")]
pub(crate) use mysql_servers::MysqlServers;
pub use mysql_short::MysqlShort;
#[cfg(feature = "prefixed")]
pub use prefixed::{Prefixed, Tail};
#[cfg(feature = "std")]
pub use rows::ids_for_rows;
pub use ulid::Ulid;
pub use v1_v6::{V1, V6};
pub use v4::V4;
pub use v7::V7;

#[cfg(all(feature = "prefixed", feature = "alloc"))]
use {
    crate::error::Error,
    crate::kind::Kind,
    crate::source::{Clock, Entropy},
    alloc::boxed::Box,
};

use crate::source::State;

/// Generators show only their name, because their content is secret or of no use.
macro_rules! debug_by_name {
    ($([$($generics:tt)*] $name:ident $parameters:ty;)+) => {$(
        impl<$($generics)*> core::fmt::Debug for $parameters {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    )+};
}

debug_by_name! {
    [C, E, S: State] V1 V1<C, E, S>;
    [E] V4 V4<E>;
    [C, E, S: State] V6 V6<C, E, S>;
    [C, E, S: State] V7 V7<C, E, S>;
    [C, E, S: State] Ulid Ulid<C, E, S>;
    [C, E, S: State] FixedPrefix FixedPrefix<C, E, S>;
    [C, S: State] DeviceShort DeviceShort<C, S>;
    [S: State] MysqlShort MysqlShort<S>;
}
#[cfg(feature = "prefixed")]
debug_by_name! {
    [C, E, S: State] Prefixed Prefixed<C, E, S>;
}

#[cfg(all(feature = "prefixed", feature = "alloc"))]
impl AnyGenerator {
    /// The generator of a kind.
    ///
    /// # Errors
    /// Those of the settings, and of the generator.
    pub fn new<C, E, L>(
        kind: Kind,
        clock: C,
        entropy: E,
        layout: &L,
        settings: &impl Settings<Error = L::Error>,
    ) -> Result<Self, L::Error>
    where
        C: Clock + Send + 'static,
        E: Entropy + Send + 'static,
        L: LayoutSettings<Error: From<Error>>,
    {
        let (policy, node) = (settings.policy()?, settings.node()?);
        let state = || settings.state(kind);
        macro_rules! with_node {
            ($generator:expr) => {{
                let generator = match node {
                    Some(node) => $generator.with_node(node),
                    None => $generator,
                };
                Box::new(generator.with_policy(policy).with_state(state()?)?)
            }};
        }
        macro_rules! with_policy {
            ($generator:expr) => {
                AnyGenerator::Uuids(Box::new($generator.with_policy(policy).with_state(state()?)?))
            };
        }
        Ok(match kind {
            Kind::V1 => AnyGenerator::Uuids(with_node!(V1::new(clock, entropy))),
            Kind::V4 => AnyGenerator::Uuids(Box::new(V4::new(entropy))),
            Kind::V6 => AnyGenerator::Uuids(with_node!(V6::new(clock, entropy))),
            Kind::V7 => with_policy!(V7::new(clock, entropy)),
            Kind::Ulid => with_policy!(Ulid::new(clock, entropy)),
            Kind::Week | Kind::Prefixed => {
                let (prefix, interval, tail) = layout.prefixed(kind)?;
                let ids = Prefixed::new(clock, entropy, prefix, interval, tail);
                with_policy!(ids.map_err(|error| layout.refused(error))?)
            }
            Kind::FixedPrefix => with_policy!(FixedPrefix::new(clock, entropy, layout.fixed_prefix()?)),
            Kind::Short => AnyGenerator::Shorts(with_node!(DeviceShort::new(clock, entropy)?)),
            Kind::MysqlShort => {
                let ids = MysqlShort::new(clock, layout.server_id()?)?;
                AnyGenerator::Shorts(Box::new(ids.with_state(state()?)?))
            }
        })
    }
}
