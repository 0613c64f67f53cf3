//! Keys from secrets: HMAC-SHA-256 (RFC 2104) with a purpose for each key.

pub(crate) mod file;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::error::{Error, Result};

/// The smallest length of a secret, in bytes.
pub(crate) const MIN_LEN: usize = 16;

/// The key for a purpose.
///
/// # Errors
/// If the secret is shorter than [`MIN_LEN`], or is the content of a key file. The error shows no part of the secret.
pub(crate) fn derive(secret: &[u8], purpose: &[u8]) -> Result<[u8; 32]> {
    if secret.len() < MIN_LEN {
        return Err(Error::config(
            "too short for a key:",
            format_args!("{} bytes", secret.len()),
            "give at least 16",
        ));
    }
    file::check_no_file(secret)?;
    Ok(hmac(secret, purpose, b""))
}

/// The HMAC of a purpose followed by a message. No purpose may be the beginning of another one.
pub(crate) fn hmac(key: &[u8], purpose: &[u8], message: &[u8]) -> [u8; 32] {
    let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(purpose);
    mac.update(message);
    mac.finalize().into_bytes().into()
}
