//! Ids that show parts of the numbers of the Mersenne Twister: a few bits of each, such as PHP's `mt_rand(0, 0xffff)`.
//!
//! [`Sums`] of these bits are words of the state. Bits that are missing, such as those below the version, are unknowns, which the sums that
//! must be zero determine. Most ids of another source are refuted by the first of these sums in which nothing is missing.

use std::sync::{Arc, LazyLock};

use super::super::SPARE;
use super::super::echelon::Echelon;
use super::super::follow::{Draws, Lead};
use super::super::form::{DRAWN, End, FORMS, Form};
use super::super::linear::ends;
use super::polynomial::{Sums, Term};
use super::{INSTEAD, Mersenne, NAME, SIZE, twist};

/// A way to draw from the generator.
struct Way {
    name: &'static str,
    /// The bits of a draw.
    width: u32,
    /// Numbers of the generator that one draw takes.
    numbers: usize,
}

static WAYS: [Way; 3] = [
    Way { name: NAME, width: 32, numbers: 1 },
    Way { name: "mt_rand() of PHP, a Mersenne Twister MT19937", width: 31, numbers: 1 },
    Way {
        name: "fractions of the Mersenne Twister MT19937 (Python's random.random() and random.choices(), Ruby's rand, NumPy's random_sample)",
        width: 53,
        numbers: 2,
    },
];

impl Way {
    fn is_fraction(&self) -> bool {
        self.numbers == 2
    }

    /// Bits of a number of `of` bits, as bits of the first number of the generator.
    fn place(&self, bits: u64, of: u32, end: End) -> u32 {
        match end {
            _ if of == 0 => 0,
            End::Top => (bits << (64 - of) >> 32) as u32,
            End::Low => (bits << (32 - self.width)) as u32,
        }
    }
}

/// The generator as a program draws from it.
#[derive(Clone)]
struct Source {
    way: &'static Way,
    generator: Mersenne,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        let mut word = || u64::from(self.generator.word());
        match self.way.is_fraction() {
            true => (word() >> 5 << 26 | word() >> 6) << 11,
            false => word() >> (32 - self.way.width) << (64 - self.way.width),
        }
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// What is computed once for a way to draw and a form.
struct Plan {
    way: &'static Way,
    form: &'static Form,
    end: End,
    /// The bits of a number that an id shows, if version and variant are elsewhere.
    seen: u32,
    sums: Arc<Sums>,
    /// The ids from which the state follows, and which confirm it.
    ids: usize,
    /// Sums in which nothing is missing.
    free: Vec<(usize, usize)>,
}

/// Equations beyond those that are enough if each is a new one.
const MORE: usize = 64;
/// Numbers after those from which the words follow: what is missing near the end follows from these.
const FURTHER: usize = 64;
/// Sums in which nothing is missing, at the least: otherwise most ids of other sources would cost a solution of all equations.
const LEAST_FREE: usize = 4;
/// Words that are computed if each number shows, and if every second one does: those between follow from the next ones.
const WORDS: [usize; 2] = [SIZE, 3 * SIZE + 3];
/// Numbers before the first one of the state, if every second one shows.
const BEFORE: usize = 2 * SIZE + 1;

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let frequent = FORMS.iter().take(2).flat_map(|form| (1..=2).map(|others| form.with_others(others)));
    // Made once, for a table that lives as long as the program.
    let frequent: &'static [Form] = Vec::leak(frequent.collect());
    let (mut plans, mut known) = (Vec::new(), Vec::new());
    for form in FORMS.iter().chain(frequent).filter(|form| !form.is_scaled && form.widest() < 32) {
        for way in &WAYS {
            for end in ends(form, way.width, way.is_fraction()) {
                // The highest of 31 bits are the highest of 32.
                if way.width != 31 || end == End::Low {
                    plans.extend(Plan::new(way, form, end, &mut known));
                }
            }
        }
    }
    plans
});

/// Sums by the bits that ids show, and the numbers of a draw.
type Known = Vec<((u32, usize), Option<Arc<Sums>>)>;

