//! Claims in a transaction of the caller, whose Python driver runs the statements.
//!
//! The call runs in the threads of this module, and hands each statement to the thread that asked for it: the driver
//! is used in that thread only, and an exception of it is one like any other.

use std::sync::{Mutex, PoisonError};

use idgen_mysql::{DriverAnswer, DriverConnection, DriverError, Result};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use crate::mysql::errors::raise;
use crate::mysql::runtime;

type Answer = std::result::Result<DriverAnswer, DriverError>;

/// What the driver gave for a statement: names of columns, rows, changed rows.
#[derive(FromPyObject)]
pub(super) struct Given(Vec<String>, Vec<Vec<Option<Vec<u8>>>>, u64);

/// A claim under way.
#[pyclass(module = "idgen._idgen", name = "_Claiming", frozen)]
pub(crate) struct Claiming(Mutex<Option<Under>>);

struct Under {
    statements: Receiver<String>,
    answers: Sender<Answer>,
    call: JoinHandle<Result<Vec<u64>>>,
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
    pub(super) fn start<F>(call: impl FnOnce(Asked) -> F) -> PyResult<Claiming>
    where
        F: Future<Output = Result<Vec<u64>>> + Send + 'static,
    {
        let (ask, statements) = channel(1);
        let (answers, answered) = channel(1);
        let call = runtime::runtime()?.spawn(call(Asked { statements: ask, answers: answered }));
        Ok(Claiming(Mutex::new(Some(Under { statements, answers, call }))))
    }

    fn next(&self, py: Python<'_>, answer: Option<Answer>) -> PyResult<(Option<String>, Option<Vec<u64>>)> {
        let over = || PyRuntimeError::new_err("this claim has ended");
        let mut under = self.0.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(over)?;
        let (mut under, step) = runtime::wait(py, async move {
            if let Some(answer) = answer {
                // Where the call has ended without it, the result says why.
                let _ = under.answers.send(answer).await;
            }
            let step = match under.statements.recv().await {
                Some(statement) => Ok(statement),
                None => Err((&mut under.call).await),
            };
            (under, step)
        })?;
        match step {
            Ok(statement) => {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(under);
                Ok((Some(statement), None))
            }
            Err(Ok(Ok(ids))) => Ok((None, Some(ids))),
            Err(Ok(Err(error))) => Err(raise(py, &error)),
            Err(Err(ended)) => {
                under.statements.close();
                Err(PyRuntimeError::new_err(format!("the claim ended without a result: {ended}")))
            }
        }
    }
}

#[pymethods]
impl Claiming {
    /// The first statement, or the result.
    fn begin(&self, py: Python<'_>) -> PyResult<(Option<String>, Option<Vec<u64>>)> {
        self.next(py, None)
    }

    /// What follows the answer to the last statement.
    fn answered(&self, py: Python<'_>, given: Given) -> PyResult<(Option<String>, Option<Vec<u64>>)> {
        let Given(columns, rows, affected) = given;
        self.next(py, Some(Ok(DriverAnswer { columns, rows, affected })))
    }

    /// What follows an error of the last statement.
    fn failed(
        &self,
        py: Python<'_>,
        number: u16,
        message: String,
    ) -> PyResult<(Option<String>, Option<Vec<u64>>)> {
        self.next(py, Some(Err(DriverError::new(number, message))))
    }
}
