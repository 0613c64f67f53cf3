//! `sync-server` listens on `LISTEN` (127.0.0.1:8034) and writes to the database of `DATABASE_URL`, or else to MySQL in a
//! container of its own. Devices need the token `SYNC_TOKEN`.

use std::io::Write;

use idgen_server::{Database, Settings};
use idgen_sync_server::server::{OneToken, Server};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let setting = |name: &str| std::env::var(name).ok();
    let token = setting("SYNC_TOKEN").ok_or("set SYNC_TOKEN to a secret text, which the devices send")?;
    // The container and its schema are removed at the end.
    let (mut container, mut scratch) = (None, None);
    let url = match setting("DATABASE_URL") {
        Some(url) => url,
        None => {
            let server = container.insert(idgen_server::Server::start(Database::MySql, &Settings::new())?);
            scratch.insert(server.scratch()?).url().to_owned()
        }
    };
    let server = Server::open(&url, OneToken::new(&token)).await?;
    let listener =
        TcpListener::bind(setting("LISTEN").unwrap_or_else(|| "127.0.0.1:8034".to_owned())).await?;
    writeln!(std::io::stdout(), "listening on http://{}", listener.local_addr()?)?;
    let mut terminated = signal(SignalKind::terminate())?;
    let stop = async move {
        tokio::select! {
            _ = tokio::signal::ctrl_c() => {}
            _ = terminated.recv() => {}
        }
    };
    // Batches that have begun are answered.
    axum::serve(listener, server.router()).with_graceful_shutdown(stop).await?;
    server.close().await?;
    drop((scratch, container));
    Ok(())
}
