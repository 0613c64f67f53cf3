//! A schema of one's own.

use std::fmt;

use crate::{Error, sql, url};

/// A schema with a random name, dropped with this value. Nothing else on the server is touched.
pub struct Scratch {
    admin_url: String,
    url: String,
    name: String,
}

impl Scratch {
    pub(crate) fn create(admin_url: &str) -> Result<Scratch, Error> {
        let name = format!("idgen_{}", uuid::Uuid::new_v4().simple());
        sql::rows(admin_url, &format!("CREATE DATABASE {name}")).map_err(|error| {
            Error::new(format!(
                "cannot create the scratch schema {name} at {}: {error}; the user needs CREATE and DROP on `idgen\\_%`.*",
                url::redacted(admin_url)
            ))
        })?;
        Ok(Scratch { admin_url: admin_url.to_owned(), url: url::with_schema(admin_url, &name), name })
    }

    /// The connection URL of this schema, with its password: not for logs.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The schema's name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // A server of ours that was killed takes the schema with it; one given by URL is told to drop it.
        let _ = sql::rows(&self.admin_url, &format!("DROP DATABASE IF EXISTS {}", self.name));
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").field("url", &url::redacted(&self.url)).finish()
    }
}
