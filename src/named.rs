//! `idgen new v3`, `v5` and `v8`: ids that follow from what is given, so that the same input always has the same id.

use idgen::Uuid;
use md5::Md5;
use sha1::{Digest, Sha1};
use uuid::Builder;

use crate::failure::usage;

/// The versions that no generator makes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Version {
    /// The MD5 of a namespace and a name.
    V3,
    /// The SHA-1 of a namespace and a name.
    V5,
    /// 122 bits of one's own.
    V8,
}

impl Version {
    pub const ALL: [Version; 3] = [Version::V3, Version::V5, Version::V8];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Version::V3 => "v3",
            Version::V5 => "v5",
            Version::V8 => "v8",
        }
    }

    pub fn about(self) -> &'static str {
        match self {
            Version::V3 => "UUID version 3: the MD5 of --namespace and --name",
            Version::V5 => "UUID version 5: the SHA-1 of --namespace and --name",
            Version::V8 => "UUID version 8 of your own --bytes",
        }
    }
}

#[derive(clap::Args)]
#[command(next_help_heading = "Options of v3, v5 and v8")]
#[group(id = "named")]
pub struct Options {
    /// The namespace of the name: dns, url, oid, x500 or a UUID.
    #[arg(long, value_name = "dns|url|oid|x500|UUID", value_parser = namespace)]
    pub namespace: Option<Uuid>,

    /// The name. The same name in the same namespace always has the same id.
    #[arg(long)]
    pub name: Option<String>,

    /// The 16 bytes of a version 8, as 32 hexadecimal digits. Version and variant replace six bits.
    #[arg(long, value_name = "HEX", value_parser = bytes)]
    pub bytes: Option<Uuid>,
}

impl Options {
    /// Refuses these options for the other kinds.
    pub fn check_none(&self, kind: idgen::Kind) -> anyhow::Result<()> {
        match self.namespace.is_some() || self.name.is_some() || self.bytes.is_some() {
            true => {
                Err(usage(format_args!("{kind} has no --namespace, --name or --bytes: choose v5, v3 or v8")))
            }
            false => Ok(()),
        }
    }

    /// The id of these options.
    pub fn id(&self, version: Version) -> anyhow::Result<Uuid> {
        let hashed = || match (self.namespace, &self.name, self.bytes) {
            (Some(namespace), Some(name), None) => {
                Ok([namespace.as_bytes().as_slice(), name.as_bytes()].concat())
            }
            _ => Err(usage(format_args!(
                "{} needs a namespace and a name: --namespace dns --name example.org",
                version.name()
            ))),
        };
        Ok(match version {
            Version::V3 => Builder::from_md5_bytes(Md5::digest(hashed()?).into()).into_uuid(),
            Version::V5 => {
                let digest: [u8; 20] = Sha1::digest(hashed()?).into();
                let head = *digest.first_chunk().expect("it is longer");
                Builder::from_sha1_bytes(head).into_uuid()
            }
            Version::V8 => match (self.bytes, self.namespace, &self.name) {
                (Some(bytes), None, None) => Builder::from_custom_bytes(bytes.into_bytes()).into_uuid(),
                _ => {
                    return Err(usage(
                        "v8 needs its bytes, and no name: --bytes 00112233445566778899aabbccddeeff",
                    ));
                }
            },
        })
    }
}

/// The namespaces of RFC 9562 section 6.6, or a UUID.
fn namespace(text: &str) -> Result<Uuid, String> {
    match text.to_ascii_lowercase().as_str() {
        "dns" => Ok(Uuid::NAMESPACE_DNS),
        "url" => Ok(Uuid::NAMESPACE_URL),
        "oid" => Ok(Uuid::NAMESPACE_OID),
        "x500" => Ok(Uuid::NAMESPACE_X500),
        _ => idgen::codec::Format::decode_uuid(text)
            .map_err(|error| format!("{error}; or write dns, url, oid or x500")),
    }
}

fn bytes(text: &str) -> Result<Uuid, String> {
    idgen::codec::Format::decode_uuid(text).map_err(|error| error.to_string())
}
