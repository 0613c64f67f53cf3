//! The threads in which the calls run. They are created at the first call, and again in a forked child.

use std::pin::pin;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use idgen::source::ForkMark;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;

/// How often a waiting thread checks for Control-C.
const LOOK: Duration = Duration::from_millis(50);

/// The threads of this process.
pub(super) fn runtime() -> PyResult<&'static Runtime> {
    static RUNTIME: Mutex<Option<(ForkMark, &Runtime)>> = Mutex::new(None);
    let mut slot = RUNTIME.lock().unwrap_or_else(PoisonError::into_inner);
    match *slot {
        Some((mark, runtime)) if !mark.is_stale() => Ok(runtime),
        _ => {
            let made =
                Builder::new_multi_thread().worker_threads(2).thread_name("idgen").enable_all().build();
            let made = made.map_err(|error| {
                PyOSError::new_err(format!("the system refused threads for a map: {error}"))
            })?;
            // Kept for the rest of the process. In a child, the parent's runtime has no threads and cannot be ended.
            let made: &Runtime = Box::leak(Box::new(made));
            *slot = Some((ForkMark::now(), made));
            Ok(made)
        }
    }
}

/// Waits for a call without the GIL; Control-C cancels it.
fn wait<T: Send>(py: Python<'_>, work: impl Future<Output = T> + Send) -> PyResult<T> {
    let runtime = runtime()?;
    let mut work = pin!(work);
    loop {
        let turn = async { tokio::time::timeout(LOOK, work.as_mut()).await };
        if let Ok(done) = py.detach(|| runtime.block_on(turn)) {
            return Ok(done);
        }
        py.check_signals()?;
    }
}

/// A running call, whose callback gets the result.
#[pyclass(module = "idgen._idgen", name = "_Call", frozen)]
pub(crate) struct Call(AbortHandle);

#[pymethods]
impl Call {
    /// Cancels the call. It leaves nothing on the server, and the callback is not called.
    fn cancel(&self) {
        self.0.abort();
    }
}

/// Runs a call: starts it if there is a callback, and otherwise waits for it.
pub(super) fn run<'py, T: Send + 'static>(
    py: Python<'py>,
    callback: Option<Bound<'py, PyAny>>,
    work: impl Future<Output = T> + Send + 'static,
    convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    match callback {
        Some(callback) => Ok(Bound::new(py, start(callback.unbind(), work, convert)?)?.into_any()),
        None => convert(py, wait(py, work)?).map(|value| value.into_bound(py)),
    }
}

/// Starts a call; `callback(error, value)` is called from another thread, with `None` for one of them.
fn start<T: Send + 'static>(
    callback: Py<PyAny>,
    work: impl Future<Output = T> + Send + 'static,
    convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
) -> PyResult<Call> {
    let task = runtime()?.spawn(async move {
        let done = work.await;
        // If the interpreter is ending, no caller waits any more.
        Python::try_attach(|py| {
            let told = match convert(py, done) {
                Ok(value) => callback.call1(py, (py.None(), value)),
                Err(error) => callback.call1(py, (error, py.None())),
            };
            if let Err(error) = told {
                error.write_unraisable(py, Some(callback.bind(py)));
            }
        });
    });
    Ok(Call(task.abort_handle()))
}
