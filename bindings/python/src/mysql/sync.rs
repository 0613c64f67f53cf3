//! Changes of rows that devices made, applied in a transaction of the caller, for the classes of `idgen.mysql`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use idgen::source::ForkMark;
use idgen_mysql::Result;
use idgen_mysql::sync::{Change, Intake, KnownChanges, Operation, Sync, Table, Value};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString};
use tokio::sync::OnceCell;

use crate::codecs::read_uuid_only;
use crate::mysql::answer::uuid;
use crate::mysql::errors::raise;
use crate::mysql::map::{Map, forget_parents};
use crate::mysql::runtime;
use crate::mysql::within::Claiming;

type Live = Arc<OnceCell<Sync>>;

/// See idgen.mysql.
#[pyclass(module = "idgen._idgen", name = "_Sync", frozen)]
pub(crate) struct Syncing {
    map: Py<Map>,
    tables: Vec<Table>,
    intake: Intake,
    /// The tables as they were read, and the process that has read them: a forked child has a map of its own.
    live: Mutex<(ForkMark, Live)>,
}

/// A change as Python gives it: table, row, number, columns (`None` for a deletion), the highest number that the sender knows, and whether the
/// columns replace all others.
type Given<'py> = (String, String, u64, Option<BTreeMap<String, Bound<'py, PyAny>>>, Option<String>, bool);

/// A change that was read.
#[pyclass(module = "idgen._idgen", name = "_Change", frozen)]
pub(crate) struct Read(Change);

impl Syncing {
    /// The sync of this process, which reads the tables when it is first used.
    fn opened(&self, py: Python<'_>) -> impl Future<Output = Result<Sync>> + Send + use<> {
        let live = {
            let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
            forget_parents(&mut live);
            live.1.clone()
        };
        let connected = self.map.bind(py).get().connected();
        let (tables, intake) = (self.tables.clone(), self.intake.clone());
        async move {
            let open = async || Ok(connected.await?.sync(&tables).await?.intake(intake));
            Ok(live.get_or_try_init(open).await?.clone())
        }
    }
}

impl Drop for Syncing {
    fn drop(&mut self) {
        forget_parents(self.live.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}

#[pymethods]
impl Syncing {
    #[new]
    fn new(
        map: Py<Map>,
        tables: Vec<(String, Vec<(String, String)>)>,
        versions: Option<Vec<usize>>,
        future: f64,
        refuse_forgotten: bool,
    ) -> PyResult<Self> {
        let table = |(name, references): (String, Vec<(String, String)>)| {
            references.iter().fold(Table::new(&name), |table, (column, target)| table.refers(column, target))
        };
        let future = Duration::try_from_secs_f64(future)
            .map_err(|_| PyValueError::new_err(format!("future must be seconds, 0 or more, not {future}")))?;
        let intake = Intake::default().future(future);
        let intake = match versions {
            Some(versions) => intake.versions(&versions),
            None => intake,
        };
        let intake = if refuse_forgotten { intake.refuse_forgotten() } else { intake };
        let tables = tables.into_iter().map(table).collect();
        Ok(Syncing { map, tables, intake, live: Mutex::new((ForkMark::now(), Live::default())) })
    }

    /// The tables, as they are in the schema.
    fn describe<'py>(
        &self,
        py: Python<'py>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let opened = self.opened(py);
        runtime::run(py, callback, opened, |py, sync: Result<Sync>| match sync {
            Ok(sync) => sync.describe().into_py_any(py),
            Err(error) => Err(raise(py, &error)),
        })
    }

    /// Reads a change. An error is about this change alone.
    #[staticmethod]
    fn read(given: Given<'_>) -> PyResult<Read> {
        change(given).map(Read)
    }

    /// The caller runs the statements.
    fn apply(&self, py: Python<'_>, batch: Vec<Py<Read>>) -> PyResult<Claiming> {
        let batch: Vec<Change> = batch.iter().map(|change| change.get().0.clone()).collect();
        let opened = self.opened(py);
        Claiming::start(|mut caller| async move { opened.await?.apply(&mut caller, &batch).await })
    }

    /// Erases a UUID, and remembers its digest.
    fn forget<'py>(
        &self,
        py: Python<'py>,
        uuid: &Bound<'py, PyAny>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let uuid = read_uuid_only(uuid)?;
        let opened = self.opened(py);
        let work = async move { opened.await?.forget(uuid).await };
        runtime::run(py, callback, work, |py, id| id.map_err(|error| raise(py, &error))?.into_py_any(py))
    }

    /// The references to rows that have not arrived.
    fn open_references<'py>(
        &self,
        py: Python<'py>,
        limit: usize,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let opened = self.opened(py);
        let work = async move { opened.await?.open_references(limit).await };
        runtime::run(py, callback, work, |py, open| {
            let open = open.map_err(|error| raise(py, &error))?;
            let row = |open: idgen_mysql::sync::OpenReference| {
                let (row, target) = (uuid(py, open.row.0)?, uuid(py, open.target.0)?);
                (open.table, row, open.column, open.target_table, target, open.age.as_secs()).into_py_any(py)
            };
            open.into_iter().map(row).collect::<PyResult<Vec<_>>>()?.into_py_any(py)
        })
    }
}

fn change((table, row, number, columns, known, replaces): Given<'_>) -> PyResult<Change> {
    let operation = match columns {
        None => Operation::Delete,
        Some(_) if replaces => Operation::Replace,
        Some(_) => Operation::Put,
    };
    let columns = columns.unwrap_or_default().into_iter();
    let values = columns
        .map(|(name, given)| Ok((name.clone(), value(&table, &name, &given)?)))
        .collect::<PyResult<BTreeMap<_, _>>>()?;
    let known =
        known.map(|known| known.parse::<KnownChanges>()).transpose().map_err(PyValueError::new_err)?;
    Ok(Change { table, row, number, known, operation, values })
}

fn value(table: &str, column: &str, given: &Bound<'_, PyAny>) -> PyResult<Value> {
    if given.is_none() {
        return Ok(Value::Null);
    }
    if given.cast::<PyBool>().is_ok() {
        return Ok(Value::Int(given.extract::<bool>()?.into()));
    }
    if given.cast::<PyInt>().is_ok() {
        return match (given.extract::<i64>(), given.extract::<u64>()) {
            (Ok(number), _) => Ok(Value::Int(number)),
            (_, Ok(number)) => Ok(Value::UInt(number)),
            _ => {
                Err(PyOverflowError::new_err(format!("the column {column} of {table} has more than 64 bits")))
            }
        };
    }
    if given.cast::<PyFloat>().is_ok() {
        return Ok(Value::Float(given.extract()?));
    }
    if given.cast::<PyString>().is_ok() {
        return Ok(Value::Text(given.extract()?));
    }
    if given.cast::<PyBytes>().is_ok() {
        return Ok(Value::Bytes(given.extract()?));
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "the column {column} of {table} cannot be a {kind}: give None, a bool, an int, a float, a str or bytes; other values \
         as the text that the server reads"
    )))
}
