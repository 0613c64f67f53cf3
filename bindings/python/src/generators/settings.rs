//! What all generators take: clock, state file, seed, and the policy for a clock that stands behind.

use std::path::PathBuf;
use std::time::Duration;

use idgen::Node;
use idgen::source::{
    Clock, ClockPolicy, Csprng, Entropy, FileState, FixedEntropy, NoState, State, WhenBehind,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDelta, PyInt, PyString};

use crate::errors::raise;
use crate::generators::clock::{DetachedClock, PythonClock};

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
            Err(PyTypeError::new_err(format!("clock must be a function, as time.time_ns, not {found}")))
        }
    }
}

/// The system's randomness, or what follows from a seed.
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

/// The tolerance in seconds or as a timedelta (ten seconds if left out), and what happens beyond it.
pub(super) fn read_policy(tolerance: Option<&Bound<'_, PyAny>>, when_behind: &str) -> PyResult<ClockPolicy> {
    let when_behind = match when_behind {
        "error" => WhenBehind::Error,
        "wait" => WhenBehind::Wait,
        "restart" => WhenBehind::Restart,
        _ => {
            let message = format!("when_behind must be error, wait or restart, not {when_behind:?}");
            return Err(PyValueError::new_err(message));
        }
    };
    let Some(tolerance) = tolerance else { return Ok(ClockPolicy { when_behind, ..ClockPolicy::DEFAULT }) };
    let seconds: f64 = match tolerance.cast::<PyDelta>() {
        Ok(delta) => delta.call_method0("total_seconds")?.extract()?,
        Err(_) => tolerance.extract()?,
    };
    let tolerance = Duration::try_from_secs_f64(seconds)
        .map_err(|_| PyValueError::new_err(format!("tolerance must be seconds, 0 or more, not {seconds}")))?;
    Ok(ClockPolicy { tolerance, when_behind })
}

/// A node: an integer of 48 bits, twelve hex digits, or "mac" for the network card's.
pub(super) fn read_node(node: &Bound<'_, PyAny>) -> PyResult<Node> {
    if let Ok(text) = node.cast::<PyString>() {
        return match text.to_str()? {
            "mac" => Node::mac().map_err(raise),
            text => text.parse().map_err(raise),
        };
    }
    if !node.is_instance_of::<PyInt>() {
        let found = node.get_type().name()?;
        return Err(PyTypeError::new_err(format!("node must be an int or str, not {found}")));
    }
    match node.extract::<u64>() {
        Ok(number) if number < 1 << 48 => {
            let [_, _, bytes @ ..] = number.to_be_bytes();
            Ok(Node::new(bytes))
        }
        _ => Err(PyValueError::new_err(format!("node is out of range (need a 48-bit value): {node}"))),
    }
}
