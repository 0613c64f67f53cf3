//! A map, for the classes of `idgen.mysql`: each method waits, or calls a callback.
//!
//! The connections belong to the process that opened them. If a forked child used its parent's connections, its
//! statements would mix with the parent's. So it abandons them without closing them, and connects again.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::TryStreamExt;
use futures_util::stream::StreamExt;
use idgen::Uuid;
use idgen::source::ForkMark;
use idgen_mysql::{Builder, Finding, IdWidth, Position, Result, UuidMap};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use tokio::sync::OnceCell;

use crate::codecs::read_uuid_only;
use crate::cpython::{Safety, new_uuid};
use crate::mysql::errors::raise;
use crate::mysql::runtime;
use crate::mysql::within::Claiming;

type Live = Arc<OnceCell<UuidMap>>;
type Answer<'py> = PyResult<Bound<'py, PyAny>>;

/// See idgen.mysql.
#[pyclass(module = "idgen._idgen", name = "_Map", frozen)]
pub(crate) struct Map {
    urls: Vec<String>,
    choices: Builder,
    /// The connections, and the process that opened them.
    live: Mutex<(ForkMark, Live)>,
}

impl Map {
    /// The map of this process, which connects when it is first used.
    fn live(&self) -> Live {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        forget_parents(&mut live);
        live.1.clone()
    }

    /// Connects unless it is connected.
    pub(super) fn connected(&self) -> impl Future<Output = Result<UuidMap>> + Send + use<> {
        let (live, url, choices) = (self.live(), self.urls.clone(), self.choices.clone());
        async move { Ok(live.get_or_try_init(async || choices.connect_any(&url).await).await?.clone()) }
    }