impl Plan {
    fn new(way: &'static Way, form: &'static Form, end: End, known: &mut Known) -> Option<Self> {
        let mask = |draw: usize| {
            let (_, mask, of) = form.seen(0, draw, u128::MAX);
            way.place(mask, of, end)
        };
        let seen = (0..form.draws).fold(0, |seen, draw| seen | mask(draw));
        let key = (seen, way.numbers);
        if !known.iter().any(|(of, _)| *of == key) {
            known.push((key, Sums::new(seen, way.numbers).map(Arc::new)));
        }
        let sums = known.iter().find(|(of, _)| *of == key)?.1.clone()?;
        let mut plan = Plan { way, form, end, seen, sums, ids: 0, free: Vec::new() };
        let hidden: usize = (0..form.draws).map(|draw| plan.hidden(0, draw).count_ones() as usize).sum();
        let equations = |ids: usize| {
            let draws = ids * form.draws;
            let of = |zero: &Vec<Term>| draws.saturating_sub(last(zero) / way.numbers);
            plan.sums.zeros.iter().map(of).sum::<usize>()
        };
        let words = WORDS[way.numbers - 1] + plan.sums.until() + FURTHER * way.numbers;
        let first = words.div_ceil(way.numbers * form.draws);
        plan.ids = (first..MOST_IDS).find(|&ids| equations(ids) >= ids * hidden + SPARE as usize + MORE)?;
        plan.free = plan.free();
        (plan.free.len() >= LEAST_FREE).then_some(plan)
    }

    /// The bits of a draw that other ids of the form show, but not this one.
    fn hidden(&self, id: u128, draw: usize) -> u32 {
        let (_, mask, of) = self.form.seen(id, draw, DRAWN);
        self.seen & !self.way.place(mask, of, self.end)
    }

    /// Places of sums in which nothing is missing: the number, and which sum. They refute ids of other sources.
    fn free(&self) -> Vec<(usize, usize)> {
        let is_shown = |number: usize, term: &Term| {
            let draw = (number + term.later) / self.way.numbers;
            self.hidden(0, draw % self.form.draws) >> term.bit & 1 == 0
        };
        let places = (0..self.numbers()).step_by(self.way.numbers);
        let all =
            places.flat_map(|number| self.zeros(number).map(move |(zero, terms)| (number, zero, terms)));
        let free = all.filter(|(number, _, terms)| terms.iter().all(|term| is_shown(*number, term)));
        free.map(|(number, zero, _)| (number, zero)).take(SPARE as usize).collect()
    }

    /// The numbers of the ids that are used.
    fn numbers(&self) -> usize {
        self.ids * self.form.draws * self.way.numbers
    }

    /// The sums that are zero from this number on, as far as the ids go.
    fn zeros(&self, number: usize) -> impl Iterator<Item = (usize, &Vec<Term>)> {
        self.sums.zeros.iter().enumerate().filter(move |(_, zero)| number + last(zero) < self.numbers())
    }

    /// Whether the sums in which nothing is missing are zero.
    fn may_come_from(&self, ids: &Window<'_>) -> bool {
        let bit = |number: usize, term: &Term| {
            let draw = (number + term.later) / self.way.numbers;
            let (bits, _, of) = self.form.seen(ids.at(draw / self.form.draws), draw % self.form.draws, DRAWN);
            self.way.place(bits, of, self.end) >> term.bit & 1
        };
        let sum = |&(number, zero): &(usize, usize)| {
            self.sums.zeros[zero].iter().fold(0, |sum, term| sum ^ bit(number, term))
        };
        self.free.iter().all(|place| sum(place) == 0)
    }

