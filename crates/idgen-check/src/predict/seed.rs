//! Sources that were seeded with a time, or with a small number: the seeds are tried, and one id is enough.

mod pcg64;

use std::ops::Range;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use idgen::Timestamp;

use super::SPARE;
use super::follow::{Draws, Lead};
use super::form::{DRAWN, End, FORMS, Form};
use super::mersenne::{self, Mersenne};
use super::source::SYSTEM;
use super::stream::{NUMBERINGS, Numbering};

/// Seeds that are computed at once, so that the processor need not wait for one multiplication after the other.
const LANES: usize = 8;
type Lanes = [u32; LANES];
/// Words of each seed that are compared with an id before all of it is.
const FIRST: usize = 16;

/// A source that takes a seed.
struct Seeded {
    name: &'static str,
    instead: &'static str,
    /// The words of the state for each seed.
    start: fn(&[u64; LANES]) -> Vec<Lanes>,
    /// The words of the output from this state.
    words: fn(Vec<u32>) -> Box<dyn Draws>,
    first: fn(&[Lanes]) -> [Lanes; FIRST],
}

static SEEDED: [Seeded; 4] = [
    Seeded {
        name: "mt_rand() of PHP, rand of Ruby, std::mt19937 of C++ or NumPy's RandomState",
        instead: mersenne::INSTEAD,
        start: |seeds| mersenne_of_word(seeds.map(|seed| seed as u32)),
        words: mersenne_words,
        first: mersenne_first,
    },
    Seeded {
        name: "random of Python",
        instead: mersenne::INSTEAD,
        start: mersenne_of_array,
        words: mersenne_words,
        first: mersenne_first,
    },
    Seeded {
        name: "rand() or random() of glibc",
        instead: SYSTEM,
        start: glibc,
        words: glibc_words,
        first: glibc_first,
    },
    Seeded {
        name: "default_rng of NumPy (PCG64)",
        instead: mersenne::INSTEAD,
        start: pcg64::start,
        words: pcg64::words,
        first: pcg64::first,
    },
];

fn lanes(of: impl Fn(usize) -> u32) -> Lanes {
    std::array::from_fn(of)
}

fn mersenne_of_word(seeds: Lanes) -> Vec<Lanes> {
    let mut state = vec![seeds];
    for n in 1..mersenne::SIZE {
        let last = state[n - 1];
        state.push(lanes(|lane| {
            1_812_433_253_u32.wrapping_mul(last[lane] ^ last[lane] >> 30).wrapping_add(n as u32)
        }));
    }
    state
}

/// The seed as an array of words, the lowest one first; it has one word or two.
fn mersenne_of_array(seeds: &[u64; LANES]) -> Vec<Lanes> {
    const SIZE: usize = mersenne::SIZE;
    static BEFORE: LazyLock<Vec<Lanes>> = LazyLock::new(|| mersenne_of_word([19_650_218; LANES]));
    let mut state = BEFORE.clone();
    let mixed = |before: u32, factor: u32| (before ^ before >> 30).wrapping_mul(factor);
    let is_long = seeds.map(|seed| seed >> 32 != 0);
    let mut at = 1;
    for n in 0..SIZE {
        let (now, before) = (state[at], state[at - 1]);
        state[at] = lanes(|lane| {
            let word = if is_long[lane] { n as u32 % 2 } else { 0 };
            let key = (seeds[lane] >> (32 * word)) as u32;
            (now[lane] ^ mixed(before[lane], 1_664_525)).wrapping_add(key).wrapping_add(word)
        });
        at += 1;
        if at == SIZE {
            (state[0], at) = (state[SIZE - 1], 1);
        }
    }
    for _ in 1..SIZE {
        let (now, before) = (state[at], state[at - 1]);
        state[at] = lanes(|lane| (now[lane] ^ mixed(before[lane], 1_566_083_941)).wrapping_sub(at as u32));
        at += 1;
        if at == SIZE {
            (state[0], at) = (state[SIZE - 1], 1);
        }
    }
    state[0] = [1 << 31; LANES];
    state
}

fn mersenne_words(state: Vec<u32>) -> Box<dyn Draws> {
    let mut source = Mersenne { state, at: 0 };
    // The words of the seed are not drawn.
    (0..mersenne::SIZE).for_each(|_| _ = source.word());
    Box::new(source)
}

fn mersenne_first(state: &[Lanes]) -> [Lanes; FIRST] {
    std::array::from_fn(|n| {
        let (now, next, middle) = (state[n], state[n + 1], state[n + mersenne::MIDDLE]);
        lanes(|lane| mersenne::temper(mersenne::twist(now[lane], next[lane], middle[lane])))
    })
}

