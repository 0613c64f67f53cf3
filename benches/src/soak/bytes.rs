//! Writes only the random bits of ids, as input for a battery of statistical tests.

use std::io::{ErrorKind, Write};

use anyhow::{Result, bail};
use idgen::Uuid;
use idgen::generator::DeviceShort;

/// Writes the random bytes of `v4` ids, of the tails of `v7` ids, or of the first counters of `short`
/// generators, until the reader closes the pipe.
///
/// # Errors
/// If the name is none of these, or the system provides no randomness.
pub fn write_random_bytes(what: &str, out: &mut impl Write) -> Result<()> {
    let mut ids = [Uuid::nil(); 1024];
    loop {
        let mut bytes = Vec::with_capacity(16 * ids.len());
        match what {
            "v4" => {
                idgen::fill_v4(&mut ids);
                // Bytes 6 and 8 hold version and variant.
                ids.iter().for_each(|id| {
                    let b = id.as_bytes();
                    bytes.extend([&b[..6], &b[7..8], &b[9..]].concat());
                });
            }
            "v7" => {
                idgen::fill_v7(&mut ids);
                ids.iter().for_each(|id| bytes.extend(&id.as_bytes()[10..]));
            }
            "short" => {
                for _ in 0..ids.len() {
                    bytes.extend(DeviceShort::system()?.make()?.device().counter.to_ne_bytes());
                }
            }
            other => bail!("there are no random bytes of \"{other}\": choose v4, v7 or short"),
        }
        match out.write_all(&bytes) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
            done => done?,
        }
    }
}
