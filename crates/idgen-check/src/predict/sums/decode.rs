//! Decodes linear equations of which some are wrong, by Stern's algorithm for information sets.

use super::information::{InformationSet, Row, WORDS, add_if, bit, next};

/// Further equations, which tell whether a guess is right.
const CHECKED: usize = 80;
/// A state that fits is missed as rarely as this, unless that takes too many rounds. So rarely, because the estimate takes errors as
/// independent of each other and of the sets, which they are not.
const MISSED: f64 = 1e-20;
const MOST_ROUNDS: usize = 560;
/// States of more bits have fewer rounds, because each takes longer.
const USUAL: usize = 128;
const LARGE_ROUNDS: usize = 50;
/// An equation that is wrong twice as often is chosen 8, 4 or 2 times as rarely. The first is best where equations are alike; with
/// the last one, also sets without the equations that are wrong here although they are most often right come soon.
const POWERS: [i32; 3] = [3, 2, 1];
/// Windows that are tried with each set, unless the first one is as probably without an error as this: finding a set takes longer than a search.
const WINDOWS: usize = 2;
const CLEAN: f64 = 0.8;

/// The sum of some bits of the state, and how likely it is wrong.
pub(super) struct Equation {
    pub(super) row: Vec<u64>,
    pub(super) value: u64,
    pub(super) noise: f64,
}

/// The equations as the columns of a code, those that are most often right first.
pub(super) struct Code {
    equations: Vec<Equation>,
    /// A row for each bit of the state, which says in which equations it is, and last the values of the equations.
    rows: Vec<Row>,
    /// The weight of each equation for each of the `POWERS`.
    weights: [Vec<f32>; POWERS.len()],
    /// Equations on which two halves of a set of errors must agree: about as many as there are bits in the number of guesses, so that few agree by chance.
    window: usize,
    /// Errors in all equations, at most.
    most_errors: f64,
}

/// The equations that a search compares.
struct Window {
    columns: Vec<usize>,
    /// The rows of the set in a random order, so that both halves are wrong as often.
    order: Vec<usize>,
    /// Further equations, which tell whether a guess is right, as a mask of a word of a row; and errors in them, at most.
    word: usize,
    mask: u64,
    limit: u32,
}

/// A row of an information set, or a sum of rows: its bits in the equations of the window, and in those that tell whether a guess is right.
#[derive(Clone, Copy, Default)]
struct Part {
    window: u32,
    check: u64,
}

impl Part {
    fn xor(self, other: Part) -> Part {
        Part { window: self.window ^ other.window, check: self.check ^ other.check }
    }
}

/// Errors that may be in one half of an information set: up to two rows.
type Rows = [u8; 2];
const NO_ROW: u8 = u8::MAX;

/// A guess of the first half, and the next one that has the same bits in the window.
struct Guess {
    check: u64,
    rows: Rows,
    next: u16,
}

const NO_GUESS: u16 = u16::MAX;

/// The guesses of the first half by their bits in the window: lists whose first elements are `heads`. Each round would otherwise ask the
/// system for this memory, which takes as long as the round.
#[derive(Default)]
struct Halves {
    first: Vec<Guess>,
    heads: Vec<u16>,
}

impl Code {
    /// `None` if there are too few equations to tell a state that fits from one that does not. `equations` has those that are most often right first.
    pub(super) fn new(unknowns: usize, equations: Vec<Equation>) -> Option<Self> {
        let half = unknowns / 2;
        let window =
            (1 + half + half * (half - 1) / 2).ilog2() as usize + if unknowns > USUAL { 0 } else { 1 };
        if equations.len() < unknowns + window + CHECKED {
            return None;
        }
        let weight = |power| move |of: &Equation| of.noise.max(1e-6).powi(power) as f32;
        let weights = POWERS.map(|power| equations.iter().map(weight(power)).collect());
        let mean: f64 = equations.iter().map(|equation| equation.noise).sum();
        let mut rows = vec![Row::default(); unknowns + 1];
        for (unknown, row) in rows[..unknowns].iter_mut().enumerate() {
            row[WORDS + unknown / 64] = 1 << (unknown % 64);
        }
        for (column, equation) in equations.iter().enumerate() {
            let (word, bit) = (column / 64, 1 << (column % 64));
            for (at, &unknowns) in equation.row.iter().enumerate() {
                let mut unknowns = unknowns;
                while unknowns != 0 {
                    rows[64 * at + unknowns.trailing_zeros() as usize][word] |= bit;
                    unknowns &= unknowns - 1;
                }
            }
            rows[unknowns][word] |= if equation.value == 1 { bit } else { 0 };
        }
        Some(Code { equations, rows, weights, window, most_errors: mean + 5.0 * mean.sqrt() + 1.0 })
    }

    fn noise(&self, column: usize) -> f64 {
        self.equations[column].noise
    }

    /// Passes states that may fit to `accept`, as their bits, until it accepts one, or until it is unlikely that any fits.
    pub(super) fn decode<T>(&self, accept: impl Fn(&[u64]) -> Option<T>) -> Option<T> {
        let (mut random, mut halves, mut missed) = (1, Halves::default(), 1.0);
        let rounds = if self.rows.len() - 1 <= USUAL { MOST_ROUNDS } else { LARGE_ROUNDS };
        for round in 0..rounds {
            let set = InformationSet::new(&self.rows, &self.weights[round % POWERS.len()], &mut random)?;
            let few = self.few_errors(&set);
            if round == 0 && few * (rounds as f64) < 1.0 {
                break;
            }
            let mut wrong = 1.0;
            for _ in 0..WINDOWS {
                let window = self.window(&set, &mut random);
                if let Some(found) = self.search(&set, &window, &mut halves, &accept) {
                    return Some(found);
                }
                let clean: f64 = window.columns.iter().map(|&column| 1.0 - self.noise(column)).product();
                wrong *= 1.0 - clean;
                if clean >= CLEAN {
                    break;
                }
            }
            missed *= 1.0 - few * (1.0 - wrong);
            if missed < MISSED {
                break;
            }
        }
        None
    }

