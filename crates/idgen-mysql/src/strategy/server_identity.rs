//! A look for a pair that also says on which server it was made.

use uuid::Uuid;

use super::context::Context;
use crate::caller::{Connection, Values};
use crate::failure::Attempt;
use crate::sql::hash;

/// Names the running server process, to anybody who asks it. Host names and ports repeat where machines are
/// copies of one image; a UUID of version 1 ends in the hardware address and in a random number of this start
/// of the server (MySQL manual, "Miscellaneous Functions", `UUID()`). A clock that is set back changes that
/// number, and then a server takes itself for another one, which costs a locking read and no more.
const SERVER: &str = "CONCAT_WS(' ', @@hostname, @@port, @@server_id, RIGHT(UUID(), 17))";

/// What was seen, and where.
pub(super) struct Look {
    pub(super) id: Option<u64>,
    pub(super) server: String,
}

/// Looks a UUID up by its hash. One statement tells both, so that no proxy can send the look to one server and
/// the question after it to another.
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
