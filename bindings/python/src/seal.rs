//! Sealed ids, and what a restored process must do.

use pyo3::prelude::*;

use crate::codecs::read_id;
use crate::cpython::{Safety, new_uuid};
use crate::errors::raise;

/// A secret that seals ids: version 7 in the database, and an id that looks like version 4 for everybody outside.
///
/// secret: at least 16 bytes. Without it, a sealed id reveals neither its time nor its order. Sealed ids are no access
/// tokens: every version 4 opens to some version 7, so look the result up.
///
/// >>> key = idgen.SealKey(b"a secret of at least 16 bytes")
/// >>> id = idgen.v7()
/// >>> key.seal(id).version, key.open(key.seal(id)) == id
/// (4, True)
#[pyclass(module = "idgen", frozen)]
pub(crate) struct SealKey(idgen::SealKey);

#[pymethods]
impl SealKey {
    #[new]
    #[pyo3(signature = (secret, /))]
    fn new(secret: &[u8]) -> PyResult<Self> {
        idgen::SealKey::new(secret).map(SealKey).map_err(raise)
    }

    /// The version 4 that stands for an id of version 7. ValueError for other versions.
    #[pyo3(signature = (id, /))]
    fn seal<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let sealed = self.0.seal(read_id(id)?).map_err(raise)?;
        new_uuid(id.py(), sealed, Safety::Unknown)
    }

    /// The version 7 for which a sealed id stands. ValueError for ids that are not of version 4.
    #[pyo3(signature = (id, /))]
    fn open<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let opened = self.0.open(read_id(id)?).map_err(raise)?;
        new_uuid(id.py(), opened, Safety::Unknown)
    }

    fn __repr__(&self) -> &'static str {
        "<idgen.SealKey>"
    }
}

/// Makes all generators of this process take new randomness before their next id.
///
/// Call it after a process or a machine was restored from a snapshot, before any thread generates ids: a second restore of
/// the same snapshot would otherwise repeat them. Generators with a state file, a fixed node or 64-bit ids need more than
/// this: a state, a node or a server id of their own.
///
/// >>> idgen.reseed()
#[pyfunction]
pub(crate) fn reseed() {
    idgen::reseed();
}
