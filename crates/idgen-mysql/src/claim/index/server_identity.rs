//! A look-up of a pair that also returns the server on which it was executed.

use uuid::Uuid;

use crate::claim::context::Context;
use crate::claim::witness::LOOKS;
use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, hash};
use crate::statement::values::Values;

/// Identifies the running server process. Host names and ports repeat if machines are copies of one image, so it includes
/// the end of a UUID of version 1: the hardware address and a random number of this start of the server (MySQL manual,
/// "Miscellaneous Functions", `UUID()`). If the clock is set back, that number changes and the server seems to be another
/// one, which costs only a locking read.
const SERVER: &str = "CONCAT_WS(' ', @@hostname, @@port, @@server_id, RIGHT(UUID(), 17))";

/// Comes before a look-up on a caller's connection: MariaDB would find no rows with `mrr`. It changes nothing else of the
/// session.
const USUAL_PLAN: &str = "/*M! SET STATEMENT optimizer_switch = 'mrr=off,join_cache_bka=off' FOR */ ";

/// The pair that was found, and the server.
pub(super) struct Look {
    pub(super) id: Option<u64>,
    pub(super) server: String,
    /// True if the look-up also found a pair that is known to exist.
    pub(super) proved: bool,
}

/// Looks a UUID up by its hash. One statement returns the pair and the server, so that no proxy can send the look-up to one server and the
/// query for the identity to another.
async fn look<C: Connection>(context: &Context, connection: &mut C, uuid: Uuid, plan: &str) -> Attempt<Look> {
    let witness = context.witness.get();
    let mut hashes = hash(uuid).to_string();
    if let Some((witness, _)) = witness {
        hashes.push_str(&format!(",{}", hash(witness)));
    }
    let map = &context.tables.map;
    let mut statement = format!(
        "{plan}SELECT {SERVER}, pair.id, pair.uuid FROM (SELECT 1 AS one) AS here \
         LEFT JOIN {map} AS pair FORCE INDEX (hash) ON pair.hash IN ({hashes})"
    );
    if let Some((_, id)) = witness {
        statement.push_str(&format!(" UNION ALL SELECT '', id, uuid FROM {map} WHERE id = {id}"));
    }
    statement.push_str(ALL);
    let rows = connection.read(statement).await?;
    if rows.is_empty() {
        return Err(context.hidden_rows());
    }
    let mut look = Look { id: None, server: String::new(), proved: false };
    let (mut by_hash, mut by_id) = (false, false);
    for row in rows {
        let server = row.text(0)?.unwrap_or_default();
        let Some(id) = row.number(1)? else {
            look.server = server;
            continue;
        };
        let found = row.uuid(2)?;
        let is_witness = witness == Some((found, id));
        if server.is_empty() {
            by_id |= is_witness;
            continue;
        }
        look.server = server;
        by_hash |= is_witness;
        // Two UUIDs may share a hash.
        if found == uuid {
            look.id = Some(id);
        }
    }
    if by_id && !by_hash {
        return Err(context.hidden_rows());
    }
    look.proved = by_hash;
    Ok(look)
}

/// Looks a UUID up on a caller's connection, whose optimizer switches the caller has set.
pub(super) async fn look_within<C: Connection>(
    context: &Context,
    connection: &mut C,
    uuid: Uuid,
) -> Attempt<Look> {
    look(context, connection, uuid, USUAL_PLAN).await
}

/// Looks a UUID up on a connection of the map, which sees everything that is committed. Returns no pair only if that is
/// proved: the same look-up found a known pair, or the map has none. Fails if the server does not find a pair that it
/// has.
pub(super) async fn look_proved<C: Connection>(
    context: &Context,
    connection: &mut C,
    uuid: Uuid,
) -> Attempt<Look> {
    for _ in 0..LOOKS {
        let look = look(context, connection, uuid, "").await?;
        if look.id.is_some() || look.proved || !context.choose_witness(connection).await? {
            return Ok(look);
        }
    }
    Err(context.hidden_rows())
}
