//! The only module with `unsafe` code: parts of CPython's C interface that PyO3's safe interface does not have.
//!
//! A call of `uuid.UUID(int=...)` takes more than 500 ns, many times as long as an id. A function of PyO3 0.30 takes 3 ns more
//! than one of this module if it has no arguments (`v4()` 59.5 instead of 56.7), and 11 to 13 ns more otherwise: `from_str` 69.6
//! instead of 58.2, `uuid1()` 79.5 instead of 66.8, `to_str` 49.2 instead of 36.1 (CPython 3.11, Zen 4, the best of 1,500
//! rounds). So this module has faster ways:
//!
//! - functions that CPython calls directly,
//! - objects of the standard `uuid.UUID` class that are created without its constructor,
//! - 128-bit integers that are read and written by their digits,
//! - text and lists that are written in place,
//! - buffers of other objects, and memory that forked children share.
//!
//! Everything that it exports is safe to call.

#[cfg(any(PyPy, GraalPy))]
compile_error!("this extension uses the internals of CPython: PyPy and GraalPy are not supported");

mod buffer;
mod digits;
mod function;
mod list;
mod real_uuid;
mod text;

pub(crate) use buffer::{WritableBuffer, shared_word};
pub(crate) use digits::new_int;
pub(crate) use function::{add_function, add_function_of_one, add_function_of_two, c_doc};
pub(crate) use list::new_list;
pub(crate) use real_uuid::{Safety, learn, new_uuid, read_uuid, uses_slots};
pub(crate) use text::{ascii, new_text};
