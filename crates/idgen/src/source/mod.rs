//! Floor 2: everything that the outside world gives. Each source is an argument of the generators,
//! and each has a fixed twin for tests.

mod clock;
#[cfg(feature = "std")]
mod csprng;
mod entropy;
pub(crate) mod fork;
mod keystream;
mod node;
mod state;

#[cfg(feature = "std")]
mod state_file;
#[cfg(all(feature = "fast", feature = "std", target_arch = "x86_64"))]
mod tsc;

#[cfg(target_has_atomic = "64")]
pub use clock::FixedClock;
#[cfg(feature = "std")]
pub use clock::SystemClock;
pub use clock::{Clock, ClockPolicy, WhenBehind};
#[cfg(feature = "std")]
pub use csprng::{Csprng, OsEntropy, ThreadEntropy};
pub use entropy::{Entropy, FixedEntropy};
/// For bindings to other languages, which keep counters of their own; not part of the library's promises.
#[doc(hidden)]
pub use fork::SharedWord;
pub use state::{MemoryState, NoState, Saved, State};
#[cfg(feature = "std")]
pub use state_file::FileState;
