//! Sources that are linear over GF(2) but for a last step, which can be undone if ids show whole numbers, such as xoshiro256**.
//!
//! Bits that ids do not show are tried. Which sums of bits of successive words are zero is computed once, as for linear sources.

mod sources;

use std::sync::LazyLock;

use super::SPARE;
use super::echelon::Echelon;
use super::follow::{Draws, Lead};
use super::form::{End, FORMS, Form, fixed};
use super::source::{Equations, Linear, State};
use super::windows;
pub(super) use sources::inverse;
use sources::{SCRAMBLED, Scrambled};

/// Bits of an id that are not shown, at most: version and variant.
const MOST_HIDDEN: u32 = 6;

/// A source and a form.
struct Plan {
    of: &'static Scrambled,
    equations: Equations,
    form: &'static Form,
    /// Each of the `zeros` has this many masks: one more word than those that determine the state.
    words: usize,
    /// Masks of the bits of each word whose sum is zero.
    zeros: Vec<Vec<u64>>,
    ids: usize,
}

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let plans = |of: &'static Scrambled| {
        let forms = FORMS.iter().filter(|form| form.is_of_whole(of.linear.width));
        forms.map(move |form| Plan::new(of, form))
    };
    SCRAMBLED.iter().flat_map(plans).collect()
});

/// A word of the state that a number may come from, and which of the sums have a one from it.
struct Candidate {
    word: u64,
    ones: u64,
}

impl Plan {
    fn new(of: &'static Scrambled, form: &'static Form) -> Self {
        let linear = &of.linear;
        let words = linear.unknowns() / linear.width as usize + 1;
        let equations = linear.equations(words);
        let mut system = Echelon::new(linear.unknowns(), words);
        let mut zeros = Vec::new();
        let mut row = vec![0; system.words()];
        for (word, bit) in (0..words).flat_map(|word| (0..linear.width).map(move |bit| (word, bit))) {
            row.fill(0);
            let equation = equations.of(word, bit as usize);
            row[..equation.len()].copy_from_slice(equation);
            row[system.right() + word] = 1 << (linear.width - 1 - bit);
            if !system.add(&mut row) {
                zeros.push(row[system.right()..].to_vec());
            }
        }
        zeros.truncate(64);
        let shown = 128 - MOST_HIDDEN as usize;
        let ids = (linear.unknowns() + SPARE as usize).div_ceil(shown).max(words.div_ceil(form.draws));
        Plan { of, equations, form, words, zeros, ids }
    }

    fn candidates(&self, id: u128, draw: usize, word: usize, known: u128) -> Vec<Candidate> {
        let candidate = |number| {
            let number = (self.of.unscramble)(number);
            let one = |zero: &Vec<u64>| u64::from((zero[word] & number).count_ones() & 1);
            Candidate { word: number, ones: self.zeros.iter().fold(0, |ones, zero| ones << 1 | one(zero)) }
        };
        self.form.candidates(id, draw, known).map(candidate).collect()
    }

    /// The source before these ids, if all of them come from it.
    fn solve(&self, ids: &[u128], window: &[usize], known: u128) -> Option<Source> {
        let draws = self.form.draws;
        let of_word = |word| self.candidates(ids[window[word / draws]], word % draws, word, known);
        let all: Vec<_> = (0..self.words).map(of_word).collect();
        let confirmed =
            |words: &[u64]| self.state(words).filter(|source| self.agrees(source, ids, window, known));
        search(&all, &confirmed)
    }

    fn state(&self, words: &[u64]) -> Option<Source> {
        let linear = &self.of.linear;
        let mut system = Echelon::new(linear.unknowns(), 1);
        for (n, word) in words.iter().enumerate() {
            for bit in 0..linear.width {
                let mut row = self.equations.of(n, bit as usize).to_vec();
                row.push(word >> (linear.width - 1 - bit) & 1);
                if !system.add(&mut row) && row[system.right()] != 0 {
                    return None;
                }
            }
        }
        Some(Source { of: self.of, state: linear.state(&system.solution(|_| 0)) })
    }

    fn agrees(&self, source: &Source, ids: &[u128], window: &[usize], known: u128) -> bool {
        let (mut source, shown) = (source.clone(), known & self.form.mask());
        window.iter().all(|&at| {
            let draws: Vec<u64> = (0..self.form.draws).map(|_| source.next()).collect();
            (self.form.id(&draws, self.of.linear.width, End::Top) ^ ids[at]) & shown == 0
        })
    }
}

/// Tries one candidate of each word; the sums of those that are accepted are zero. Candidates of the first words are sorted, so that
/// those that fit to candidates of the last words are found without trying all.
fn search(all: &[Vec<Candidate>], accept: &impl Fn(&[u64]) -> Option<Source>) -> Option<Source> {
    let (first, last) = all.split_at(all.len() / 2);
    let mut sorted = combined(first);
    sorted.sort_unstable();
    let words = |of: &[Vec<Candidate>], mut number: usize| {
        let word = |candidates: &Vec<Candidate>| {
            let at = number % candidates.len();
            number /= candidates.len();
            candidates[at].word
        };
        of.iter().map(word).collect::<Vec<_>>()
    };
    combined(last).into_iter().find_map(|(ones, in_last)| {
        let from = sorted.partition_point(|(other, _)| *other < ones);
        let fitting = sorted[from..].iter().take_while(|(other, _)| *other == ones);
        fitting
            .copied()
            .find_map(|(_, in_first)| accept(&[words(first, in_first), words(last, in_last)].concat()))
    })
}

/// All combinations of one candidate of each word: the sums, and the number of the combination.
fn combined(of: &[Vec<Candidate>]) -> Vec<(u64, usize)> {
    let mut all = vec![(0, 0)];
    let mut count = 1;
    for candidates in of {
        let with = |(at, candidate): (usize, &Candidate)| {
            all.iter().map(|(ones, number)| (ones ^ candidate.ones, number + at * count)).collect::<Vec<_>>()
        };
        all = candidates.iter().enumerate().flat_map(with).collect();
        count *= candidates.len();
    }
    all
}

#[derive(Clone)]
struct Source {
    of: &'static Scrambled,
    state: State,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        let Linear { next, width, .. } = self.of.linear;
        (self.of.scramble)(next(&mut self.state) >> (64 - width)) << (64 - width)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// Windows of ids that are tried.
const MOST_WINDOWS: usize = 64;

/// The state of such a source from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let known = fixed(ids);
    if known.count_zeros() > MOST_HIDDEN {
        return Vec::new();
    }
    for plan in PLANS.iter() {
        for window in windows(ids.len(), plan.ids).iter().take(MOST_WINDOWS) {
            if let Some(source) = plan.solve(ids, window, known) {
                return vec![Lead {
                    source: plan.of.linear.name.into(),
                    instead: plan.of.instead,
                    form: plan.form.clone(),
                    end: End::Top,
                    width: plan.of.linear.width,
                    known,
                    draws: Box::new(source),
                    variants: Vec::new(),
                    needed: plan.ids,
                }];
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
pub(super) fn hypotheses(ids: usize) -> usize {
    let of = |plan: &Plan| {
        let tried = plan.words.div_ceil(plan.form.draws) * MOST_HIDDEN as usize;
        windows(ids, plan.ids).len().min(MOST_WINDOWS) << tried
    };
    PLANS.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_step_is_undone() {
        for of in SCRAMBLED {
            for word in [0, 1, 0x0123_4567_89AB_CDEF, u64::MAX] {
                let word = word >> (64 - of.linear.width);
                assert_eq!((of.unscramble)((of.scramble)(word)), word, "{}", of.linear.name);
            }
        }
    }
}
