//! The ways to get a server.

use idgen_database::Database;

use crate::{container, process, software};

/// The way in which a server was provided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// A container, removed at the end.
    Container,
    /// A process of this machine with a temporary data directory, killed at the end.
    Process,
    /// The user's own server, which stays as it is.
    Url,
}

impl Provider {
    /// Returns the provider from which [`Server::start`](crate::Server::start) would take a server of this database at
    /// this moment; `None` where it has none.
    pub fn of(database: Database) -> Option<Provider> {
        if given_url(database).is_some() {
            Some(Provider::Url)
        } else if container::engine_answers() && container::image_is_here(database) {
            Some(Provider::Container)
        } else if process::binary(database).is_some() {
            Some(Provider::Process)
        } else {
            None
        }
    }
}

/// The URL in the environment, if it is not empty.
pub(crate) fn given_url(database: Database) -> Option<String> {
    std::env::var(software::url_variable(database)).ok().filter(|url| !url.is_empty())
}
