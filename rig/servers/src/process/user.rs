//! The user that runs a server which refuses to run as root.

use std::fs;
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::error::Error;

/// A user of this machine other than the one that runs this program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct User {
    uid: u32,
    gid: u32,
}

impl User {
    /// `None` where this program does not run as root, and the server can run as the same user.
    pub(crate) fn other_than_root() -> Result<Option<User>, Error> {
        if number(&["-u"]) != Some(0) {
            return Ok(None);
        }
        let found = ["postgres", "nobody"].into_iter().find_map(|name| {
            let user = User { uid: number(&["-u", name])?, gid: number(&["-g", name])? };
            (user.uid != 0).then_some(user)
        });
        found.map(Some).ok_or_else(|| {
            Error::new("PostgreSQL refuses to run as root, and this machine has no user postgres or nobody")
        })
    }

    /// Lets the command run as this user.
    pub(crate) fn runs(self, command: &mut Command) {
        command.uid(self.uid).gid(self.gid);
    }

    /// Makes this user the owner of a file or folder.
    pub(crate) fn owns(self, path: &Path) -> io::Result<()> {
        chown(path, Some(self.uid), Some(self.gid))
    }
}

/// Writes a file that only its owner reads.
pub(crate) fn write_secret(path: &Path, text: &str, owner: Option<User>) -> io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    owner.map_or(Ok(()), |owner| owner.owns(path))
}

/// Returns the number that `id` prints; `None` if it fails.
fn number(arguments: &[&str]) -> Option<u32> {
    let output = Command::new("id").args(arguments).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().parse().ok())?
}
