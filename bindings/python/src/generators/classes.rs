//! The table of the 128-bit kinds, the base of their generators, and those with few settings of their own.

use std::path::PathBuf;

use idgen::generator::Generate;
use idgen::{Uuid, generator};
use pyo3::prelude::*;

use crate::batch::Maker;
use crate::cpython::Safety;
use crate::errors::raise;
use crate::forms::Form;
use crate::generators::settings::{read_clock, read_entropy, read_node, read_policy, read_state};
use crate::generators::shared::Shared;
use crate::generators::{MysqlShort, Prefixed, Short, ShortGenerator, Week};

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
                "A ULID, as a uuid.UUID; to_base32 gives its 26 characters. Strictly ascending within a thread."
                ">>> len(idgen.to_base32(idgen.ulid()))\n26";
            Week "week" = idgen::week, idgen::fill_week, Unknown:
                "A week-prefixed id, version 4: 16 bits that stay for the week (in UTC), and a random tail."
                ">>> idgen.week().version\n4";
            Prefixed "prefixed" = idgen::prefixed, idgen::fill_prefixed, Unknown:
                "A prefixed id, version 8: 16 bits for the day (in UTC), and an ascending tail.\n\n\
                 Prefixed() takes other prefixes, intervals and tails."
                ">>> idgen.prefixed() < idgen.prefixed()\nTrue";
            FixedPrefix "fixed_prefix" = idgen::fixed_prefix, idgen::fill_fixed_prefix, Unknown:
                "A UUID of version 8 that begins with ffff, and an ascending tail: new rows go to the right edge of an\n\
                 index that already holds random keys. FixedPrefix() takes other prefixes."
                ">>> str(idgen.fixed_prefix())[:4]\n'ffff'";
        }
    };
}
pub(crate) use for_kinds;

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Generator>()?;
    module.add_class::<V1>()?;
    module.add_class::<V4>()?;
    module.add_class::<V6>()?;
    module.add_class::<V7>()?;
    module.add_class::<Ulid>()?;
    module.add_class::<Week>()?;
    module.add_class::<Prefixed>()?;
    module.add_class::<FixedPrefix>()?;
    module.add_class::<ShortGenerator>()?;
    module.add_class::<Short>()?;
    module.add_class::<MysqlShort>()
}

/// From this many ids on, they are made without the GIL.
const LONG: usize = 2_048;

type AnyGenerator = Box<dyn Generate<Id = Uuid> + Send>;

/// What all generators of 128-bit ids can do. Threads may share one; pickle cannot copy it.
///
/// >>> new = idgen.V7()
/// >>> new() < new() < next(new)
/// True
#[pyclass(module = "idgen", frozen, subclass)]
pub(crate) struct Generator {
    generator: Shared<AnyGenerator>,
    name: &'static str,
}

impl Generator {
    pub(super) fn new(name: &'static str, generator: impl Generate<Id = Uuid> + Send + 'static) -> Self {
        Generator { generator: Shared::new(Box::new(generator)), name }
    }

    pub(crate) fn fill(&self, py: Python<'_>, ids: &mut [Uuid]) -> PyResult<()> {
        self.generator.run(py, ids.len() >= LONG, |generator| generator.fill(ids))
    }

    fn make<'py>(&self, py: Python<'py>, form: Form) -> PyResult<Bound<'py, PyAny>> {
        let id = self.generator.run(py, false, |generator| generator.next_id())?;
        form.make(py, &id, Safety::Unknown)
    }
}

#[pymethods]
impl Generator {
    /// The next id as a uuid.UUID.
    fn __call__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Uuid)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Uuid)
    }

    /// The next id as 36 characters.
    ///
    /// >>> len(idgen.V7().next_str())
    /// 36
    fn next_str<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Str)
    }

    /// The next id as 16 bytes.
    ///
    /// >>> len(idgen.V7().next_bytes())
    /// 16
    fn next_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Bytes)
    }

    /// The next id as an integer of 128 bits.
    ///
    /// >>> idgen.V7().next_int() < 1 << 128
    /// True
    fn next_int<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Int)
    }

    /// The next id as 22 characters of base64.
    ///
    /// >>> len(idgen.V7().next_base64())
    /// 22
    fn next_base64<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.make(py, Form::Base64)
    }

    /// Many ids, as idgen.batch() gives them.
    ///
    /// >>> len(idgen.V7().batch(100, form="str"))
    /// 100
    #[pyo3(signature = (count, /, form=None))]
    fn batch<'py>(&self, py: Python<'py>, count: isize, form: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
        Maker::Generator(self).batch(py, count, form)
    }

    /// Fills a writable buffer with ids, as idgen.fill() does.
    ///
    /// >>> idgen.V7().fill_buffer(bytearray(32))
    /// 2
    #[pyo3(signature = (buffer, /, form="bytes"))]
    fn fill_buffer(&self, buffer: &Bound<'_, PyAny>, form: &str) -> PyResult<usize> {
        Maker::Generator(self).fill_buffer(buffer, form)
    }

    fn __repr__(&self) -> String {
        format!("<idgen.{}>", self.name)
    }
}

