//! Sealed ids, and the function that a restored process must call.

use idgen::Uuid;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::clock::read_time;
use crate::codecs::read_id;
use crate::cpython::{Safety, new_uuid};
use crate::errors::raise;

/// A secret that seals ids: version 7 in the database, and an id that looks like version 4 for everybody outside.
///
/// secret: at least 16 bytes. Without it, a sealed id reveals neither its time nor its order. Sealed ids are not access
/// tokens: every version 4 opens to some version 7, so look up the result.
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

    /// A key from the content of a key file, as the command line reads it: all bytes but one line end at the end.
    ///
    /// ValueError if an editor changed the file (a byte order mark, UTF-16, several lines), or if it is a ring.
    ///
    /// >>> key = idgen.SealKey.from_file(b"a secret of at least 16 bytes\n")
    /// >>> id = idgen.v7()
    /// >>> key.seal(id) == idgen.SealKey(b"a secret of at least 16 bytes").seal(id)
    /// True
    #[staticmethod]
    #[pyo3(signature = (content, /))]
    fn from_file(content: &[u8]) -> PyResult<Self> {
        idgen::SealKey::from_file(content).map(SealKey).map_err(raise)
    }

    /// The version 4 that stands for an id of version 7. ValueError for other versions.
    #[pyo3(signature = (id, /))]
    fn seal<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        turned(id, |id| self.0.seal(id))
    }

    /// The version 7 for which a sealed id stands. ValueError for ids that are not of version 4.
    #[pyo3(signature = (id, /))]
    fn open<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        turned(id, |id| self.0.open(id))
    }

    fn __repr__(&self) -> &'static str {
        "<idgen.SealKey>"
    }
}

/// Seal keys that follow each other: each seals the ids of version 7 that were created from a moment on.
///
/// secret: the key of the ids before all moments. periods: pairs of a moment (nanoseconds since 1970, or an aware
/// datetime), in ascending order, and the secret of the ids that are created from then on. The time in an id chooses its
/// key, so an id has one sealed id, which stays the same when a pair is added. Choose moments in the future, and keep all
/// secrets.
///
/// >>> from datetime import datetime, timezone
/// >>> ring = idgen.SealRing(b"the first secret, 16 bytes or more", [
/// ...     (datetime(2100, 1, 1, tzinfo=timezone.utc), b"the secret for ids from 2100 on"),
/// ... ])
/// >>> id = idgen.v7()
/// >>> ring.open(ring.seal(id)) == id
/// True
#[pyclass(module = "idgen", frozen)]
pub(crate) struct SealRing(idgen::SealRing);

#[pymethods]
impl SealRing {
    #[new]
    #[pyo3(signature = (secret, periods=vec![], /))]
    fn new(secret: &[u8], periods: Vec<(Bound<'_, PyAny>, Bound<'_, PyBytes>)>) -> PyResult<Self> {
        let mut ring = idgen::SealRing::new(idgen::SealKey::new(secret).map_err(raise)?);
        for (from, secret) in periods {
            let key = idgen::SealKey::new(secret.as_bytes()).map_err(raise)?;
            ring = ring.and_from(read_time(&from)?, key).map_err(raise)?;
        }
        Ok(SealRing(ring))
    }

    /// A ring from the content of a file, as the command line reads it. The library's guide describes the lines.
    ///
    /// ValueError if it is not such a file, or if it has a byte order mark or is in UTF-16.
    ///
    /// >>> len(idgen.SealRing.from_file(b"""idgen seal ring
    /// ... begin the-first-secret-of-at-least-16-bytes
    /// ... 2027-01-01T00:00:00Z the-secret-for-ids-from-2027-on
    /// ... """))
    /// 2
    #[staticmethod]
    #[pyo3(signature = (content, /))]
    fn from_file(content: &[u8]) -> PyResult<Self> {
        idgen::SealRing::from_file(content).map(SealRing).map_err(raise)
    }

