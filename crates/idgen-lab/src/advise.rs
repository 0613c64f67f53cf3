//! Recommends a key for a table, with the reasons.

pub(crate) mod amounts;
pub(crate) mod candidates;
mod clocks;
mod cost;
mod device;
mod fill;
mod hold_out;
mod hold_out_clients;
mod innodb;
mod interval;
mod leaving;
mod postgres;
mod scale;
mod sqlite;
#[cfg(test)]
mod tests;
mod text;

use serde::Serialize;

use crate::forecast::{FORMAT, Forecast, Load, Part, Settings, predict_part};
use crate::strategy::Strategy;
use crate::{Error, Result};
pub use candidates::{Candidate, IdsFrom, LogCost, PageCost};
use candidates::{Choice, choose, compared, conclude};
#[doc(hidden)]
pub use cost::cost;
use idgen_record::{Database, thousands};
pub use interval::{IntervalForecast, PrefixAdvice};

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The version of this form: a change that breaks readers raises it.
    pub format: u32,
    /// The model that made the prediction, and (`measured_by`) the command that measures the table, for
    /// people.
    #[serde(skip)]
    model: &'static str,
    #[serde(skip)]
    measured_by: &'static str,
    /// The side that makes the ids: the database or clients.
    pub ids_from: IdsFrom,
    /// The recommended strategy.
    pub recommended: &'static str,
    /// The strategy to use if the database makes the ids, if it is not known who does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from_server: Option<&'static str>,
    /// The strategy to use if ids must not reveal when they were made, if one that fits hides it and there is no `prefix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hiding: Option<&'static str>,
    /// Sentences with the reasons; the strongest comes first.
    pub reasons: Vec<String>,
    /// Sentences with the limits of the prediction, and with advice for special cases.
    pub caveats: Vec<String>,
    /// The model's tables are at most this many times smaller than the real one.
    pub scale: u64,
    /// The predicted costs of each candidate, in the order in which candidates are listed.
    pub candidates: Vec<Candidate>,
    /// The way to generate prefixed ids on InnoDB, for the case that ids must not reveal their date. `None`
    /// for a table that holds rows: the formulas are for regions that are empty at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefix: Option<PrefixAdvice>,
}

/// A load on a table that is smaller by a factor, on which an insert costs what it costs on the large one.
struct Scaled {
    /// The factor.
    scale: u64,
    load: Load,
    part: Part,
}

impl Scaled {
    fn predict(&self, strategy: &'static Strategy) -> Result<Forecast> {
        predict_part(strategy, &self.load, self.part)
    }

    /// Predicts the costs of the strategy in the large table.
    fn cost(&self, strategy: &'static Strategy, server: &dyn Advised, load: &Load) -> Result<Candidate> {
        let forecast = self.predict(strategy)?;
        Ok(Candidate::of(&forecast, load, server.pages(&forecast)))
    }
}

/// The results of the predictions, as the sentences of an advice need them.
struct Found<'a> {
    load: &'a Load,
    best: &'a Candidate,
    from_server: Option<&'a Candidate>,
    all: &'a [Candidate],
    /// The strategies for which the model's table ends before the real one, and where.
    stopped: &'a [(&'static str, u64)],
}

impl<'a> Found<'a> {
    /// The candidate of the first of these strategies that is one.
    fn first(&self, names: &[&str]) -> Option<&'a Candidate> {
        names.iter().find_map(|name| self.all.iter().find(|one| one.strategy == *name))
    }

    /// Staying with the kind of the rows that the table holds.
    fn stay(&self) -> Option<&'a Candidate> {
        self.first(&[self.load.existing?.0.name])
    }

    /// Random keys, if they are not recommended.
    fn random(&self) -> Option<&'a Candidate> {
        self.first(&["v4-binary", "v4-text36"]).filter(|random| random.strategy != self.best.strategy)
    }
}

/// The parts of advice that differ between databases, beside the model.
trait Advised {
    /// The model and the table that it predicts, as a phrase: "a model of ...".
    fn model(&self) -> &'static str;

    /// The command that measures such a table.
    fn measured_by(&self) -> &'static str;

    /// The database whose strategies are compared.
    fn database(&self) -> Database;

    /// The load for this strategy, made small enough for about a million rows.
    fn scaled(&self, strategy: &Strategy, load: &Load) -> Scaled;

    /// The row of the large table after which the model stops, if it stops before the end.
    fn stops_at(&self, _: &Scaled, _: &Load) -> Option<u64> {
        None
    }

    /// Pages read and written per 1,000 inserts.
    fn pages(&self, forecast: &Forecast) -> (f64, f64) {
        forecast.late_pages()
    }

