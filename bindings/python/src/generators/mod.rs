//! Generators as objects, each with its own clock, node, key and state.

mod base;
mod kinds;
mod lease;
mod prefixed;
mod settings;
mod shared;
mod short;

use pyo3::prelude::*;

pub(crate) use base::Generator;
pub(crate) use kinds::for_kinds;
use lease::DeviceLease;
use prefixed::{Prefixed, Week};
pub(crate) use prefixed::{read_prefix, read_tail};
pub(crate) use shared::Shared;
pub(crate) use short::ShortGenerator;
use short::{MysqlShort, Short};

/// Adds the classes to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Generator>()?;
    kinds::add(module)?;
    module.add_class::<Week>()?;
    module.add_class::<Prefixed>()?;
    module.add_class::<ShortGenerator>()?;
    module.add_class::<DeviceLease>()?;
    module.add_class::<Short>()?;
    module.add_class::<MysqlShort>()
}