    /// The version 4 that stands for an id of version 7. ValueError for other versions, and for times beyond the year 2527.
    #[pyo3(signature = (id, /))]
    fn seal<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        turned(id, |id| self.0.seal(id))
    }

    /// The version 7 for which a sealed id stands. ValueError for ids that are not of version 4, and for about 15 of 16
    /// ids that no key of the ring sealed.
    #[pyo3(signature = (id, /))]
    fn open<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        turned(id, |id| self.0.open(id))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __repr__(&self) -> String {
        format!("<idgen.SealRing of {} keys>", self.0.len())
    }
}

/// Seals the ids of one type: version 7, and integers of 64 bits such as those of AUTO_INCREMENT.
///
/// prefix: that of the type, as of a TypeID; each type has keys of its own. keys: a SealRing, or a SealKey. A sealed id is a
/// uuid.UUID, of version 8 for an integer and of version 4 for a version 7; to_typed and Typed write it as a text. A wrong
/// key, type or character is noticed, except for one of 2^58 sealed integers and one of 16 sealed ids of version 7. The
/// specification is in docs/outside.md.
///
/// >>> users = idgen.TypeSeal("user", idgen.SealKey(b"a secret of at least 16 bytes"))
/// >>> text = idgen.to_typed("user", users.seal_int(42))
/// >>> text
/// 'user_3m4we5sqk3g809yj64bdp1xkhe'
/// >>> users.open_int(idgen.from_typed(text)[1])
/// 42
#[pyclass(module = "idgen", frozen)]
pub(crate) struct TypeSeal(idgen::TypeSeal);

#[pymethods]
impl TypeSeal {
    #[new]
    #[pyo3(signature = (prefix, keys, /))]
    fn new(prefix: &str, keys: &Bound<'_, PyAny>) -> PyResult<Self> {
        let made = match (keys.cast::<SealRing>(), keys.cast::<SealKey>()) {
            (Ok(ring), _) => idgen::TypeSeal::new(prefix, &ring.get().0),
            (_, Ok(key)) => idgen::TypeSeal::new(prefix, &idgen::SealRing::new(key.get().0.clone())),
            _ => {
                let class = keys.get_type().name()?;
                return Err(PyTypeError::new_err(format!(
                    "the keys of a type are a SealRing or a SealKey, not {class}"
                )));
            }
        };
        made.map(TypeSeal).map_err(raise)
    }

    /// The version 4 that stands for an id of version 7. ValueError for other versions.
    #[pyo3(signature = (id, /))]
    fn seal<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        turned(id, |id| self.0.seal(id))
    }

    /// The version 7 for which a sealed id stands. ValueError for other versions, and for 15 of 16 ids that were not sealed with
    /// this type and its keys: look up the result.
    #[pyo3(signature = (id, /))]
    fn open<'py>(&self, id: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        turned(id, |id| self.0.open(id))
    }

    /// The version 8 that stands for an integer from 0 to 2**64 - 1, sealed with the newest key. OverflowError for others.
    #[pyo3(signature = (number, /))]
    fn seal_int<'py>(&self, py: Python<'py>, number: u64) -> PyResult<Bound<'py, PyAny>> {
        new_uuid(py, self.0.seal_int(number), Safety::Unknown)
    }

    /// The integer for which a sealed id stands. ValueError if it was not sealed with this type and one of its keys.
    #[pyo3(signature = (id, /))]
    fn open_int(&self, id: &Bound<'_, PyAny>) -> PyResult<u64> {
        self.0.open_int(read_id(id)?).map_err(raise)
    }

    fn __repr__(&self) -> &'static str {
        "<idgen.TypeSeal>"
    }
}

/// The id that another one was sealed or opened to.
fn turned<'py>(
    id: &Bound<'py, PyAny>,
    turn: impl FnOnce(Uuid) -> idgen::Result<Uuid>,
) -> PyResult<Bound<'py, PyAny>> {
    new_uuid(id.py(), turn(read_id(id)?).map_err(raise)?, Safety::Unknown)
}

/// Makes all generators of this process take new randomness before their next id.
///
/// Call it after a process or a machine was restored from a snapshot, before any thread generates ids. Otherwise a second
/// restore of the same snapshot repeats ids. Generators with a state file, a fixed node or 64-bit ids also need a state, a
/// node or a server id of their own.
///
/// >>> idgen.reseed()
#[pyfunction]
pub(crate) fn reseed() {
    idgen::reseed();
}
