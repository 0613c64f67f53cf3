//! Functions for `idgen.uuid` beyond the kinds: versions 1 and 6 with a node or clock sequence of the caller, and setting
//! version and variant in hashed or given bits.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use idgen::generator::{Generate, V1, V6};
use idgen::source::{Clock, Csprng, SystemClock};
use idgen::{Node, Uuid};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyInt};
use uuid::Builder;

use crate::cpython::{Safety, add_function_of_two, c_doc, new_uuid, shared_word};
use crate::errors::raise;
use crate::generators::Shared;

/// Nodes for which a generator is kept; the cache is emptied when a program asks for more.
const MOST_NODES: usize = 256;

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(_stamp, module)?)?;
    add_function_of_two(
        module,
        c"uuid1",
        c_doc!(
            "uuid1(node=None, clock_seq=None)\n--\n\nGenerate a UUID from a host ID, sequence number, and the current time.\n\n\
             Without a node, it is 47 random bits and the multicast bit (RFC 9562 section 6.10);\n\
             uuid1(getnode()) uses the hardware address.\n\n\
             >>> idgen.uuid.uuid1(node=1).node\n1\n"
        ),
        || ["node", "clock_seq"],
        |py, node, sequence| {
            let (id, safety) = match (node, sequence) {
                (None, None) => (idgen::v1(), Safety::Safe),
                (Some(node), None) => (of_node(py, Version::One, node_of_uuid1(node)?)?, Safety::Safe),
                (node, Some(sequence)) => {
                    let node = node.map_or_else(random_node, node_of_uuid1)?;
                    (at_next_tick(py, Version::One, node, sequence)?, Safety::Unknown)
                }
            };
            new_uuid(py, id, safety)
        },
    )?;
    add_function_of_two(
        module,
        c"uuid6",
        c_doc!(
            "uuid6(node=None, clock_seq=None)\n--\n\nAs uuid1(), but with its fields in another order, so that ids sort by time.\n\n\
             >>> idgen.uuid.uuid6() < idgen.uuid.uuid6()\nTrue\n"
        ),
        || ["node", "clock_seq"],
        |py, node, sequence| {
            let id = match (node, sequence) {
                (None, None) => idgen::v6(),
                (Some(node), None) => of_node(py, Version::Six, node_of_uuid6(node)?)?,
                (node, Some(sequence)) => {
                    let node = node.map_or_else(random_node, node_of_uuid6)?;
                    at_next_tick(py, Version::Six, node, sequence)?
                }
            };
            new_uuid(py, id, Safety::Unknown)
        },
    )
}

/// A UUID of 16 bytes with version and variant stamped over them.
#[pyfunction]
fn _stamp<'py>(data: &Bound<'py, PyBytes>, version: u8) -> PyResult<Bound<'py, PyAny>> {
    let bytes: [u8; 16] =
        data.as_bytes().try_into().map_err(|_| PyValueError::new_err("bytes is not a 16-char string"))?;
    let bits = u128::from_be_bytes(bytes) & !(0xF << 76) & !(0b11 << 62);
    let id = Uuid::from_u128(bits | u128::from(version & 0xF) << 76 | 0b10 << 62);
    new_uuid(data.py(), id, Safety::Unknown)
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Version {
    One,
    Six,
}

/// The next id with this node, which other processes may use too. The process has one generator for each node.
fn of_node(py: Python<'_>, version: Version, node: Node) -> PyResult<Uuid> {
    type Any = Box<dyn Generate<Id = Uuid> + Send>;
    static KEPT: OnceLock<Shared<HashMap<(Version, Node), Any>>> = OnceLock::new();
    KEPT.get_or_init(|| Shared::new(HashMap::new())).run(py, false, |kept| {
        if kept.len() >= MOST_NODES && !kept.contains_key(&(version, node)) {
            kept.clear();
        }
        let generator = match kept.entry((version, node)) {
            std::collections::hash_map::Entry::Occupied(kept) => kept.into_mut(),
            std::collections::hash_map::Entry::Vacant(place) => place.insert(match version {
                Version::One => Box::new(V1::new(SystemClock, Csprng::new()?).with_node(node)),
                Version::Six => Box::new(V6::new(SystemClock, Csprng::new()?).with_node(node)),
            }),
        };
        generator.next_id()
    })
}

/// An id whose clock sequence the caller chose, at a tick that no such id of this process or of related forked processes
/// had before.
fn at_next_tick(py: Python<'_>, version: Version, node: Node, sequence: &Bound<'_, PyAny>) -> PyResult<Uuid> {
    let sequence: u16 = sequence.bitand(0x3FFF)?.extract()?;
    let now = SystemClock.now().gregorian_ticks().ok_or_else(|| {
        PyOverflowError::new_err(
            "the clock is outside 1582 to 5236, the range of versions 1 and 6: correct it",
        )
    })?;
    let next = |last: u64| now.max(last + 1);
    let last = last_tick(py)?.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |last| Some(next(last)));
    let ticks = last.map_or(now, next);
    let builder = match version {
        Version::One => Builder::from_gregorian_timestamp(ticks, sequence, &node.bytes()),
        Version::Six => Builder::from_sorted_gregorian_timestamp(ticks, sequence, &node.bytes()),
    };
    Ok(builder.into_uuid())
}

/// The tick of the last id whose clock sequence the caller chose, in memory that forked children share.
///
/// # Errors
/// If the system refuses a page of memory.
pub(crate) fn last_tick(py: Python<'_>) -> PyResult<&'static AtomicU64> {
    static LAST: PyOnceLock<&AtomicU64> = PyOnceLock::new();
    LAST.get_or_try_init(py, || shared_word(py)).copied()
}

fn random_node() -> PyResult<Node> {
    Csprng::new().and_then(|mut random| Node::random(&mut random)).map_err(raise)
}

/// Refused beyond 48 bits, with the message of the standard library.
fn node_of_uuid1(node: &Bound<'_, PyAny>) -> PyResult<Node> {
    if !node.is_instance_of::<PyInt>() {
        let found = node.get_type().name()?;
        return Err(PyTypeError::new_err(format!("node must be an int, not {found}")));
    }
    match node.extract::<u64>() {
        Ok(number) if number < 1 << 48 => Ok(node_from(number)),
        _ => Err(PyValueError::new_err("field 6 out of range (need a 48-bit value)")),
    }
}

/// Cut to 48 bits, as the standard library does for this one.
fn node_of_uuid6(node: &Bound<'_, PyAny>) -> PyResult<Node> {
    node.bitand((1u64 << 48) - 1)?.extract().map(node_from)
}

fn node_from(number: u64) -> Node {
    let [_, _, bytes @ ..] = number.to_be_bytes();
    Node::new(bytes)
}
