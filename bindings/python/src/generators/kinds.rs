//! The 128-bit kinds: the table of their functions, and the classes of those that have few settings of their own.

use idgen::generator;
use pyo3::prelude::*;

use crate::arguments::read_node;
use crate::errors::raise;
use crate::generators::base::Generator;
use crate::generators::settings::{class, read_entropy};

/// The table of the 128-bit kinds: calls a macro with the kind, its name in Python, the functions that make one id or
/// many, whether `UUID.is_safe` is known, a description and an example.
macro_rules! for_kinds {
    ($then:ident, $argument:ident) => {
        $then! { $argument,
            V1 "v1" = idgen::v1, idgen::fill_v1, Safe:
                "A UUID of version 1, with a random node (RFC 9562 section 6.10)."
                ">>> idgen.v1().version\n1";
            V4 "v4" = idgen::v4, idgen::fill_v4, Unknown:
                "A random UUID, of version 4."
                ">>> idgen.v4().version\n4";
            V6 "v6" = idgen::v6, idgen::fill_v6, Unknown:
                "A UUID of version 6: as version 1, but sorted by time. Strictly ascending within a thread."
                ">>> idgen.v6() < idgen.v6()\nTrue";
            V7 "v7" = idgen::v7, idgen::fill_v7, Unknown:
                "A UUID of version 7: sorted by time. Strictly ascending within a thread."
                ">>> idgen.v7() < idgen.v7()\nTrue";
            Ulid "ulid" = idgen::ulid, idgen::fill_ulid, Unknown:
                "A ULID, as a uuid.UUID; to_base32 returns its 26 characters. Strictly ascending within a thread."
                ">>> len(idgen.to_base32(idgen.ulid()))\n26";
            Week "week" = idgen::week, idgen::fill_week, Unknown:
                "A week-prefixed id, version 4: 16 bits that stay the same for a week (in UTC), and a random tail."
                ">>> idgen.week().version\n4";
            Prefixed "prefixed" = idgen::prefixed, idgen::fill_prefixed, Unknown:
                "A prefixed id, version 8: 16 bits for the day (in UTC), and an ascending tail.\n\n\
                 Prefixed() takes other prefixes, intervals and tails."
                ">>> idgen.prefixed() < idgen.prefixed()\nTrue";
            FixedPrefix "fixed_prefix" = idgen::fixed_prefix, idgen::fill_fixed_prefix, Unknown:
                "A UUID of version 8 that begins with ffffffff, and an ascending tail: new rows go to the right edge of an\n\
                 index that already holds random keys. FixedPrefix() takes other prefixes."
                ">>> str(idgen.fixed_prefix())[:8]\n'ffffffff'";
        }
    };
}
pub(crate) use for_kinds;

/// Adds the classes of this file to the module.
pub(super) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<V1>()?;
    module.add_class::<V4>()?;
    module.add_class::<V6>()?;
    module.add_class::<V7>()?;
    module.add_class::<Ulid>()?;
    module.add_class::<FixedPrefix>()
}

/// A generator with an optional node.
macro_rules! with_node {
    ($class:ident, $node:ident, $common:ident) => {{
        let ids = generator::$class::new($common.clock, $common.entropy);
        match $node {
            Some(node) => ids.with_node(read_node(&node)?),
            None => ids,
        }
    }};
}

class! {
    /// A generator of UUIDs of version 7, strictly ascending.
    ///
    /// clock: a function that returns the time, as nanoseconds since 1970 (time.time_ns) or as an aware datetime.
    /// state: a file that keeps the position of the generator, so that the order holds over restarts.
    /// seed: a number that determines all random bits. For tests only, because the ids are then predictable.
    /// tolerance: by how many seconds the clock may be behind the last id (10).
    /// when_behind: what happens beyond the tolerance. "restart" continues at the clock's time with fresh randomness, so
    /// ids are then out of order; with a state, or with a fixed node of Short, it raises ClockBehindError. "error" raises
    /// ClockBehindError. "wait" waits for at most longest_wait.
    /// longest_wait: for how many seconds one call may wait (60).
    ///
    /// >>> new = idgen.V7(clock=lambda: 1_645_557_742_000_000_000, seed=1)
    /// >>> str(new())[:15]
    /// '017f22e2-79b0-7'
    V7: Generator, (;) |common| generator::V7::new(common.clock, common.entropy)
}

class! {
    /// A generator of ULIDs, strictly ascending. The arguments are those of V7.
    ///
    /// >>> new = idgen.Ulid(clock=lambda: 1_645_557_742_000_000_000, seed=1)
    /// >>> idgen.to_base32(new())[:10]
    /// '01FWHE4YDG'
    Ulid: Generator, (;) |common| generator::Ulid::new(common.clock, common.entropy)
}

class! {
    /// A generator of UUIDs of version 1.
    ///
    /// node: an integer of 48 bits, twelve hex digits, or "mac" for the network card's address. By default it is
    /// random, as RFC 9562 section 6.10 advises. The other arguments are those of V7.
    ///
    /// >>> hex(idgen.V1(node="9f6bdeced846")().node)
    /// '0x9f6bdeced846'
    V1: Generator, (; node: Option<Bound<'_, PyAny>> = None) |common| with_node!(V1, node, common)
}

class! {
    /// A generator of UUIDs of version 6, strictly ascending. The arguments are those of V1.
    ///
    /// >>> new = idgen.V6(node=0x9f6bdeced846)
    /// >>> new() < new()
    /// True
    V6: Generator, (; node: Option<Bound<'_, PyAny>> = None) |common| with_node!(V6, node, common)
}

class! {
    /// A generator of UUIDs of version 8 with a prefix that never changes, and an ascending tail.
    ///
    /// prefix: 1 to 8 hexadecimal digits, or "0b" and 1 to 32 binary digits. Of 2^32 random keys, one has the default;
    /// of 65,536, one has "ffff". The other arguments are those of V7.
    ///
    /// >>> new = idgen.FixedPrefix("ffff")
    /// >>> str(new())[:4], new() < new()
    /// ('ffff', True)
    FixedPrefix: Generator, (prefix: &str = "ffffffff";) |common| {
        let prefix = prefix.parse().map_err(raise)?;
        generator::FixedPrefix::new(common.clock, common.entropy, prefix)
    }
}

/// A generator of random UUIDs, of version 4.
///
/// seed: a number that determines all random bits. For tests only, because the ids are then predictable.
///
/// >>> idgen.V4(seed=1)() == idgen.V4(seed=1)()
/// True
#[pyclass(module = "idgen", extends = Generator, frozen)]
pub(crate) struct V4;

#[pymethods]
impl V4 {
    #[new]
    #[pyo3(signature = (*, seed=None))]
    fn new(seed: Option<u64>) -> PyResult<PyClassInitializer<Self>> {
        Ok(PyClassInitializer::from(Generator::new("V4", generator::V4::new(read_entropy(seed)?)))
            .add_subclass(V4))
    }
}