/// The kinds that take no more than what all take: clock, state, seed and policy.
macro_rules! plain {
    ($($(#[$doc:meta])* $class:ident;)+) => {$(
        $(#[$doc])*
        #[pyclass(module = "idgen", extends = Generator, frozen)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (*, clock=None, state=None, seed=None, tolerance=None, when_behind="error"))]
            fn new(
                clock: Option<Bound<'_, PyAny>>,
                state: Option<PathBuf>,
                seed: Option<u64>,
                tolerance: Option<Bound<'_, PyAny>>,
                when_behind: &str,
            ) -> PyResult<PyClassInitializer<Self>> {
                let policy = read_policy(tolerance.as_ref(), when_behind)?;
                let ids = generator::$class::new(read_clock(clock)?, read_entropy(seed)?).with_policy(policy);
                let ids = ids.with_state(read_state(state)?).map_err(raise)?;
                Ok(PyClassInitializer::from(Generator::new(stringify!($class), ids)).add_subclass($class))
            }
        }
    )+};
}

plain! {
    /// A generator of UUIDs of version 7, strictly ascending.
    ///
    /// clock: a function that gives the time, as time.time_ns or as an aware datetime.
    /// state: a file in which it remembers what it made, so that the order holds over restarts.
    /// seed: makes the ids follow from this number: for tests, as they are no secret then.
    /// tolerance, when_behind: by how many seconds the clock may stand behind the last id, and what
    /// happens beyond: "error" (ClockBehindError), "wait", or "restart" with fresh randomness.
    ///
    /// >>> new = idgen.V7(clock=lambda: 1_645_557_742_000_000_000, seed=1)
    /// >>> str(new())[:15]
    /// '017f22e2-79b0-7'
    V7;
    /// A generator of ULIDs, strictly ascending. The arguments are those of V7.
    ///
    /// >>> new = idgen.Ulid(clock=lambda: 1_645_557_742_000_000_000, seed=1)
    /// >>> idgen.to_base32(new())[:10]
    /// '01FWHE4YDG'
    Ulid;
}

/// The kinds with a node.
macro_rules! with_node {
    ($($(#[$doc:meta])* $class:ident;)+) => {$(
        $(#[$doc])*
        #[pyclass(module = "idgen", extends = Generator, frozen)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (*, node=None, clock=None, state=None, seed=None, tolerance=None, when_behind="error"))]
            fn new(
                node: Option<Bound<'_, PyAny>>,
                clock: Option<Bound<'_, PyAny>>,
                state: Option<PathBuf>,
                seed: Option<u64>,
                tolerance: Option<Bound<'_, PyAny>>,
                when_behind: &str,
            ) -> PyResult<PyClassInitializer<Self>> {
                let policy = read_policy(tolerance.as_ref(), when_behind)?;
                let mut ids = generator::$class::new(read_clock(clock)?, read_entropy(seed)?).with_policy(policy);
                if let Some(node) = node {
                    ids = ids.with_node(read_node(&node)?);
                }
                let ids = ids.with_state(read_state(state)?).map_err(raise)?;
                Ok(PyClassInitializer::from(Generator::new(stringify!($class), ids)).add_subclass($class))
            }
        }
    )+};
}

with_node! {
    /// A generator of UUIDs of version 1.
    ///
    /// node: an integer of 48 bits, twelve hex digits, or "mac" for the network card's address; random
    /// if left out, as RFC 9562 section 6.10 advises. The other arguments are those of V7.
    ///
    /// >>> hex(idgen.V1(node="9f6bdeced846")().node)
    /// '0x9f6bdeced846'
    V1;
    /// A generator of UUIDs of version 6, strictly ascending. The arguments are those of V1.
    ///
    /// >>> new = idgen.V6(node=0x9f6bdeced846)
    /// >>> new() < new()
    /// True
    V6;
}

/// A generator of random UUIDs, of version 4.
///
/// seed: makes the ids follow from this number: for tests, as they are no secret then.
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

/// A generator of UUIDs of version 8 with a prefix that never changes, and an ascending tail.
///
/// prefix: 1 to 4 hexadecimal digits, or "0b" and 1 to 16 binary digits. The other arguments are those of V7.
///
/// >>> new = idgen.FixedPrefix("ffff")
/// >>> str(new())[:4], new() < new()
/// ('ffff', True)
#[pyclass(module = "idgen", extends = Generator, frozen)]
pub(crate) struct FixedPrefix;

#[pymethods]
impl FixedPrefix {
    #[new]
    #[pyo3(signature = (
        prefix="ffff", *, clock=None, state=None, seed=None, tolerance=None, when_behind="error",
    ))]
    fn new(
        prefix: &str,
        clock: Option<Bound<'_, PyAny>>,
        state: Option<PathBuf>,
        seed: Option<u64>,
        tolerance: Option<Bound<'_, PyAny>>,
        when_behind: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let policy = read_policy(tolerance.as_ref(), when_behind)?;
        let prefix = prefix.parse().map_err(raise)?;
        let ids = generator::FixedPrefix::new(read_clock(clock)?, read_entropy(seed)?, prefix);
        let ids = ids.with_policy(policy).with_state(read_state(state)?).map_err(raise)?;
        Ok(PyClassInitializer::from(Generator::new("FixedPrefix", ids)).add_subclass(FixedPrefix))
    }
}
