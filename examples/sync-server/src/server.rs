//! The server: `POST /sync` applies a batch of changes in one transaction.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, FromRequest, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use idgen_mysql::UuidMap;
use idgen_mysql::sync::{self, Intake, Sync, Table};
use sha2::{Digest, Sha256};
use sqlx::mysql::MySqlPoolOptions;
use sqlx::{Executor, MySqlPool};
use tower_http::compression::CompressionLayer;
use tower_http::decompression::RequestDecompressionLayer;

use crate::wire::{Answer, Batch, Change, Failure, Limits, Outcome};

/// The largest body, after it was decompressed.
pub const LARGEST_BODY: usize = 1 << 20;
/// The most changes of a batch.
pub const LARGEST_BATCH: usize = 1_000;
const LIMITS: Limits = Limits { changes: LARGEST_BATCH, bytes: LARGEST_BODY };
/// How long a batch may take, with all its attempts.
const TIMEOUT: Duration = Duration::from_secs(30);

const TABLES: [&str; 3] = [
    "CREATE TABLE IF NOT EXISTS lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(200) NOT NULL)",
    "CREATE TABLE IF NOT EXISTS items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
     title VARCHAR(200) NOT NULL, done BOOLEAN NOT NULL, FOREIGN KEY (list_id) REFERENCES lists (id))",
    "CREATE TABLE IF NOT EXISTS notes (id BIGINT UNSIGNED PRIMARY KEY, item_id BIGINT UNSIGNED NULL, \
     code BIGINT UNSIGNED NOT NULL UNIQUE, FOREIGN KEY (item_id) REFERENCES items (id))",
];

/// Who has sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender(pub String);

/// What your app decides.
pub trait Hooks: Send + std::marker::Sync + 'static {
    /// Who has sent a request; `None` refuses it with the status 401.
    fn authenticate(&self, headers: &HeaderMap) -> Option<Sender>;

    /// Whether the sender may make this change. The text of an error is the reason that the device sees.
    ///
    /// # Errors
    /// It may not.
    fn may(&self, sender: &Sender, change: &sync::Change) -> Result<(), String>;
}

/// One secret token for all devices, as `Authorization: Bearer TOKEN`. Each of them may change all rows.
pub struct OneToken([u8; 32]);

impl OneToken {
    /// Takes this token.
    pub fn new(token: &str) -> OneToken {
        OneToken(Sha256::digest(token).into())
    }
}

impl Hooks for OneToken {
    /// Digests are compared, so that the time says nothing about the token.
    fn authenticate(&self, headers: &HeaderMap) -> Option<Sender> {
        let sent = headers.get(header::AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")?;
        let digest: [u8; 32] = Sha256::digest(sent).into();
        (digest == self.0).then(|| Sender("device".to_owned()))
    }

    fn may(&self, _: &Sender, _: &sync::Change) -> Result<(), String> {
        Ok(())
    }
}

struct App {
    pool: MySqlPool,
    sync: Sync,
    hooks: Arc<dyn Hooks>,
}

/// A server on a database, in which it creates what is missing.
pub struct Server {
    app: Arc<App>,
    map: UuidMap,
}

impl Server {
    /// Connects, and creates the tables of the app, of the map and of the sync.
    ///
    /// # Errors
    /// The database fails, or its tables cannot be synced.
    pub async fn open(url: &str, hooks: impl Hooks) -> Result<Server, Box<dyn std::error::Error>> {
        let pool = MySqlPoolOptions::new().max_connections(8).connect(url).await?;
        for table in TABLES {
            pool.execute(table).await?;
        }
        let map = UuidMap::connect(url).await?;
        map.install().await?;
        map.install_sync().await?;
        let sync = map.sync(&[Table::new("lists"), Table::new("items"), Table::new("notes")]).await?;
        Ok(Server { app: Arc::new(App { pool, sync, hooks: Arc::new(hooks) }), map })
    }

    /// The endpoint.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/sync", post(receive))
            .layer(DefaultBodyLimit::max(LARGEST_BODY))
            .layer(RequestDecompressionLayer::new())
            .layer(CompressionLayer::new())
            .with_state(self.app.clone())
    }

