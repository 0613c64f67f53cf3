//! A look-up of a pair that also tells on which server it was executed.

use uuid::Uuid;

use super::context::Context;
use crate::caller::{Connection, Values};
use crate::failure::Attempt;
use crate::sql::hash;

/// Identifies the running server process. Host names and ports repeat if machines are copies of one image, so it includes
/// the end of a UUID of version 1: the hardware address and a random number of this start of the server (MySQL manual,
/// "Miscellaneous Functions", `UUID()`). If the clock is set back, that number changes and the server seems to be another
/// one, which costs only a locking read.
const SERVER: &str = "CONCAT_WS(' ', @@hostname, @@port, @@server_id, RIGHT(UUID(), 17))";

/// The pair that was found, and the server.
pub(super) struct Look {
    pub(super) id: Option<u64>,
    pub(super) server: String,
}

/// Looks a UUID up by its hash. One statement returns both, so that no proxy can send the look-up to one server and the
/// query for the identity to another.
pub(super) async fn look<C: Connection>(context: &Context, connection: &mut C, uuid: Uuid) -> Attempt<Look> {
    let statement = format!(
        "SELECT {SERVER}, pair.id, pair.uuid FROM (SELECT 1 AS one) AS here \
         LEFT JOIN {} AS pair ON pair.hash = {}",
        context.tables.map,
        hash(uuid)
    );
    let rows = connection.read(statement).await?;
    let mut look = Look { id: None, server: String::new() };
    for row in rows {
        look.server = row.text(0)?.unwrap_or_default();
        let id = row.number(1)?;
        // Two UUIDs may share a hash.
        if id.is_some() && row.uuid(2)? == uuid {
            look.id = id;
        }
    }
    Ok(look)
}