/// The last 31 words before the first number.
fn glibc(seeds: &[u64; LANES]) -> Vec<Lanes> {
    // The seed zero means one.
    let mut state = vec![seeds.map(|seed| (seed as u32).max(1))];
    for n in 1..31 {
        let last = state[n - 1];
        // The C code computes it in this way, with negative numbers for large seeds.
        let word = |lane: usize| (i64::from(last[lane] as i32) * 16_807 % 2_147_483_647) as i32;
        state.push(lanes(|lane| word(lane).wrapping_add(if word(lane) < 0 { i32::MAX } else { 0 }) as u32));
    }
    for n in 31..34 {
        state.push(state[n - 31]);
    }
    for n in 34..344 {
        let (a, b) = (state[n - 31], state[n - 3]);
        state.push(lanes(|lane| a[lane].wrapping_add(b[lane])));
    }
    state.split_off(344 - 31)
}

fn glibc_first(state: &[Lanes]) -> [Lanes; FIRST] {
    let mut words = state.to_vec();
    for n in 31..31 + FIRST {
        let (a, b) = (words[n - 31], words[n - 3]);
        words.push(lanes(|lane| a[lane].wrapping_add(b[lane])));
    }
    std::array::from_fn(|n| words[31 + n])
}

#[derive(Clone)]
struct Glibc(std::collections::VecDeque<u32>);

