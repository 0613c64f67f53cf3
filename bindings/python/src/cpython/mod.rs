//! The one room with `unsafe`: what CPython can do and PyO3's safe side does not offer.
//!
//! A call of a PyO3 function costs about 25 ns before it does anything, and `uuid.UUID(int=...)` more
//! than 500. Both are most of the time that an id takes, so here are: functions that CPython calls
//! without a layer between, objects of the standard `uuid.UUID` class made without its constructor,
//! 128-bit integers read and written by their digits, text and lists written in place. Everything
//! that leaves this room is safe to call.

mod buffer;
mod digits;
mod function;
mod list;
mod real_uuid;
mod text;

pub(crate) use buffer::fill_buffer;
pub(crate) use digits::new_int;
pub(crate) use function::{add_function, add_function_of_one, add_function_of_two};
pub(crate) use list::new_list;
pub(crate) use real_uuid::{Safety, learn, new_uuid, read_uuid, uses_slots};
pub(crate) use text::{ascii, new_text};