    /// The probability that each half of a set has no more than two errors.
    fn few_errors(&self, set: &InformationSet) -> f64 {
        let half = set.columns.iter().map(|&column| self.noise(column)).sum::<f64>() / 2.0;
        let few = (-half).exp() * (1.0 + half + half * half / 2.0);
        few * few
    }

    fn window(&self, set: &InformationSet, random: &mut u64) -> Window {
        let mut order: Vec<usize> = (0..set.columns.len()).collect();
        for row in 1..order.len() {
            order.swap(row, next(random) as usize % (row + 1));
        }
        // A window that is always the same would have the same errors in each round.
        let few = self.noise(set.others[self.window]);
        let alike = set.others.iter().take_while(|column| self.noise(**column) <= few).count();
        let last = (alike - self.window).min(set.others.len() - self.window - CHECKED);
        let start = next(random) as usize % (last + 1);
        let (before, rest) = set.others.split_at(start);
        let (window, after) = rest.split_at(self.window);
        let mut masks = [0_u64; WORDS];
        before.iter().chain(after).for_each(|column| masks[column / 64] |= 1 << (column % 64));
        // The word whose equations together say the most.
        let noises = |word: usize| {
            (0..64).filter(move |bit| masks[word] >> bit & 1 == 1).map(move |bit| self.noise(64 * word + bit))
        };
        let says = |word: usize| noises(word).map(|noise| (1.0 - 2.0 * noise).powi(2)).sum::<f64>();
        let best = (0..WORDS).map(|word| (says(word), word)).max_by(|a, b| a.0.total_cmp(&b.0));
        let word = best.map_or(0, |(_, word)| word);
        let mean: f64 = noises(word).sum();
        // A wrong guess has errors in half of them.
        let most = f64::from(masks[word].count_ones()) * 0.33;
        let limit = (mean + 4.0 * mean.sqrt()).min(most) as u32;
        Window { columns: window.to_vec(), order, word, mask: masks[word], limit }
    }

    /// Tries all errors of up to two equations in each half of the set.
    fn search<T>(
        &self,
        set: &InformationSet,
        window: &Window,
        halves: &mut Halves,
        accept: &impl Fn(&[u64]) -> Option<T>,
    ) -> Option<T> {
        let rows = set.rows();
        let parts: Vec<Part> = window.order.iter().map(|&row| window.part(&rows[row])).collect();
        let (first, second) = parts.split_at(parts.len() / 2);
        halves.fill(first, window.columns.len());
        let right = window.part(set.errors());
        let mut found = None;
        guesses(second, |part, in_second| {
            let wanted = part.xor(right);
            let fitting = halves.with_window(wanted.window);
            for guess in fitting.filter(|of| (wanted.check ^ of.check).count_ones() <= window.limit) {
                let row = |from: usize| {
                    move |row: &u8| (*row != NO_ROW).then(|| window.order[from + usize::from(*row)])
                };
                let in_first = guess.rows.iter().filter_map(row(0));
                let wrong = in_first.chain(in_second.iter().filter_map(row(first.len())));
                found = self.errors(set, wrong).and_then(|errors| accept(&errors[WORDS..]));
                if found.is_some() {
                    return true;
                }
            }
            false
        });
        found
    }

    /// The row of errors if these equations of the set are wrong, whose last words are the bits of the state; `None` if too many of all
    /// equations are wrong then.
    fn errors(&self, set: &InformationSet, wrong: impl Iterator<Item = usize>) -> Option<Row> {
        let mut errors = *set.errors();
        wrong.for_each(|row| add_if(&mut errors, &set.rows()[row], 1));
        let count: u32 = errors[..WORDS].iter().map(|word| word.count_ones()).sum();
        (f64::from(count) <= self.most_errors).then_some(errors)
    }
}

impl Window {
    fn part(&self, row: &Row) -> Part {
        let window = self.columns.iter().fold(0, |bits, &column| bits << 1 | bit(row, column) as u32);
        Part { window, check: row[self.word] & self.mask }
    }
}

impl Halves {
    fn fill(&mut self, parts: &[Part], window: usize) {
        self.first.clear();
        self.heads.clear();
        self.heads.resize(1 << window, NO_GUESS);
        guesses(parts, |part, rows| {
            let head = &mut self.heads[part.window as usize];
            let guess = Guess { check: part.check, rows, next: *head };
            *head = self.first.len() as u16;
            self.first.push(guess);
            false
        });
    }

    fn with_window(&self, window: u32) -> impl Iterator<Item = &Guess> {
        let at = |at: u16| self.first.get(usize::from(at));
        std::iter::successors(at(self.heads[window as usize]), move |guess| at(guess.next))
    }
}

/// Passes none, one or two of these rows and their sum to `is_enough`, until it is true.
fn guesses(parts: &[Part], mut is_enough: impl FnMut(Part, Rows) -> bool) {
    if is_enough(Part::default(), [NO_ROW; 2]) {
        return;
    }
    for (a, &part) in parts.iter().enumerate() {
        if is_enough(part, [a as u8, NO_ROW]) {
            return;
        }
        for (b, other) in parts[..a].iter().enumerate() {
            if is_enough(part.xor(*other), [a as u8, b as u8]) {
                return;
            }
        }
    }
}