    /// Runs a call, and waits for it if there is no callback.
    fn run<'py, T, F>(
        &self,
        py: Python<'py>,
        callback: Option<Bound<'py, PyAny>>,
        call: impl FnOnce(UuidMap) -> F + Send + 'static,
        convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> Answer<'py>
    where
        T: Send + 'static,
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let connected = self.connected();
        let work = async move { call(connected.await?).await };
        let end = |py: Python<'_>, done: Result<T>| match done {
            Ok(value) => convert(py, value),
            Err(error) => Err(raise(py, &error)),
        };
        runtime::run(py, callback, work, end)
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        forget_parents(self.live.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A child only forgets its parent's connections. Parent and child share epoll's list of them after a fork, and closing
/// a connection removes it from the list, so the parent would no longer receive answers.
pub(super) fn forget_parents<L: Default>(live: &mut (ForkMark, L)) {
    if live.0.is_stale() {
        std::mem::forget(std::mem::replace(live, (ForkMark::now(), L::default())));
    }
}

#[pymethods]
impl Map {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        urls: Vec<String>,
        table: &str,
        index: Option<&str>,
        id_bits: Option<u8>,
        cache: usize,
        largest_block: u64,
        timeout: f64,
        connections: u32,
        answer_limit: f64,
        accept_unsafe_server: bool,
        read_only: bool,
        allow_exhausting_import: bool,
    ) -> PyResult<Self> {
        let wrong = |error: idgen_mysql::Error| PyValueError::new_err(error.to_string());
        let timeout = Duration::try_from_secs_f64(timeout).map_err(|_| {
            PyValueError::new_err(format!("timeout must be seconds, 0 or more, not {timeout}"))
        })?;
        let answer_limit = Duration::try_from_secs_f64(answer_limit).map_err(|_| {
            PyValueError::new_err(format!("answer_limit must be seconds, 0 or more, not {answer_limit}"))
        })?;
        let mut choices = UuidMap::builder()
            .answer_limit(answer_limit)
            .table(table)
            .cache(cache)
            .largest_block(largest_block)
            .timeout(timeout)
            .connections(connections)
            .accept_unsafe_server(accept_unsafe_server)
            .read_only(read_only)
            .allow_exhausting_import(allow_exhausting_import);
        if let Some(index) = index {
            choices = choices.index(index.parse().map_err(wrong)?);
        }
        choices = match id_bits {
            None => choices,
            Some(32) => choices.id_width(IdWidth::Bits32),
            Some(64) => choices.id_width(IdWidth::Bits64),
            Some(other) => {
                return Err(PyValueError::new_err(format!("id_bits must be 32 or 64, not {other}")));
            }
        };
        Ok(Map { urls, choices, live: Mutex::new((ForkMark::now(), Live::default())) })
    }

    fn install<'py>(&self, py: Python<'py>, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        self.run(py, callback, |map| async move { map.install().await }, |py, ()| Ok(py.None()))
    }

    fn install_sync<'py>(&self, py: Python<'py>, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        self.run(py, callback, |map| async move { map.install_sync().await }, |py, ()| Ok(py.None()))
    }

    fn id_of<'py>(
        &self,
        py: Python<'py>,
        uuid: &Bound<'py, PyAny>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let uuid = read_uuid_only(uuid)?;
        self.run(py, callback, move |map| async move { map.id_of(uuid).await }, object)
    }

    fn ids_of<'py>(
        &self,
        py: Python<'py>,
        uuids: &Bound<'py, PyAny>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let uuids = read_ids(uuids)?;
        self.run(py, callback, move |map| async move { map.ids_of(&uuids).await }, object)
    }

    fn register<'py>(
        &self,
        py: Python<'py>,
        uuid: &Bound<'py, PyAny>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let uuid = read_uuid_only(uuid)?;
        self.run(py, callback, move |map| async move { map.register(uuid).await }, object)
    }

    /// The caller runs the statements.
    fn claim_within(&self, uuids: &Bound<'_, PyAny>) -> PyResult<Claiming> {
        let uuids = read_ids(uuids)?;
        let connected = self.connected();
        Claiming::start(|mut caller| async move { connected.await?.ids_of_within(&mut caller, &uuids).await })
    }

    /// The same for one UUID.
    fn claim_one_within(&self, uuid: &Bound<'_, PyAny>) -> PyResult<Claiming> {
        let uuid = read_uuid_only(uuid)?;
        let connected = self.connected();
        Claiming::start(|mut caller| async move {
            Ok(vec![connected.await?.id_of_within(&mut caller, uuid).await?])
        })
    }

    /// The same for one UUID that must be new.
    fn register_within(&self, uuid: &Bound<'_, PyAny>) -> PyResult<Claiming> {
        let uuid = read_uuid_only(uuid)?;
        let connected = self.connected();
        Claiming::start(|mut caller| async move {
            Ok(vec![connected.await?.register_within(&mut caller, uuid).await?])
        })
    }

    fn find_many<'py>(
        &self,
        py: Python<'py>,
        uuids: &Bound<'py, PyAny>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let uuids = read_ids(uuids)?;
        self.run(py, callback, move |map| async move { map.find_many(&uuids).await }, object)
    }

    fn uuids_of<'py>(
        &self,
        py: Python<'py>,
        ids: Vec<u64>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        self.run(
            py,
            callback,
            move |map| async move { map.uuids_of(&ids).await },
            |py, found| {
                let uuids =
                    found.into_iter().map(|id| id.map(|id| new_uuid(py, id, Safety::Unknown)).transpose());
                Ok(PyList::new(py, uuids.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind())
            },
        )
    }

    fn export_page<'py>(
        &self,
        py: Python<'py>,
        after: u64,
        most: usize,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let read =
            move |map: UuidMap| async move { map.export(after).take(most).try_collect::<Vec<_>>().await };
        self.run(py, callback, read, |py, pairs: Vec<(u64, Uuid)>| {
            let pairs = pairs.into_iter().map(|(id, uuid)| Ok((id, new_uuid(py, uuid, Safety::Unknown)?)));
            Ok(PyList::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?.into_any().unbind())
        })
    }

    fn import_pairs<'py>(
        &self,
        py: Python<'py>,
        pairs: Vec<(u64, Bound<'py, PyAny>)>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let pairs =
            pairs.iter().map(|(id, uuid)| Ok((*id, read_uuid_only(uuid)?))).collect::<PyResult<Vec<_>>>()?;
        self.run(
            py,
            callback,
            move |map| async move { map.import(&pairs).await },
            |py, done| object(py, (done.stored, done.present)),
        )
    }

    /// Pairs since a position, and the position after them.
    fn changes<'py>(
        &self,
        py: Python<'py>,
        since: &str,
        most: usize,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let since: Position = match since {
            "" => Position::default(),
            text => {
                text.parse().map_err(|error: idgen_mysql::Error| PyValueError::new_err(error.to_string()))?
            }
        };
        let read = move |map: UuidMap| async move { map.changes(&since, most).await };
        self.run(py, callback, read, |py, (pairs, next): (Vec<(u64, Uuid)>, Position)| {
            let pairs = pairs.into_iter().map(|(id, uuid)| Ok((id, new_uuid(py, uuid, Safety::Unknown)?)));
            let pairs = PyList::new(py, pairs.collect::<PyResult<Vec<_>>>()?)?;
            Ok((pairs, next.to_string()).into_pyobject(py)?.into_any().unbind())
        })
    }

    fn forget<'py>(
        &self,
        py: Python<'py>,
        uuid: &Bound<'py, PyAny>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> Answer<'py> {
        let uuid = read_uuid_only(uuid)?;
        self.run(py, callback, move |map| async move { map.forget(uuid).await }, object)
    }

    fn check<'py>(&self, py: Python<'py>, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        self.run(
            py,
            callback,
            |map| async move { map.check().await },
            |py, findings| {
                let pair = |finding: &Finding| (finding.severity().to_string(), finding.text().to_owned());
                object(py, findings.iter().map(pair).collect::<Vec<_>>())
            },
        )
    }

    fn repair<'py>(&self, py: Python<'py>, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        self.run(py, callback, |map| async move { map.repair().await }, object)
    }

    fn fence<'py>(&self, py: Python<'py>, next_id: u64, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        self.run(py, callback, move |map| async move { map.fence(next_id).await }, |py, ()| Ok(py.None()))
    }

    /// The next call connects again.
    fn close<'py>(&self, py: Python<'py>, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        let live = {
            let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
            forget_parents(&mut live);
            std::mem::take(&mut live.1)
        };
        let work = async move {
            match live.get() {
                Some(map) => map.close().await,
                None => Ok(()),
            }
        };
        let end = |py: Python<'_>, done: Result<()>| match done {
            Ok(()) => Ok(py.None()),
            Err(error) => Err(raise(py, &error)),
        };
        runtime::run(py, callback, work, end)
    }

    fn stats<'py>(&self, py: Python<'py>, callback: Option<Bound<'py, PyAny>>) -> Answer<'py> {
        self.run(
            py,
            callback,
            |map| async move { map.stats().await },
            |py, stats| {
                let fields = PyDict::new(py);
                fields.set_item("next_id", stats.next_id)?;
                fields.set_item("used_percent", stats.used_percent)?;
                fields.set_item("pairs_estimate", stats.pairs_estimate)?;
                fields.set_item("data_bytes", stats.data_bytes)?;
                fields.set_item("index_bytes", stats.index_bytes)?;
                fields.set_item("claims", stats.claims)?;
                Ok(fields.into_any().unbind())
            },
        )
    }
}

fn object<T: for<'py> IntoPyObject<'py>>(py: Python<'_>, value: T) -> PyResult<Py<PyAny>> {
    value.into_py_any(py)
}

fn read_ids(uuids: &Bound<'_, PyAny>) -> PyResult<Vec<Uuid>> {
    uuids.try_iter()?.map(|uuid| read_uuid_only(&uuid?)).collect()
}
