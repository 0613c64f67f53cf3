//! The settings of all generators: clock, state file, seed, and the policy for a clock that is behind.

use std::path::PathBuf;
use std::time::Duration;

use idgen::source::{
    Clock, ClockPolicy, Csprng, Entropy, FileState, FixedEntropy, NoState, State, WhenBehind,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDelta};

use crate::clock::{DetachedClock, PythonClock};
use crate::errors::raise;

pub(super) type AnyClock = Box<dyn Clock + Send>;
pub(super) type AnyEntropy = Box<dyn Entropy + Send>;
pub(super) type AnyState = Box<dyn State + Send>;

/// The system's clock, or a function.
pub(super) fn read_clock(clock: Option<Bound<'_, PyAny>>) -> PyResult<AnyClock> {
    match clock {
        None => Ok(Box::new(DetachedClock)),
        Some(clock) if clock.is_callable() => Ok(Box::new(PythonClock(clock.unbind()))),
        Some(other) => {
            let found = other.get_type().name()?;
            Err(PyTypeError::new_err(format!("clock must be a function, such as time.time_ns, not {found}")))
        }
    }
}

/// The system's randomness, or that of a seed.
pub(super) fn read_entropy(seed: Option<u64>) -> PyResult<AnyEntropy> {
    Ok(match seed {
        Some(seed) => Box::new(FixedEntropy::new(seed)),
        None => Box::new(Csprng::new().map_err(raise)?),
    })
}

/// Nothing, or a file.
pub(super) fn read_state(path: Option<PathBuf>) -> PyResult<AnyState> {
    Ok(match path {
        Some(path) => Box::new(FileState::open(path).map_err(raise)?),
        None => Box::new(NoState),
    })
}

/// Seconds as a number, infinite ones too, or a timedelta.
fn read_seconds(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let seconds: f64 = match given.cast::<PyDelta>() {
        Ok(delta) => delta.call_method0("total_seconds")?.extract()?,
        Err(_) if given.is_instance_of::<PyBool>() => {
            return Err(PyTypeError::new_err(format!("{name} must be seconds or a timedelta, not {given}")));
        }
        Err(_) => given.extract()?,
    };
    if seconds == f64::INFINITY {
        return Ok(Duration::MAX);
    }
    Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("{name} must be seconds, 0 or more, not {seconds}")))
}

/// The tolerance (ten seconds if left out), what happens beyond it, and the longest wait (a minute).
fn read_policy(
    tolerance: Option<&Bound<'_, PyAny>>,
    when_behind: &str,
    longest_wait: Option<&Bound<'_, PyAny>>,
) -> PyResult<ClockPolicy> {
    let when_behind = match when_behind {
        "error" => WhenBehind::Error,
        "wait" => WhenBehind::Wait,
        "restart" => WhenBehind::Restart,
        _ => {
            let message = format!("when_behind must be error, wait or restart, not {when_behind:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    let mut policy = ClockPolicy::DEFAULT.with_when_behind(when_behind);
    if let Some(tolerance) = tolerance {
        policy = policy.with_tolerance(read_seconds("tolerance", tolerance)?);
    }
    if let Some(longest_wait) = longest_wait {
        policy = policy.with_longest_wait(read_seconds("longest_wait", longest_wait)?);
    }
    Ok(policy)
}

/// Clock, randomness, policy and state of a generator.
pub(super) struct Common {
    pub(super) clock: AnyClock,
    pub(super) entropy: AnyEntropy,
    pub(super) policy: ClockPolicy,
    /// Opened last, because that takes its lock.
    pub(super) state: Option<PathBuf>,
}

impl Common {
    /// From the arguments that all generators with a clock have.
    pub(super) fn read(
        clock: Option<Bound<'_, PyAny>>,
        state: Option<PathBuf>,
        seed: Option<u64>,
        tolerance: Option<Bound<'_, PyAny>>,
        when_behind: &str,
        longest_wait: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        Ok(Common {
            policy: read_policy(tolerance.as_ref(), when_behind, longest_wait.as_ref())?,
            clock: read_clock(clock)?,
            entropy: read_entropy(seed)?,
            state,
        })
    }
}

/// Defines the class of a generator, from its own arguments (by position or keyword; then by keyword only), and from
/// those of [`Common`]. The expression makes the generator from them.
macro_rules! class {
    (
        $(#[$doc:meta])*
        $class:ident: $base:ident,
        ($($place:ident: $place_type:ty = $place_default:tt),*; $($key:ident: $key_type:ty = $key_default:tt),*)
        |$common:ident| $make:expr
    ) => {
        $(#[$doc])*
        #[pyclass(module = "idgen", extends = $base, frozen)]
        pub(crate) struct $class;

        #[pymethods]
        impl $class {
            #[new]
            #[pyo3(signature = (
                $($place=$place_default,)* *, $($key=$key_default,)*
                clock=None, state=None, seed=None, tolerance=None, when_behind="restart", longest_wait=None,
            ))]
            #[allow(clippy::too_many_arguments, reason = "they are keywords in Python")]
            fn new(
                $($place: $place_type,)*
                $($key: $key_type,)*
                clock: Option<Bound<'_, PyAny>>,
                state: Option<std::path::PathBuf>,
                seed: Option<u64>,
                tolerance: Option<Bound<'_, PyAny>>,
                when_behind: &str,
                longest_wait: Option<Bound<'_, PyAny>>,
            ) -> PyResult<PyClassInitializer<Self>> {
                use $crate::generators::settings::{Common, read_state};

                let $common = Common::read(clock, state, seed, tolerance, when_behind, longest_wait)?;
                let (policy, state) = ($common.policy, $common.state.clone());
                let ids = $make.with_policy(policy);
                let ids = ids.with_state(read_state(state)?).map_err($crate::errors::raise)?;
                Ok(PyClassInitializer::from($base::new(stringify!($class), ids)).add_subclass($class))
            }
        }
    };
}
pub(super) use class;
