//! Certificates for a server that encrypts its connections, made for this one server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

use crate::Error;

/// An authority that signs one certificate, in a folder that goes with the value.
#[derive(Debug)]
pub(crate) struct Certificates {
    folder: TempDir,
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
            let folder = tempfile::Builder::new().prefix("idgen-certificates-").tempdir()?;
            // The server reads them as another user. They are good for nothing but this server.
            fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
            for (name, text) in [
                (AUTHORITY, authority_text),
                (SERVER_CERTIFICATE, server_text),
                (SERVER_KEY, server_key.serialize_pem()),
            ] {
                let path = folder.path().join(name);
                fs::write(&path, text)?;
                fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
            }
            Ok(folder)
        };
        let folder = write()
            .map_err(|error: std::io::Error| Error::new(format!("cannot write certificates: {error}")))?;
        Ok(Certificates { folder })
    }

    /// Where the files are.
    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().to_owned()
    }

    /// What a client needs to trust the server.
    pub(crate) fn authority(&self) -> PathBuf {
        self.folder.path().join(AUTHORITY)
    }
}

/// The options of a server that finds the files in this folder.
pub(crate) fn options(folder: &str) -> [String; 2] {
    [format!("--ssl-cert={folder}/{SERVER_CERTIFICATE}"), format!("--ssl-key={folder}/{SERVER_KEY}")]
}