    /// Closes the connections to the database.
    ///
    /// # Errors
    /// Ids that were reserved could not be given back.
    pub async fn close(self) -> idgen_mysql::Result<()> {
        self.app.pool.close().await;
        self.map.close().await
    }
}

fn refused(status: StatusCode, reason: impl Into<String>) -> Response {
    failed(status, reason, LIMITS)
}

fn failed(status: StatusCode, reason: impl Into<String>, limits: Limits) -> Response {
    (status, Json(Failure { error: reason.into(), limits })).into_response()
}

/// The body is not read before the sender is known.
async fn receive(State(app): State<Arc<App>>, request: Request) -> Response {
    let Some(sender) = app.hooks.authenticate(request.headers()) else {
        return refused(
            StatusCode::UNAUTHORIZED,
            "send a token that is valid as Authorization: Bearer TOKEN",
        );
    };
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !kind.is_some_and(|kind| kind.trim_start().starts_with("application/json")) {
        return refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send Content-Type: application/json");
    }
    let body = match Bytes::from_request(request, &()).await {
        Ok(body) => body,
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            let reason =
                format!("the body is too large: send at most {LARGEST_BODY} bytes before compression");
            return refused(StatusCode::PAYLOAD_TOO_LARGE, reason);
        }
        Err(rejection) => return refused(rejection.status(), rejection.body_text()),
    };
    let batch = match Batch::read(&body) {
        Ok(batch) => batch.changes,
        Err(reason) => return refused(StatusCode::BAD_REQUEST, reason),
    };
    if batch.len() > LARGEST_BATCH {
        let reason = format!("a batch of {} changes is too large: send at most {LARGEST_BATCH}", batch.len());
        return refused(StatusCode::PAYLOAD_TOO_LARGE, reason);
    }
    // One that cannot be read is refused alone: the device would send it again for ever.
    let read: Vec<Result<sync::Change, String>> = batch.iter().map(|change| Change::read(change)).collect();
    let batch: Vec<sync::Change> = read.iter().flatten().cloned().collect();
    let hooks = app.hooks.clone();
    let sync = app.sync.clone().intake(Intake::default().owner(move |change| hooks.may(&sender, change)));
    match tokio::time::timeout(TIMEOUT, apply(&sync, &app.pool, &batch)).await {
        Ok(Ok(answer)) => {
            let mut applied = answer.outcomes().iter().map(Outcome::from);
            let unread = |reason: &String| Some(Outcome::Refused { reason: reason.clone() });
            let outcomes =
                read.iter().map_while(|read| read.as_ref().map_or_else(unread, |_| applied.next()));
            let ids = answer.ids().iter().map(|(uuid, id)| (uuid.to_string(), id.to_string()));
            Json(Answer { outcomes: outcomes.collect(), ids: ids.collect(), limits: LIMITS }).into_response()
        }
        // The device sends the changes again, whatever became of them.
        Ok(Err(error)) => {
            eprintln!("a batch of {} changes failed: {error}", batch.len());
            refused(StatusCode::SERVICE_UNAVAILABLE, "the database failed: send the batch again later")
        }
        // The same batch may take as long again.
        Err(_) => {
            let reason = "the database is too slow: send the batch again later, in smaller parts";
            let limits = Limits { changes: (batch.len() / 2).max(1), ..LIMITS };
            failed(StatusCode::SERVICE_UNAVAILABLE, reason, limits)
        }
    }
}

/// Applies a batch, and begins again after a deadlock with another batch or a failover. The answer exists only after the commit.
async fn apply(
    sync: &Sync,
    pool: &MySqlPool,
    batch: &[sync::Change],
) -> Result<sync::Answer, Box<dyn std::error::Error + Send + std::marker::Sync>> {
    let mut attempts = 0;
    loop {
        let mut transaction = pool.begin().await?;
        match sync.apply(&mut transaction, batch).await {
            Ok(answer) => {
                transaction.commit().await?;
                return Ok(answer);
            }
            Err(error) if error.is_transient() && attempts < 20 => {
                drop(transaction);
                attempts += 1;
                tokio::time::sleep(Duration::from_millis(fastrand::u64(0..10 * attempts))).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}