impl Draws for Glibc {
    fn next(&mut self) -> u64 {
        let word = self.0[0].wrapping_add(self.0[28]);
        self.0.pop_front();
        self.0.push_back(word);
        u64::from(word) << 32
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

fn glibc_words(state: Vec<u32>) -> Box<dyn Draws> {
    Box::new(Glibc(state.into()))
}

/// Words as a program makes numbers of them.
struct Numbers {
    words: Box<dyn Draws>,
    numbering: Numbering,
}

impl Draws for Numbers {
    fn next(&mut self) -> u64 {
        let word = self.words.next();
        (1..self.numbering.stride).for_each(|_| _ = self.words.next());
        word >> (32 + self.numbering.dropped) << (32 + self.numbering.dropped)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(Numbers { words: self.words.boxed(), numbering: self.numbering })
    }
}

/// An id, a form, and the bits of the first words that follow from them.
struct Guess {
    id: u128,
    form: &'static Form,
    numbering: Numbering,
    /// A word, which of its bits are known, and their value.
    words: Vec<(usize, u32, u32)>,
}

impl Guess {
    fn new(id: u128, form: &'static Form, numbering: Numbering) -> Option<Self> {
        let widest = form.widest();
        let is_enough = (form.mask() & DRAWN).count_ones() >= SPARE + SEED_BITS;
        if !is_enough
            || form.is_scaled
            || widest > 32 - numbering.dropped
            || numbering.stride == 2 && widest > 24
        {
            return None;
        }
        let word = |draw: usize| {
            let (number, mask, of) = form.seen(id, draw, DRAWN);
            let up = if numbering.end == End::Top { 32 - of } else { numbering.dropped };
            (of > 0).then_some((draw * numbering.stride, (mask << up) as u32, (number << up) as u32))
        };
        let words = (0..form.draws.min(FIRST / numbering.stride)).filter_map(word).collect();
        Some(Guess { id, form, numbering, words })
    }

    fn may_be(&self, first: &[Lanes; FIRST], lane: usize) -> bool {
        self.words.iter().all(|&(word, mask, value)| first[word][lane] & mask == value)
    }

    /// The source with this seed, if all of the id agrees.
    fn lead(&self, fitting: &Fitting) -> Option<Lead> {
        let Fitting { of, seed, kind, .. } = fitting;
        let numbers = Numbers { words: (of.words)(fitting.state.clone()), numbering: self.numbering };
        let mut copy = numbers.boxed();
        let draws: Vec<u64> = (0..self.form.draws).map(|_| copy.next()).collect();
        let width = 32 - self.numbering.dropped;
        let differs = (self.form.id(&draws, width, self.numbering.end) ^ self.id) & DRAWN & self.form.mask();
        (differs == 0).then(|| Lead {
            source: format!("{}, with the seed {seed}, {kind}", of.name),
            instead: of.instead,
            form: self.form.clone(),
            end: self.numbering.end,
            width,
            known: DRAWN,
            draws: Box::new(numbers),
            variants: Vec::new(),
            needed: 1,
        })
    }
}

/// The seeds are fewer than 2^`SEED_BITS`.
const SEED_BITS: u32 = 18;
/// Small seeds, such as process ids.
const SMALL: u64 = 65_536;
const SECONDS: u64 = 86_400;
const MILLISECONDS: u64 = 60_000;

/// The seeds that are tried, and what they are.
fn seeds(now: Timestamp) -> [(Range<u64>, &'static str); 3] {
    let ms = now.unix_millis().max(0) as u64;
    let s = ms / 1_000;
    [
        (s.saturating_sub(SECONDS)..s + 1, "a time in seconds"),
        (ms.saturating_sub(MILLISECONDS)..ms + 1, "a time in milliseconds"),
        (0..SMALL, "a small number"),
    ]
}

/// From more ids, the state follows without the seed.
const MOST_IDS: usize = 250;

/// The seed from which the first or the last of these ids comes, if it is a time before `now` or a small number.
pub(super) fn find(ids: &[u128], now: Timestamp) -> Vec<Lead> {
    if ids.len() > MOST_IDS {
        return Vec::new();
    }
    let few = [ids.first(), ids.last()].into_iter().flatten();
    let guess = |id: &u128| {
        let id = *id;
        FORMS.iter().flat_map(move |form| {
            NUMBERINGS.into_iter().filter_map(move |numbering| Guess::new(id, form, numbering))
        })
    };
    let guesses: Vec<Guess> = few.flat_map(guess).collect();
    // Up to a second of work, for several processors. A thread answers with what fits, from which the lead is made here.
    let is_found = AtomicBool::new(false);
    let fitting: Vec<Fitting> = std::thread::scope(|scope| {
        let (guesses, is_found) = (&guesses, &is_found);
        let all = seeds(now).into_iter().flat_map(|seeds| SEEDED.iter().map(move |of| (of, seeds.clone())));
        let threads: Vec<_> = all
            .map(|(of, (range, kind))| scope.spawn(move || of.fitting(guesses, range, kind, is_found)))
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok().flatten()).collect()
    });
    fitting.first().and_then(|fitting| guesses[fitting.guess].lead(fitting)).into_iter().collect()
}

/// A seed that agrees with a guess.
struct Fitting {
    of: &'static Seeded,
    guess: usize,
    seed: u64,
    kind: &'static str,
    state: Vec<u32>,
}

impl Seeded {
    /// Tries the seeds, the last one first, until it or another thread finds one.
    fn fitting(
        &'static self,
        guesses: &[Guess],
        seeds: Range<u64>,
        kind: &'static str,
        is_found: &AtomicBool,
    ) -> Option<Fitting> {
        const AT_ONCE: u64 = LANES as u64;
        let groups = (seeds.start / AT_ONCE..=seeds.end / AT_ONCE).rev();
        for group in groups.take_while(|_| !is_found.load(Ordering::Relaxed)) {
            let seeds = std::array::from_fn(|lane| group * AT_ONCE + lane as u64);
            let state = (self.start)(&seeds);
            let first = (self.first)(&state);
            let all = (0..guesses.len()).flat_map(|guess| (0..LANES).map(move |lane| (guess, lane)));
            for (guess, lane) in all.filter(|&(guess, lane)| guesses[guess].may_be(&first, lane)) {
                let state = state.iter().map(|words| words[lane]).collect();
                let fitting = Fitting { of: self, guess, seed: seeds[lane], kind, state };
                if guesses[guess].lead(&fitting).is_some() {
                    is_found.store(true, Ordering::Relaxed);
                    return Some(fitting);
                }
            }
        }
        None
    }
}

#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    2 * FORMS.len() * NUMBERINGS.len() * SEEDED.len() * (SECONDS + MILLISECONDS + SMALL) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_are_few() {
        const { assert!(SECONDS + MILLISECONDS + SMALL + 2 * LANES as u64 + 2 < 1 << SEED_BITS) };
    }

    /// The first words are those that the source draws.
    #[test]
    fn first_words_are_drawn() {
        let seeds = [0, 1, 42, 5_489, 1_764_313_000, u64::from(u32::MAX), 1_764_313_000_000, 7];
        for of in &SEEDED {
            let state = (of.start)(&seeds);
            let first = (of.first)(&state);
            for lane in 0..LANES {
                let mut words = (of.words)(state.iter().map(|words| words[lane]).collect());
                assert!(first.iter().all(|word| u64::from(word[lane]) << 32 == words.next()), "{}", of.name);
            }
        }
        // The first number of std::mt19937 with its default seed.
        let first = mersenne_first(&mersenne_of_word([5_489; LANES]));
        assert_eq!(first[0][0], 3_499_211_612);
    }
}
