//! Arguments that several functions and classes take.

use idgen::Node;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::errors::raise;

/// The low byte of a MySQL server's id.
pub(crate) fn read_server_id(object: &Bound<'_, PyAny>) -> PyResult<u8> {
    if !object.is_instance_of::<PyInt>() {
        let found = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("server_id must be an int, not {found}")));
    }
    object
        .extract()
        .map_err(|_| PyOverflowError::new_err(format!("server_id must be 0 to 255, not {object}")))
}

/// A node: an integer of 48 bits, twelve hex digits, or "mac" for the network card's.
pub(crate) fn read_node(node: &Bound<'_, PyAny>) -> PyResult<Node> {
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
