//! Secrets that Python passes as bytes. Every byte string could be one, so the content of a key file is recognized.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::raise;

/// A secret that is not the content of a file.
///
/// A key file ends with a line end, and an editor may have put a byte order mark before it: passed as a secret, it would
/// silently be another key than the command line reads from the same file. Random bytes are not text.
pub(crate) fn read_secret(secret: &[u8]) -> PyResult<&[u8]> {
    let Some((last, others)) = secret.split_last() else { return Ok(secret) };
    let is_text = core::str::from_utf8(secret)
        .is_ok_and(|text| text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r')));
    if *last == b'\n' && is_text && !others.contains(&b'\n') {
        return Err(PyValueError::new_err(
            "the secret ends with a line end, as the content of a file does: read it with from_file, or strip it",
        ));
    }
    // The same byte everywhere is a weak secret, but no file.
    if others.iter().any(|byte| byte != last) {
        // The check leaves out one line end.
        let padding: &[u8] = if *last == b'\n' { b"\n" } else { b"" };
        idgen::SealKey::from_file(&[secret, padding].concat()).map_err(raise)?;
    }
    Ok(secret)
}
