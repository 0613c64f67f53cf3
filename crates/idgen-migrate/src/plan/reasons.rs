//! All reasons against a plan in one error, so that one attempt shows them all.

use idgen_database::{Error, Result};

/// Fails with all of `reasons`, if there are any.
pub(crate) fn of_reasons(reasons: &[String]) -> Result<()> {
    match reasons {
        [] => Ok(()),
        [one] => Err(Error::new(one)),
        all => Err(Error::new(format!("the keys cannot be changed yet:\n- {}", all.join("\n- ")))),
    }
}
