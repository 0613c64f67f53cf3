//! Claims pairs by the map's index. Each index returns the ids of UUIDs, and creates those that are missing.

mod attempts;
pub(crate) mod dedup;
mod import;
mod server_identity;
mod taken;
pub(crate) mod unique;

use uuid::Uuid;

pub use self::import::Imported;

use crate::claim::context::Context;
use crate::claim::pair::{Claimed, Guess};
use crate::error::Result;
use crate::installed::Index;

/// The id of one UUID.
pub(crate) async fn claim_one(context: &Context, uuid: Uuid, guess: Guess) -> Result<Claimed> {
    match context.installed.index {
        Index::Unique => unique::claim_one(context, uuid, guess).await,
        Index::Dedup => dedup::claim_one(context, uuid, guess).await,
    }
}

/// The ids of distinct UUIDs in ascending order, at most [`CHUNK`](crate::claim::pair::CHUNK) of them.
pub(crate) async fn claim_many(context: &Context, uuids: &[Uuid], guess: Guess) -> Result<Vec<Claimed>> {
    match context.installed.index {
        Index::Unique if context.tables.places.is_some() => unique::claim_each(context, uuids, guess).await,
        Index::Unique => unique::claim_many(context, uuids, guess).await,
        Index::Dedup => dedup::claim_many(context, uuids, guess).await,
    }
}
