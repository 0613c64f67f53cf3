//! Claims in a transaction of the caller, whose Python driver runs the statements.
//!
//! The call runs in the threads of this module. It passes each statement to the thread or the coroutine of the caller,
//! which alone uses the driver and handles its exceptions.

use std::sync::{Arc, Mutex, PoisonError};

use idgen_mysql::sync;
use idgen_mysql::{DriverAnswer, DriverConnection, DriverError, Result};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::{JoinError, JoinHandle};

use crate::mysql::answer::answered;
use crate::mysql::errors::raise;
use crate::mysql::runtime;

type Answer = std::result::Result<DriverAnswer, DriverError>;

/// The driver's result of a statement: names of columns, rows, number of changed rows.
#[derive(FromPyObject)]
pub(super) struct Given(Vec<String>, Vec<Vec<Option<Vec<u8>>>>, u64);

/// What a call gives.
pub(super) enum Done {
    Ids(Vec<u64>),
    Applied(sync::Answer),
}

impl From<Vec<u64>> for Done {
    fn from(ids: Vec<u64>) -> Done {
        Done::Ids(ids)
    }
}

impl From<sync::Answer> for Done {
    fn from(answer: sync::Answer) -> Done {
        Done::Applied(answer)
    }
}

impl Done {
    fn object(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        match self {
            Done::Ids(ids) => ids.into_py_any(py),
            Done::Applied(answer) => answered(py, &answer),
        }
    }
}

/// A running claim, or changes that are applied.
#[pyclass(module = "idgen._idgen", name = "_Claiming", frozen)]
pub(crate) struct Claiming(Arc<Mutex<Option<Under>>>);

struct Under {
    statements: Receiver<String>,
    answers: Sender<Answer>,
    call: JoinHandle<Result<Done>>,
}

impl Drop for Under {
    fn drop(&mut self) {
        self.call.abort();
    }
}

/// The connection of the other thread.
pub(super) struct Asked {
    statements: Sender<String>,
    answers: Receiver<Answer>,
}

impl DriverConnection for Asked {
    async fn run(&mut self, statement: &str) -> Answer {
        let gone = || DriverError::new(2013, "the caller has ended the call");
        self.statements.send(statement.to_owned()).await.map_err(|_| gone())?;
        self.answers.recv().await.ok_or_else(gone)?
    }
}

impl Claiming {
    /// Starts a call, which asks for its statements one by one.
    pub(super) fn start<F, T>(call: impl FnOnce(Asked) -> F) -> PyResult<Claiming>
    where
        F: Future<Output = Result<T>> + Send + 'static,
        T: Into<Done> + Send,
    {
        let (ask, statements) = channel(1);
        let (answers, answer) = channel(1);
        let work = call(Asked { statements: ask, answers: answer });
        let call = runtime::runtime()?.spawn(async move { work.await.map(Into::into) });
        let under = Under { statements, answers, call };
        Ok(Claiming(Arc::new(Mutex::new(Some(under)))))
    }

    /// Passes an answer on, and passes what follows it to the callback, or to the waiting caller.
    fn next<'py>(
        &self,
        py: Python<'py>,
        answer: Option<Answer>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let over = || PyRuntimeError::new_err("this claim has ended");
        let mut under = self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(over)?;
        let work = async move {
            if let Some(answer) = answer {
                // If the call has ended without the answer, the result says why.
                let _ = under.answers.send(answer).await;
            }
            match under.statements.recv().await {
                Some(statement) => Step::Statement(under, statement),
                None => Step::End((&mut under.call).await),
            }
        };
        let place = self.0.clone();
        let end = move |py: Python<'_>, step: Step| match step {
            Step::Statement(under, statement) => {
                *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(under);
                (Some(statement), py.None()).into_py_any(py)
            }
            Step::End(Ok(Ok(done))) => (None::<String>, done.object(py)?).into_py_any(py),
            Step::End(Ok(Err(error))) => Err(raise(py, &error)),
            Step::End(Err(ended)) => {
                Err(PyRuntimeError::new_err(format!("the claim ended without a result: {ended}")))
            }
        };
        runtime::run(py, callback, work, end)
    }
}

/// What follows an answer.
enum Step {
    /// The next statement.
    Statement(Under, String),
    /// The call has ended.
    End(std::result::Result<Result<Done>, JoinError>),
}

#[pymethods]
impl Claiming {
    /// The first statement, or the result.
    fn begin<'py>(
        &self,
        py: Python<'py>,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.next(py, None, callback)
    }

    /// What follows the answer to the last statement.
    fn answered<'py>(
        &self,
        py: Python<'py>,
        given: Given,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Given(columns, rows, affected) = given;
        self.next(py, Some(Ok(DriverAnswer { columns, rows, affected })), callback)
    }

    /// What follows an error of the last statement.
    fn failed<'py>(
        &self,
        py: Python<'py>,
        number: u16,
        message: String,
        callback: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.next(py, Some(Err(DriverError::new(number, message))), callback)
    }
}
