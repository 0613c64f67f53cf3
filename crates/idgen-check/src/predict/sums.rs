//! Sources whose numbers are the sum of two words of a state that is linear over GF(2), such as `Math.random()` of Firefox and Safari.
//!
//! But for the carry, each bit of a sum is the exclusive or of two bits of the state. The bits below say how likely the carry is: below
//! three bits that are one, a carry into the next one has a probability of 1/16. So ids give many equations that are probably right, and
//! the state is decoded from them as from a noisy code.

mod decode;
mod information;
mod sources;

use std::sync::LazyLock;

use super::SPARE;
use super::follow::{Draws, Lead};
use super::form::{DRAWN, End, FORMS, Form, fixed};
use super::source::{Equations, State};
use decode::{Code, Equation};
use information::WORDS;
use sources::{SUMS, Sum};

/// Ids that are used for the equations.
const MOST_IDS: usize = 64;
/// Equations that are wrong more often than this are left out.
const MOST_NOISE: f64 = 0.2;

/// The exclusive or of two words has this value in the sum of these bits, but for some of the draws.
struct Likely {
    bits: u64,
    value: u64,
    noise: f64,
}

/// The equations of a number that is a sum, of which these bits are known; `is_whole` if it begins with the lowest bit of the sum. None is the sum
/// of others, as if it confirmed them.
fn likely((number, mask, of): (u64, u64, u32), is_whole: bool) -> Vec<Likely> {
    let mut all = Vec::new();
    // The probability that the carry into a bit is a one, and that it differs from the carry into the bit below.
    let (mut carry, mut differs) = (if is_whole { 0.0 } else { 0.5 }, 0.5);
    for bit in 0..of {
        let value = number >> bit & 1;
        if mask >> bit & 1 == 0 {
            (carry, differs) = (0.5, 0.5);
            continue;
        }
        let is_carried = u64::from(carry > 0.5);
        all.push(Likely { bits: 1 << bit, value: value ^ is_carried, noise: f64::min(carry, 1.0 - carry) });
        if differs < 0.5 {
            let below = number >> (bit - 1) & 1;
            all.push(Likely { bits: 0b11 << (bit - 1), value: value ^ below, noise: differs });
        }
        (carry, differs) = match value {
            0 => ((1.0 + carry) / 2.0, (1.0 - carry) / 2.0),
            _ => (carry / 2.0, carry / 2.0),
        };
    }
    all.retain(|likely| likely.noise <= MOST_NOISE);
    all.sort_by(|a, b| a.noise.total_cmp(&b.noise));
    // The bits of those that are kept, by their lowest one.
    let mut kept = [0_u64; 64];
    all.retain(|likely| {
        let mut bits = likely.bits;
        while bits != 0 {
            let lowest = bits.trailing_zeros() as usize;
            if kept[lowest] == 0 {
                kept[lowest] = bits;
                return true;
            }
            bits ^= kept[lowest];
        }
        false
    });
    all
}

/// A source and a form.
struct Plan {
    of: &'static Sum,
    equations: &'static Equations,
    form: &'static Form,
    end: End,
}

static EQUATIONS: LazyLock<Vec<Equations>> =
    LazyLock::new(|| SUMS.iter().map(|of| of.linear.equations(MOST_IDS * 36)).collect());

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let plans = |(of, equations): (&'static Sum, &'static Equations)| {
        let forms = FORMS.iter().filter(|form| of.may_have(form));
        let ends = move |form: &'static Form| of.ends(form).into_iter().map(move |end| (form, end));
        forms.flat_map(ends).map(move |(form, end)| Plan { of, equations, form, end })
    };
    SUMS.iter().zip(EQUATIONS.iter()).flat_map(plans).collect()
});

impl Plan {
    /// The equations that these ids give of the bits of the state, and how often each is wrong: those that are most often right, and these first.
    fn equations(&self, ids: &[u128], known: u128) -> Vec<Equation> {
        let draws = self.form.draws;
        let mut all = Vec::new();
        for (at, id) in ids.iter().enumerate() {
            for draw in 0..draws {
                let seen = self.form.seen(*id, draw, known);
                let lowest = if self.end == End::Top { self.of.width - seen.2 } else { 0 };
                all.extend(
                    likely(seen, lowest == 0).into_iter().map(|likely| (at * draws + draw, lowest, likely)),
                );
            }
        }
        all.sort_by(|(.., a), (.., b)| a.noise.total_cmp(&b.noise));
        all.truncate(64 * WORDS);
        let equation = |(draw, lowest, Likely { bits, value, noise }): (usize, u32, Likely)| {
            let mut row = vec![0; self.of.linear.words];
            for bit in (0..64).filter(|bit| bits >> bit & 1 == 1) {
                let equation = self.equations.of(draw, 63 - (lowest + bit) as usize);
                row.iter_mut().zip(equation).for_each(|(a, b)| *a ^= b);
            }
            Equation { row, value, noise }
        };
        all.into_iter().map(equation).collect()
    }

