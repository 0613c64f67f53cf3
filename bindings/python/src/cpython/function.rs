//! Functions that CPython calls directly, without the arguments' tuple and PyO3's bookkeeping.
//!
//! They are functions of Rust without captured values, so that the trampoline is compiled for each.

use std::ffi::CStr;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use pyo3::{ffi, intern};

type Answer<'py> = PyResult<Bound<'py, PyAny>>;

/// A docstring, with the zero byte at the end that C requires.
macro_rules! c_doc {
    ($($part:expr),+) => {{
        const DOC: &std::ffi::CStr = match std::ffi::CStr::from_bytes_with_nul(concat!($($part,)+ "\0").as_bytes()) {
            Ok(doc) => doc,
            Err(_) => panic!("a docstring has no zero inside"),
        };
        DOC
    }};
}
pub(crate) use c_doc;

/// Adds a function without arguments to a module. `doc` begins with its signature, as CPython's do.
pub(crate) fn add_function<F>(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    doc: &'static CStr,
    _: F,
) -> PyResult<()>
where
    F: for<'py> Fn(Python<'py>) -> Answer<'py> + Copy,
{
    unsafe extern "C" fn trampoline<F>(_: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject
    where
        F: for<'py> Fn(Python<'py>) -> Answer<'py> + Copy,
    {
        // SAFETY: `add_function` got a value of `F`.
        guard(|py| unsafe { without_size::<F>() }(py))
    }
    add(module, name, doc, ffi::PyMethodDefPointer { PyCFunction: trampoline::<F> }, ffi::METH_NOARGS)
}

/// Adds a function of one positional argument.
pub(crate) fn add_function_of_one<F>(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    doc: &'static CStr,
    _: F,
) -> PyResult<()>
where
    F: for<'py> Fn(&Bound<'py, PyAny>) -> Answer<'py> + Copy,
{
    unsafe extern "C" fn trampoline<F>(
        _: *mut ffi::PyObject,
        argument: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject
    where
        F: for<'py> Fn(&Bound<'py, PyAny>) -> Answer<'py> + Copy,
    {
        guard(|py| {
            // SAFETY: CPython lends the argument for the time of the call; with METH_O it is never null.
            let argument = unsafe { Borrowed::from_ptr(py, argument) };
            // SAFETY: `add_function_of_one` got a value of `F`.
            let function = unsafe { without_size::<F>() };
            function(&argument)
        })
    }
    add(module, name, doc, ffi::PyMethodDefPointer { PyCFunction: trampoline::<F> }, ffi::METH_O)
}

