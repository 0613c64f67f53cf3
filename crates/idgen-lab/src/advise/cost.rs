//! Predicts the costs of one strategy in a table, without a comparison.

use idgen_record::{Column, IdKind};

use super::{Candidate, MOST_WHOLE_ROWS, Scaled, advised};
use crate::forecast::{Load, Part};
use crate::strategy::Strategy;
use crate::{Error, Result};

/// Predicts the costs of one strategy in a table, on a smaller table as [`advise`](super::advise) does.
///
/// ```
/// use btree_model::Server;
/// use idgen_lab::{advise::cost, forecast::Load, strategy::find};
///
/// let random = find("v4-binary")?;
/// let load = Load { existing: Some((random, 50_000)), ..Load::new(50_000, Server::mysql(16 << 20)) };
/// let (stay, change) = (cost(random, &load)?, cost(find("v7-binary")?, &load)?);
/// assert!(change.tree_bytes < stay.tree_bytes && change.fill > stay.fill);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have, or its existing rows do not fit the column. Version 1 in plain order passes
/// all keys every seven minutes, in any table, so that a smaller one says nothing of a larger one: more than four million
/// rows are refused.
pub fn cost(strategy: &'static Strategy, load: &Load) -> Result<Candidate> {
    load.check_numbers()?;
    load.check_rows(Load::MAX_PLANNED_ROWS)?;
    let server = advised(&load.server);
    let passes_all = strategy.ids == IdKind::V1 && strategy.column == Column::Binary16;
    let scaled = if !passes_all {
        server.scaled(strategy, load)
    } else if load.all_rows() <= MOST_WHOLE_ROWS {
        Scaled { scale: 1, load: load.clone(), part: Part::default() }
    } else {
        return Err(Error::config(format!(
            "{} rows of {} are too many to be predicted: a smaller table says nothing of a larger one",
            load.all_rows(),
            strategy.name
        )));
    };
    scaled.cost(strategy, server, load)
}