    /// Sentences with the reasons for the best strategy; the strongest comes first.
    fn reasons(&self, found: &Found<'_>) -> Vec<String>;

    /// Sentences with the limits of the prediction, and with advice for special cases.
    fn caveats(&self, found: &Found<'_>) -> Vec<String>;

    /// The way to generate prefixed ids; `None` where the database has no advice about them.
    fn prefix(&self, _: &Load, _: &[Candidate]) -> Result<Option<PrefixAdvice>> {
        Ok(None)
    }
}

fn advised(settings: &Settings) -> &dyn Advised {
    match settings {
        Settings::InnoDb(server) => server,
        Settings::Sqlite(settings) => settings,
        Settings::Postgres(settings) => settings,
    }
}

/// The most rows of a table with keys that no smaller table predicts.
const MOST_WHOLE_ROWS: u64 = 4_000_000;

/// The load on a smaller table. A table of tenants is followed as it is: each tenant has an edge of its own, and a smaller table
/// would have fewer rows at each.
///
/// # Errors
/// Such a table has too many rows.
fn scaled(server: &dyn Advised, strategy: &Strategy, load: &Load) -> Result<Scaled> {
    if load.tenants.is_none() {
        return Ok(server.scaled(strategy, load));
    }
    if load.all_rows() <= MOST_WHOLE_ROWS {
        return Ok(Scaled { scale: 1, load: load.clone(), part: Part::default() });
    }
    Err(Error::config(format!(
        "{} rows of tenants are too many for advice, which has no smaller table for them: give at most {MOST_WHOLE_ROWS}, or \
         compare the predictions of idgen lab simulate",
        load.all_rows()
    )))
}

/// Compares the strategies for a planned table.
///
/// The model runs on a table of about a million rows, or a few million where the pool is small compared with the table.
/// Pool, log and device are reduced by the same factor, and each prefix recurs as often as in the large table, so an
/// insert reads and writes as many pages as it would there. The interval of prefixed ids is chosen by formulas that
/// recorded measurements confirm.
///
/// ```
/// use btree_model::Server;
/// use idgen_lab::advise::{IdsFrom, advise};
/// use idgen_lab::forecast::{Load, PostgresSettings};
///
/// let load = Load { rate: 2_000.0, writers: 4, ..Load::new(200_000, Server::mysql(16 << 20)) };
/// let advice = advise(&load, IdsFrom::Either)?;
/// assert_eq!((advice.recommended, advice.from_server), ("v7-binary", Some("auto-increment")));
/// assert!(!advice.reasons.is_empty());
/// // A minute of 2,000 inserts a second adds a thousand pages to one region of the index.
/// let prefix = advice.prefix.expect("the table is new");
/// assert_eq!((prefix.interval, prefix.tail), ("minute", "ascending"));
///
/// let load = Load { rate: 50.0, writers: 4, ..Load::new(100_000, PostgresSettings::default()) };
/// let advice = advise(&load, IdsFrom::Either)?;
/// assert_eq!((advice.recommended, advice.hiding), ("v7-binary", Some("minute-random")));
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that a server could have, or nothing but its own kind fits the rows that its table holds, or nothing
/// that is made by whom ids should be from.
pub fn advise(load: &Load, from: IdsFrom) -> Result<Advice> {
    load.check_numbers()?;
    load.check_rows(Load::MAX_PLANNED_ROWS)?;
    let server = advised(&load.server);
    let (mut scale, mut stopped, mut candidates) = (1, Vec::new(), Vec::new());
    for strategy in compared(server.database(), load)? {
        let scaled = scaled(server, strategy, load)?;
        scale = scale.max(scaled.scale);
        stopped.extend(server.stops_at(&scaled, load).map(|rows| (strategy.name, rows)));
        candidates.push(scaled.cost(strategy, server, load)?);
    }
    let Choice { best, from_server, hiding } = choose(&candidates, from)?;
    // The formulas are for a region that grows at one place.
    let prefix = if load.tenants.is_none() { server.prefix(load, &candidates)? } else { None };
    let found = Found { load, best, from_server, all: &candidates, stopped: &stopped };
    let mut reasons = server.reasons(&found);
    conclude(&mut reasons, &found)?;
    let mut caveats = server.caveats(&found);
    caveats.extend(load.tenants.map(|tenants| {
        format!(
            "The primary key is (tenant, id), and each row is of one of {} tenants at random. If most rows are of a few tenants, \
             give the number of those.",
            thousands(tenants.into())
        )
    }));
    Ok(Advice {
        format: FORMAT,
        model: server.model(),
        measured_by: server.measured_by(),
        ids_from: from,
        recommended: best.strategy,
        from_server: from_server.map(|one| one.strategy),
        hiding: hiding.filter(|_| prefix.is_none()).map(|one| one.strategy),
        reasons,
        caveats,
        scale,
        candidates,
        prefix,
    })
}