    /// The bits that ids show.
    fn known(&self, ids: &[u128]) -> u128 {
        // Some programs make the digit of the variant of a number of two bits.
        if self.form.widest() == 4 { DRAWN } else { fixed(ids) }
    }

    /// Ids from whose exact bits the state follows, with as many bits to spare as a finding needs.
    fn fewest(&self, known: u128) -> usize {
        let shown = (known & self.form.mask()).count_ones() as usize;
        (self.of.linear.unknowns() + SPARE as usize).div_ceil(shown.max(1))
    }

    /// The source before these ids, if all of them come from it.
    fn solve(&self, ids: &[u128], known: u128) -> Option<Source> {
        let code = Code::new(self.of.linear.unknowns(), self.equations(ids, known))?;
        code.decode(|bits| {
            let source = Source { of: self.of, state: self.of.linear.state(bits) };
            self.agrees(&source, ids, known).then_some(source)
        })
    }

    fn agrees(&self, source: &Source, ids: &[u128], known: u128) -> bool {
        let (mut source, shown) = (source.clone(), known & self.form.mask());
        ids.iter().all(|id| {
            let draws: Vec<u64> = (0..self.form.draws).map(|_| source.next()).collect();
            (self.form.id(&draws, self.of.width, self.end) ^ id) & shown == 0
        })
    }
}

#[derive(Clone)]
struct Source {
    of: &'static Sum,
    state: State,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        (self.of.sum)(&mut self.state) << (64 - self.of.width)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// The state of such a source from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    // The first ids only: what follows costs most of the time of a check.
    let used = &ids[..ids.len().min(MOST_IDS)];
    for plan in PLANS.iter() {
        let known = plan.known(ids);
        if ids.len() < plan.fewest(known) {
            continue;
        }
        if let Some(source) = plan.solve(used, known) {
            return vec![Lead {
                source: plan.of.linear.name.into(),
                instead: plan.of.instead,
                form: plan.form.clone(),
                end: plan.end,
                width: plan.of.width,
                known,
                draws: Box::new(source),
                variants: Vec::new(),
                needed: used.len(),
            }];
        }
    }
    Vec::new()
}

/// A state is reported if all ids agree with it that equations are made of. These have enough bits that no more than
/// 2^-[`SPARE`] of the answers of a secure source agree with any state.
#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    PLANS.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids of version 4 that a source of the plan makes, in a state that follows from `seed`.
    fn made(plan: &Plan, seed: u64, count: usize) -> Vec<u128> {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut source = Source { of: plan.of, state: State::default() };
        source.state[..plan.of.linear.words].fill_with(|| random.u64(..));
        let id = |_| {
            let draws: Vec<u64> = (0..plan.form.draws).map(|_| source.next()).collect();
            let id = plan.form.id(&draws, plan.of.width, plan.end);
            id & !(0xF << 76 | 0b11 << 62) | 0x4 << 76 | 0b10 << 62
        };
        (0..count).map(id).collect()
    }

    /// For each source, `lists` lists of `size` ids are made for each form, and at least `least` of them must be
    /// recognized. The seeds are fixed, so the counts are the same in each run.
    #[test]
    fn simulated_lists_are_recognized() {
        for (source, is_narrow, size, lists, least) in [
            ("Firefox", true, 12, 6, 13),
            ("Firefox", true, 16, 6, 22),
            ("Firefox", true, 32, 6, 27),
            ("Firefox", true, 64, 6, 27),
            ("Firefox", false, 4, 1, 11),
            ("Firefox", false, 12, 2, 40),
            ("xoroshiro128+", false, 4, 1, 20),
            ("xoroshiro128+", false, 8, 2, 60),
            ("xoroshiro128+", false, 12, 2, 61),
            ("xoshiro256+", false, 12, 2, 27),
            ("xoshiro256+", false, 16, 2, 39),
            ("xoshiro256+", false, 24, 2, 56),
        ] {
            let is_of =
                |plan: &&Plan| plan.of.linear.name.contains(source) && (plan.form.widest() == 4) == is_narrow;
            let (mut of, mut found) = (0, 0);
            for (n, plan) in PLANS.iter().filter(is_of).enumerate() {
                for list in 0..lists {
                    let ids = made(plan, (list * 100 + n) as u64, size);
                    of += 1;
                    found += usize::from(plan.solve(&ids, plan.known(&ids)).is_some());
                }
            }
            println!("{source}, {size} ids: {found} of {of}");
            assert!(found >= least, "{source}, {size} ids: {found} of {of} lists");
        }
    }
}
