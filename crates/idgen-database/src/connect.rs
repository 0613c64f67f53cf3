//! Connections to servers, in whose sessions the driver has set nothing.

use std::fmt::Display;
use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};

use crate::error::{Error, Result};

/// Servers that are overloaded take seconds. Firewalls that drop packets never answer.
const LIMIT: Duration = Duration::from_secs(30);

/// Connects to the MySQL or MariaDB of a URL of the form `mysql://user:password@host:port/schema`.
///
/// # Errors
///
/// The URL has another form, no server accepts the connection within 30 seconds, or it refuses the user. The message names host and
/// port, and contains no password.
pub async fn mysql(url: &str) -> Result<MySqlConnection> {
    let options = url
        .parse::<MySqlConnectOptions>()
        .map_err(|_| Error::new("cannot understand the URL: write mysql://user:password@host:port/schema"))?
        .disable_statement_logging()
        // The driver would set all of these for the session.
        .pipes_as_concat(false)
        .no_engine_substitution(false)
        .timezone(None)
        .set_names(false);
    let place = format!("the server at {}:{}", options.get_host(), options.get_port());
    accepted(&place, MySqlConnection::connect_with(&options)).await
}

/// Connects to the PostgreSQL of a URL of the form `postgres://user:password@host:port/database`. Some poolers refuse a `program`, a name
/// for the server's list of sessions, and others give the session with this name to their next client.
///
/// # Errors
///
/// As for [`mysql`].
pub async fn postgres(url: &str, program: Option<&str>) -> Result<PgConnection> {
    let mut options = url
        .parse::<PgConnectOptions>()
        .map_err(|_| {
            Error::new("cannot understand the URL: write postgres://user:password@host:port/database")
        })?
        .disable_statement_logging()
        // Poolers refuse parameters of the start that they do not know, and this is one.
        .extra_float_digits(None);
    if let Some(program) = program {
        options = options.application_name(program);
    }
    let place = format!("the server at {}:{}", options.get_host(), options.get_port());
    accepted(&place, PgConnection::connect_with(&options)).await
}

async fn accepted<C>(place: impl Display, connecting: impl Future<Output = sqlx::Result<C>>) -> Result<C> {
    match tokio::time::timeout(LIMIT, connecting).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(sqlx::Error::Io(error))) => Err(Error::of(
            format!("cannot connect to {place}: check that it runs there, and that host and port are right"),
            error,
        )),
        Ok(Err(error)) => Err(Error::of(format!("cannot connect to {place}"), error)),
        Err(_) => Err(Error::new(format!(
            "cannot connect to {place}: no answer within {} seconds; check its load, and firewalls on the way",
            LIMIT.as_secs()
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No server listens on this port.
    #[tokio::test]
    async fn errors_name_the_place_and_no_password() {
        let rest = "app:s3cret@127.0.0.1:1/shop";
        for error in [
            mysql(&format!("mysql://{rest}")).await.map(drop).unwrap_err().to_string(),
            postgres(&format!("postgres://{rest}"), None).await.map(drop).unwrap_err().to_string(),
        ] {
            let place = "cannot connect to the server at 127.0.0.1:1: check that it runs there";
            assert!(error.starts_with(place) && !error.contains("s3cret"), "{error}");
        }
        let error = mysql("mysql://app:s3cret@:x/shop").await.map(drop).unwrap_err().to_string();
        assert!(error.contains("write mysql://") && !error.contains("s3cret"), "{error}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_never_answers_is_given_up() {
        let error = accepted("the server at db:3306", std::future::pending::<sqlx::Result<()>>()).await;
        let error = error.unwrap_err().to_string();
        assert!(error.contains("the server at db:3306: no answer within 30 seconds"), "{error}");
    }
}