    /// The generator before the first of these ids, if all of them come from it.
    fn solve(&self, ids: &Window<'_>) -> Option<Source> {
        let draws = self.ids * self.form.draws;
        // The bits that are shown of each number, and how many are hidden before.
        let (mut shown, mut before) = (Vec::with_capacity(draws), Vec::with_capacity(draws));
        let mut hidden = 0;
        for draw in 0..draws {
            let (id, of_id) = (ids.at(draw / self.form.draws), draw % self.form.draws);
            let (bits, _, of) = self.form.seen(id, of_id, DRAWN);
            shown.push(self.way.place(bits, of, self.end));
            before.push(hidden);
            hidden += self.hidden(id, of_id).count_ones() as usize;
        }
        let mut system = Echelon::new(hidden, 1);
        let mut row = vec![0; system.words()];
        let right = system.right();
        let add_terms = |row: &mut [u64], number: usize, terms: &[Term]| {
            for term in terms {
                let draw = (number + term.later) / self.way.numbers;
                let missing = self.hidden(0, draw % self.form.draws);
                if missing >> term.bit & 1 == 1 {
                    let unknown = before[draw] + (missing & ((1 << term.bit) - 1)).count_ones() as usize;
                    row[unknown / 64] ^= 1 << (unknown % 64);
                } else {
                    row[right] ^= u64::from(shown[draw] >> term.bit & 1);
                }
            }
        };
        let mut spare = 0;
        for number in (0..self.numbers()).step_by(self.way.numbers) {
            for (_, zero) in self.zeros(number) {
                row.fill(0);
                add_terms(&mut row, number, zero);
                match system.add(&mut row) {
                    true => {}
                    false if row[right] & 1 == 1 => return None,
                    false => spare += 1,
                }
            }
        }
        if spare < SPARE {
            return None;
        }
        // A bit that the equations leave open would add something to them.
        let mut bit = |number: usize, terms: &[Term]| {
            row.fill(0);
            add_terms(&mut row, number, terms);
            (!system.add(&mut row)).then(|| row[right] as u32 & 1)
        };
        let mut word = |number: usize| {
            self.sums.words.iter().rev().try_fold(0, |word, terms| Some(word << 1 | bit(number, terms)?))
        };
        let words = WORDS[self.way.numbers - 1];
        let shown = |number: usize| if number % self.way.numbers == 0 { word(number) } else { Some(0) };
        let mut state = (0..words).map(shown).collect::<Option<Vec<u32>>>()?;
        let generator = match self.way.numbers {
            1 => Mersenne { state, at: 0 },
            _ => {
                for n in (1..words - SIZE).step_by(2) {
                    state[n + SIZE] = twist(state[n], state[n + 1], state[n + super::MIDDLE]);
                }
                let mut later = Mersenne { state: state[BEFORE..BEFORE + SIZE].to_vec(), at: 0 };
                (0..BEFORE).for_each(|_| later.back());
                later
            }
        };
        let source = Source { way: self.way, generator };
        self.agrees(ids, source.clone()).then_some(source)
    }

    /// Whether the ids are those that come from this state.
    fn agrees(&self, ids: &Window<'_>, mut source: Source) -> bool {
        let trusted = DRAWN & self.form.mask();
        (0..self.ids).all(|at| {
            let draws: Vec<u64> = (0..self.form.draws).map(|_| source.next()).collect();
            (self.form.id(&draws, self.way.width, self.end) ^ ids.at(at)) & trusted == 0
        })
    }
}

/// How much later than the first one the last number of a sum is.
fn last(terms: &[Term]) -> usize {
    terms.last().map_or(0, |term| term.later)
}

/// Ids from `start` on, or every `stride`-th of them.
struct Window<'a> {
    ids: &'a [u128],
    start: usize,
    stride: usize,
}

impl Window<'_> {
    fn at(&self, n: usize) -> u128 {
        self.ids[self.start + n * self.stride]
    }
}

/// Forms that need more ids are left out.
const MOST_IDS: usize = 2_000;
/// Places of long input that are looked at, in case that something comes between.
const STARTS: usize = 8;
/// Processes that take turns.
const MOST_PROCESSES: usize = 4;

/// The state of a Mersenne Twister from which these ids may come.
pub(in super::super) fn find(ids: &[u128]) -> Vec<Lead> {
    for plan in PLANS.iter() {
        for stride in 1..=MOST_PROCESSES {
            let starts = (ids.len() + stride).saturating_sub(plan.ids * stride);
            for start in (0..starts).step_by((starts / STARTS).max(1)) {
                let window = Window { ids, start, stride };
                if !plan.may_come_from(&window) {
                    continue;
                }
                if let Some(source) = plan.solve(&window) {
                    return vec![Lead {
                        source: plan.way.name.into(),
                        instead: INSTEAD,
                        form: plan.form.clone(),
                        end: plan.end,
                        width: plan.way.width,
                        known: DRAWN,
                        draws: Box::new(source),
                        variants: Vec::new(),
                        needed: plan.ids,
                    }];
                }
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
pub(in super::super) fn hypotheses() -> usize {
    PLANS.len() * MOST_PROCESSES * 2 * STARTS
}
