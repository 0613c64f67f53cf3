//! The published figures beside the measured ones.

use super::numbers::write;
use idgen_record::{Metric, Results};

/// One published figure and what was measured here.
pub struct Comparison {
    /// The title of the strategy measured.
    pub strategy: String,
    /// How the published run was.
    pub setting: String,
    /// Which figure.
    pub figure: &'static str,
    /// As published.
    pub published: String,
    /// As measured.
    pub measured: String,
    /// Measured less published, in percent of the published; nothing beside zero.
    pub difference: String,
}

/// Every published figure for which there is a run.
pub fn comparisons(results: &Results) -> Vec<Comparison> {
    let mut lines = Vec::new();
    for published in &results.published {
        let Some(run) = results.run(&published.strategy) else { continue };
        let figures = published.rows.map_or_else(|| run.figures(), |rows| run.figures_at(rows));
        for (name, value) in &published.figures {
            let Some(metric) = Metric::named(name) else { continue };
            let Some(measured) = metric.number(&figures) else { continue };
            let difference = match *value {
                0.0 => String::new(),
                value => format!("{:+.0} %", (measured / value - 1.0) * 100.0),
            };
            lines.push(Comparison {
                strategy: run.strategy.title.clone(),
                setting: published.setting.clone(),
                figure: metric.title,
                published: write(metric.unit, *value),
                measured: write(metric.unit, measured),
                difference,
            });
        }
    }
    lines
}
