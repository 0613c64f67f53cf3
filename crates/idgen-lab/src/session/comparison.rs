//! A comparison of strategies, from its empty results on.

use idgen_record::{Protocol, Results, Workload};

use crate::engine::Engine;
use crate::experiment::{self, Keys, Scale};
use crate::session::Target;
use crate::strategy::Strategy;
use crate::{Error, Result, measure};

/// A comparison of strategies on one load.
pub struct Comparison<'a> {
    /// The question that it answers.
    pub question: &'a str,
    /// The command that repeats it.
    pub command: &'a str,
    /// The strategies that were asked for.
    pub strategies: &'a [&'static Strategy],
    /// The number of runs of each strategy.
    pub repeats: u32,
    /// The experiment that it belongs to, and its size.
    pub experiment: Option<(&'a Keys, Scale)>,
}

impl Comparison<'_> {
    /// The results before the first run, and the strategies to run. An experiment leaves out those that the database cannot
    /// do, and has the published figures and notes on how the run differs from theirs.
    ///
    /// # Errors
    /// The experiment has no strategy of a published figure.
    pub fn begin(
        &self,
        target: &Target,
        engine: &dyn Engine,
        workload: Workload,
    ) -> Result<(Results, Vec<&'static Strategy>)> {
        let mut results = measure::begin(self.question, self.command, engine.info(), workload);
        results.protocol = Some(Protocol {
            repeats: self.repeats,
            order_seed: results.workload.seed,
            order: Vec::new(),
            isolation: engine.isolation().into(),
        });
        let Some((experiment, scale)) = self.experiment else {
            return Ok((results, self.strategies.to_vec()));
        };
        let ours = target.own_server().is_some();
        let writers = results.workload.writers;
        results.published = match scale {
            Scale::Full if ours => experiment.judged(writers),
            _ => experiment.published(writers),
        };
        let mut notes: Vec<String> =
            experiment::differs(experiment, scale, &results, ours)?.into_iter().collect();
        let (mut possible, refused) = self.those_possible(engine, &results.workload);
        if possible.is_empty() {
            // The runner returns the reason as an error.
            possible = self.strategies.to_vec();
        } else {
            notes.extend(refused.into_iter().map(|why| format!("Left out: {why}.")));
        }
        results.notes = notes.join(" ");
        Ok((results, possible))
    }

    /// The strategies that the database can do, and why it cannot do the others.
    fn those_possible(&self, engine: &dyn Engine, load: &Workload) -> (Vec<&'static Strategy>, Vec<Error>) {
        let (mut possible, mut refused) = (Vec::new(), Vec::new());
        for strategy in self.strategies {
            match engine.check(strategy, load) {
                Ok(()) => possible.push(*strategy),
                Err(why) => refused.push(why),
            }
        }
        (possible, refused)
    }
}
