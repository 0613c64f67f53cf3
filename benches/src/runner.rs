//! Times the cases of a group in turns, so that a slow moment of the machine affects all of them, and
//! takes medians over the rounds.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::case::{Group, IDS};

/// How long and how often to measure.
pub struct Effort {
    /// How many turns each case has.
    pub rounds: usize,
    /// How long a turn should take.
    pub turn: Duration,
}

/// The time that one case took.
pub struct Measured {
    /// The case.
    pub name: &'static str,
    /// The median over the rounds, in nanoseconds per id.
    pub ns: f64,
    /// Half the distance between the quartiles, in percent of the median.
    pub spread_percent: f64,
    /// The time of each round.
    pub rounds: Vec<f64>,
}

impl Measured {
    /// The median over the rounds of how many times as long `peer` took as `ours`. Both ran in the same milliseconds,
    /// so a slow moment of the machine affects both, and the ratio less than the times.
    pub fn median_ratio(peer: &Measured, ours: &Measured) -> f64 {
        let ratios = peer.rounds.iter().zip(&ours.rounds).map(|(peer, ours)| peer / ours);
        quartiles(ratios.collect())[1]
    }
}

/// Checks all cases, then times them.
pub fn run(group: &mut Group, effort: &Effort) -> Result<Vec<Measured>> {
    let mut passes = Vec::new();
    for case in &mut group.cases {
        (case.check)().with_context(|| format!("{}: {} gives a wrong result", group.name, case.name))?;
        passes.push(passes_for(effort.turn, &mut case.pass));
    }
    let mut times = vec![Vec::with_capacity(effort.rounds); group.cases.len()];
    for round in 0..effort.rounds {
        for turn in 0..group.cases.len() {
            // Another case goes first in each round.
            let at = (turn + round) % group.cases.len();
            let took = time(passes[at], &mut group.cases[at].pass);
            times[at].push(took.as_nanos() as f64 / (passes[at] as f64 * IDS as f64));
        }
    }
    let measured = |(case, times): (&crate::case::Case, Vec<f64>)| {
        let [low, ns, high] = quartiles(times.clone());
        Measured { name: case.name, ns, spread_percent: 50.0 * (high - low) / ns, rounds: times }
    };
    Ok(group.cases.iter().zip(times).map(measured).collect())
}

fn time(passes: u32, pass: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..passes {
        pass();
    }
    start.elapsed()
}

fn passes_for(turn: Duration, pass: &mut dyn FnMut()) -> u32 {
    let mut passes = 1;
    loop {
        let took = time(passes, pass);
        if took * 4 >= turn || passes >= 1 << 20 {
            let wanted = f64::from(passes) * turn.as_secs_f64() / took.as_secs_f64().max(1e-9);
            return wanted.clamp(1.0, f64::from(1 << 22)) as u32;
        }
        passes *= 2;
    }
}

fn quartiles(mut times: Vec<f64>) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| times[(times.len() - 1) * quarter / 4])
}
