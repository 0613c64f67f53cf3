//! Layer 2: the sources that ids are generated from: clock, randomness, node and saved state. Each source is an
//! argument of the generators, and each has a fixed variant for tests.

#[cfg(feature = "state-file")]
mod child_close;
mod clock;
#[cfg(feature = "std")]
mod csprng;
mod entropy;
mod fixed;
pub(crate) mod fork;
mod keystream;
mod node;
mod state;

#[cfg(feature = "state-file")]
#[allow(clippy::incompatible_msrv, reason = "the feature says that it needs a newer compiler")]
mod state_file;
#[cfg(all(feature = "fast", feature = "std", target_arch = "x86_64"))]
mod tsc;

#[cfg(feature = "std")]
pub use clock::SystemClock;
pub(crate) use clock::Waits;
pub use clock::{Clock, ClockPolicy, FixedClock, WhenBehind};
#[cfg(feature = "std")]
pub use csprng::{Csprng, OsEntropy, ThreadEntropy};
pub use entropy::Entropy;
pub(crate) use entropy::MakeIds;
pub use fixed::FixedEntropy;
pub use fork::ForkMark;
pub use state::{MemoryState, NoState, Saved, State};
#[cfg(feature = "state-file")]
pub use state_file::FileState;