/// Adds a function of two optional arguments, by position or by these names.
///
/// Without arguments, which is the usual call, it takes no longer than a function without parameters.
pub(crate) fn add_function_of_two<F, N>(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    doc: &'static CStr,
    _: N,
    _: F,
) -> PyResult<()>
where
    F: for<'py> Fn(Python<'py>, Optional<'_, 'py>, Optional<'_, 'py>) -> Answer<'py> + Copy,
    N: Fn() -> [&'static str; 2] + Copy,
{
    unsafe extern "C" fn trampoline<F, N>(
        _: *mut ffi::PyObject,
        arguments: *const *mut ffi::PyObject,
        count: ffi::Py_ssize_t,
        keywords: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject
    where
        F: for<'py> Fn(Python<'py>, Optional<'_, 'py>, Optional<'_, 'py>) -> Answer<'py> + Copy,
        N: Fn() -> [&'static str; 2] + Copy,
    {
        guard(|py| {
            if count == 0 && keywords.is_null() {
                // SAFETY: `add_function_of_two` got a value of `F`.
                return unsafe { without_size::<F>() }(py, None, None);
            }
            // SAFETY: CPython lends a tuple of the keywords' names (or null), and before their values
            // `count` positional ones.
            let (names, given) = unsafe {
                let names = Bound::from_borrowed_ptr_or_opt(py, keywords);
                let names = names.map(|names| names.cast_into_unchecked::<PyTuple>());
                let total = count as usize + names.as_ref().map_or(0, |names| names.len());
                (names, std::slice::from_raw_parts(arguments, total))
            };
            // SAFETY: CPython lends the arguments for the time of the call; none is null.
            let borrow = |argument: &*mut ffi::PyObject| unsafe { Bound::from_borrowed_ptr(py, *argument) };
            let (positional, named) = given.split_at(count as usize);
            let mut places: [Option<Bound<'_, PyAny>>; 2] = [None, None];
            if positional.len() > places.len() {
                let message = format!("expected at most 2 arguments, got {}", positional.len());
                return Err(PyTypeError::new_err(message));
            }
            for (place, argument) in places.iter_mut().zip(positional) {
                *place = Some(borrow(argument));
            }
            for (name, argument) in names.iter().flatten().zip(named) {
                // SAFETY: `add_function_of_two` got a value of `N`.
                let names = unsafe { without_size::<N>() };
                let at = names().iter().position(|known| name.eq(*known).unwrap_or(false));
                match at.map(|at| &mut places[at]) {
                    Some(place @ None) => *place = Some(borrow(argument)),
                    Some(_) => {
                        return Err(PyTypeError::new_err(format!("got multiple values for argument {name}")));
                    }
                    None => {
                        return Err(PyTypeError::new_err(format!(
                            "got an unexpected keyword argument {name}"
                        )));
                    }
                }
            }
            let [first, second] =
                places.each_ref().map(|place| place.as_ref().filter(|given| !given.is_none()));
            // SAFETY: `add_function_of_two` got a value of `F`.
            let function = unsafe { without_size::<F>() };
            function(py, first, second)
        })
    }
    let pointer = ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: trampoline::<F, N> };
    add(module, name, doc, pointer, ffi::METH_FASTCALL | ffi::METH_KEYWORDS)
}

/// An argument that may be left out, or given as `None`.
pub(crate) type Optional<'a, 'py> = Option<&'a Bound<'py, PyAny>>;

/// The value of a type without bytes.
///
/// # Safety
/// A value of the type must exist: `add_function` and the others got one, and their trampolines call this.
#[inline(always)]
unsafe fn without_size<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "only functions without captured values") };
    // SAFETY: the type has no bytes, so there is nothing to read, and by the contract it has a value.
    unsafe { std::ptr::NonNull::<F>::dangling().read() }
}

#[inline(always)]
fn guard(run: impl for<'py> FnOnce(Python<'py>) -> Answer<'py>) -> *mut ffi::PyObject {
    // SAFETY: CPython calls functions of a module with the thread attached.
    let py = unsafe { Python::assume_attached() };
    match catch_unwind(AssertUnwindSafe(|| run(py))) {
        Ok(Ok(value)) => value.into_ptr(),
        Ok(Err(error)) => refuse(py, error),
        Err(panic) => {
            let message = panic.downcast_ref::<String>().cloned();
            refuse(py, PyRuntimeError::new_err(message.unwrap_or_else(|| "idgen panicked".to_owned())))
        }
    }
}

#[cold]
fn refuse(py: Python<'_>, error: PyErr) -> *mut ffi::PyObject {
    error.restore(py);
    std::ptr::null_mut()
}

fn add(
    module: &Bound<'_, PyModule>,
    name: &'static CStr,
    doc: &'static CStr,
    function: ffi::PyMethodDefPointer,
    flags: std::ffi::c_int,
) -> PyResult<()> {
    let py = module.py();
    // The function refers to its definition for as long as the process lives.
    let definition = Box::leak(Box::new(ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: function,
        ml_flags: flags,
        ml_doc: doc.as_ptr(),
    }));
    // The public name of the module, which `help`, pickle and Django's migrations write.
    let home = match name.to_bytes() {
        [b'u', b'u', b'i', b'd', ..] => intern!(py, "idgen.uuid"),
        _ => intern!(py, "idgen"),
    };
    // SAFETY: attached; the definition lives forever and its flags match the function's arguments.
    let function = unsafe {
        let made = ffi::PyCFunction_NewEx(definition, std::ptr::null_mut(), home.as_ptr());
        Bound::from_owned_ptr_or_err(py, made)?
    };
    module.add(name.to_str().map_err(|_| PyRuntimeError::new_err("a name is ASCII"))?, function)
}
