//! Times: credible, and not ahead of the clock.

use crate::analysis::{Analysis, Timed};
use crate::numbers::{duration, grouped, plural};
use crate::options::Options;
use crate::report::Verdict;
use crate::rules::{CLOCK_SEQUENCE, NOT_AHEAD, NOT_BEFORE, NOT_FUTURE, Status};

/// Ids in a row, each with the millisecond after that of the one before, that no clock explains.
const CLIMB: u64 = 64;

pub(super) fn kind(analysis: &Analysis, options: &Options) -> Vec<Verdict> {
    let name = Some(analysis.claim.name());
    let Some(timed) = &analysis.timed else { return Vec::new() };
    let time = &timed.time;
    let mut verdicts = vec![match time.late.count {
        0 => Verdict::new(&NOT_FUTURE, name, Status::Holds, "no time is in the future"),
        count => {
            let found = format!("{} from the future, up to {}", are(count), timed.layout.moment(time.max));
            Verdict::new(&NOT_FUTURE, name, Status::Fails, found).at(&time.late.first)
        }
    }];
    verdicts.push(match time.early.count {
        0 => Verdict::new(&NOT_BEFORE, name, Status::Holds, "no time is too early"),
        count => {
            let found = format!("{} from before, down to {}", are(count), timed.layout.moment(time.min));
            Verdict::new(&NOT_BEFORE, name, Status::Fails, found).at(&time.early.first)
        }
    });
    verdicts.push(ahead(timed, name, analysis, options));
    if let Some(nodes) = &timed.nodes {
        verdicts.push(match nodes.unmarked_steps.count {
            0 if analysis.order.is_by_time() => {
                Verdict::new(&CLOCK_SEQUENCE, name, Status::Unseen, "the time never goes back")
            }
            0 => Verdict::new(
                &CLOCK_SEQUENCE,
                name,
                Status::Holds,
                "node or clock sequence change where the time goes back",
            ),
            count => {
                let found = format!(
                    "the time goes back {} while node and clock sequence stay, so that ids can be repeated",
                    plural(count, "time")
                );
                Verdict::new(&CLOCK_SEQUENCE, name, Status::Fails, found).at(&nodes.unmarked_steps.first)
            }
        });
    }
    verdicts
}

fn are(count: u64) -> String {
    if count == 1 { "1 id is".into() } else { format!("{} ids are", grouped(count)) }
}

fn ahead(timed: &Timed, name: Option<&'static str>, analysis: &Analysis, options: &Options) -> Verdict {
    let tolerance = options.tolerance.as_secs_f64() * 1e3;
    let time = &timed.time;
    let ms = |units: i64| units as f64 / timed.layout.per_ms as f64;
    if let Some((lead, place)) = time.ahead
        && ms(lead) > tolerance
    {
        let found = format!("times are up to {} ahead of the clock", duration(ms(lead)));
        return Verdict::new(&NOT_AHEAD, name, Status::Fails, found).at(&[place]);
    }
    if let (climb @ CLIMB.., place) = time.climb {
        let found = format!(
            "{} in a row have the millisecond after that of the one before: the generator counts in the time, which runs \
             ahead of the clock in a burst",
            plural(climb, "id")
        );
        let places: Vec<_> = place.into_iter().collect();
        return Verdict::new(&NOT_AHEAD, name, Status::Fails, found).at(&places);
    }
    match time.ahead {
        Some((lead, _)) if lead > 0 => {
            let found = format!("times are at most {} ahead of the clock", duration(ms(lead)));
            Verdict::new(&NOT_AHEAD, name, Status::Holds, found)
        }
        Some(_) => Verdict::new(&NOT_AHEAD, name, Status::Holds, "no time is ahead of the clock"),
        None if analysis.bits.ids < CLIMB => {
            Verdict::new(&NOT_AHEAD, name, Status::Unseen, "there are too few ids")
        }
        None => Verdict::new(
            &NOT_AHEAD,
            name,
            Status::Unseen,
            "nothing suggests it; only a check while the generator runs (live) can tell",
        ),
    }
}
