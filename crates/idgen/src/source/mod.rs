//! Floor 2: everything that the outside world gives. Each source is an argument of the generators,
//! and each has a fixed twin for tests.

mod clock;
mod entropy;
pub(crate) mod fork;
mod node;
mod state;

#[cfg(feature = "std")]
mod state_file;

#[cfg(target_has_atomic = "64")]
pub use clock::FixedClock;
#[cfg(feature = "std")]
pub use clock::SystemClock;
pub use clock::{Clock, ClockPolicy, WhenBehind};
#[cfg(feature = "std")]
pub use entropy::{Csprng, OsEntropy, ThreadEntropy};
pub use entropy::{Entropy, FixedEntropy};
pub use state::{MemoryState, NoState, Saved, State};
#[cfg(feature = "std")]
pub use state_file::FileState;
