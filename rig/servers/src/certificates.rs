//! Certificates for a single server that encrypts its connections.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use crate::error::Error;
use crate::keeper::Keeper;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

/// An authority that signs one certificate, in a folder that is removed when the value is dropped or the program ends.
#[derive(Debug)]
pub(crate) struct Certificates {
    folder: PathBuf,
    // Removes the folder.
    _keeper: Keeper,
}

/// The names of the files in the folder.
pub(crate) const SERVER_CERTIFICATE: &str = "server.pem";
pub(crate) const SERVER_KEY: &str = "server-key.pem";
const AUTHORITY: &str = "ca.pem";

impl Certificates {
    /// Makes the certificate of a server on this machine.
    pub(crate) fn make() -> Result<Certificates, Error> {
        let failed = |error: rcgen::Error| Error::new(format!("cannot make certificates: {error}"));
        let key = KeyPair::generate().map_err(failed)?;
        let mut authority = CertificateParams::new(Vec::new()).map_err(failed)?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority_text = authority.self_signed(&key).map_err(failed)?.pem();
        let issuer = Issuer::new(authority, key);
        let server_key = KeyPair::generate().map_err(failed)?;
        let names = vec!["127.0.0.1".to_owned(), "localhost".to_owned()];
        let server = CertificateParams::new(names).map_err(failed)?;
        let server_text = server.signed_by(&server_key, &issuer).map_err(failed)?.pem();

        let write = || {
            let folder = tempfile::Builder::new().prefix("idgen-certificates-").tempdir()?.keep();
            let keeper = Keeper::spawn(r#"rm -rf "$1""#, &[&folder.to_string_lossy()])?;
            // The server reads them as another user. They are only valid for this server.
            fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))?;
            for (name, text) in [
                (AUTHORITY, authority_text),
                (SERVER_CERTIFICATE, server_text),
                (SERVER_KEY, server_key.serialize_pem()),
            ] {
                let path = folder.join(name);
                fs::write(&path, text)?;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
            }
            Ok(Certificates { folder, _keeper: keeper })
        };
        write().map_err(|error: std::io::Error| Error::new(format!("cannot write certificates: {error}")))
    }

    /// The folder of the files.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The certificate of the authority, which a client needs to trust the server.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.join(AUTHORITY)
    }
}

/// The options of a server that finds the files in this folder.
pub(crate) fn options(folder: &str) -> [String; 2] {
    [format!("--ssl-cert={folder}/{SERVER_CERTIFICATE}"), format!("--ssl-key={folder}/{SERVER_KEY}")]
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::path::Path;
    use std::process::{Command, Stdio};

    use super::*;

    const CHILD: &str = "IDGEN_TEST_CERTIFICATES";

    /// Servers of tests are statics, which are never dropped, and a program may be killed.
    #[test]
    #[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    fn the_folder_is_removed_even_if_the_program_is_killed() {
        if std::env::var_os(CHILD).is_some() {
            let certificates = Certificates::make().unwrap();
            println!("folder {}", certificates.folder().display());
            std::thread::park();
        }
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([
                "certificates::tests::the_folder_is_removed_even_if_the_program_is_killed",
                "--exact",
                "--nocapture",
            ])
            .env(CHILD, "1")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let folder = lines
            .map(Result::unwrap)
            .find_map(|line| line.split_once("folder ").map(|(_, folder)| folder.to_owned()));
        let folder = folder.unwrap();
        let was_there = Path::new(&folder).join(SERVER_KEY).exists();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(was_there, "{folder}");
        while Path::new(&folder).exists() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    }
}
