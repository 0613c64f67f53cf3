//! Sources that are linear over GF(2): each bit that an id shows is a sum of bits of the state.
//!
//! Which sums of bits of successive ids are always zero depends only on the source and the form. These relations are
//! computed once; ids of another source satisfy each of them with probability 1/2, so a few operations refute them. For ids that
//! satisfy all, the equations are solved, with [`SPARE`] more of them than the state has bits.

use std::sync::LazyLock;

use super::echelon::Echelon;
use super::follow::{Draws, Lead};
use super::form::{DRAWN, End, FORMS, Form, ULID_DRAWN, ULID_FORMS};
use super::source::{CACHE, Equations, LINEAR, Linear, Order, State};
use super::{SPARE, windows};

/// Relations of each form and source that are kept.
const RELATIONS: usize = 28;
/// Forms that need more ids are left out.
const MOST_IDS: usize = 12;
/// From this number of ids on, not each place of the cache is tried.
const MANY: usize = 100;
/// Numbers between two ids that get into none, for the most frequent forms.
const OTHERS: usize = 2;
const FREQUENT: usize = 6;

/// A source and a form, and the relations that follow.
struct Screen {
    source: &'static Linear,
    equations: &'static Equations,
    form: &'static Form,
    end: End,
    known: u128,
    phase: usize,
    /// The number of successive ids that the relations are about.
    ids: usize,
    /// Masks of the bits of these ids whose sum is zero.
    relations: Vec<Vec<u128>>,
}

static FEW: LazyLock<Vec<Screen>> = LazyLock::new(|| screens(&FORMS, DRAWN, FREQUENT, true));
static UUIDS: LazyLock<Vec<Screen>> = LazyLock::new(|| screens(&FORMS, DRAWN, FREQUENT, false));
static ULIDS: LazyLock<Vec<Screen>> = LazyLock::new(|| screens(&ULID_FORMS, ULID_DRAWN, 0, true));

/// Equations of enough draws for each form, by source.
static EQUATIONS: LazyLock<Vec<Equations>> =
    LazyLock::new(|| LINEAR.iter().map(|source| source.equations(MOST_IDS * 40 + 2 * CACHE)).collect());

fn screens(forms: &'static [Form], known: u128, frequent: usize, is_each_phase: bool) -> Vec<Screen> {
    let mut screens = Vec::new();
    for others in 0..=OTHERS {
        let forms: &'static [Form] = match others {
            0 => forms,
            // Made once, for a table that lives as long as the program.
            _ => Vec::leak(forms.iter().take(frequent).map(|form| form.with_others(others)).collect()),
        };
        for (source, equations) in LINEAR.iter().zip(EQUATIONS.iter()) {
            for form in forms {
                for end in ends(form, source.width, source.order == Order::Cached) {
                    // Each id is at another place of the cache, so one of many is at one of these.
                    let phases = match is_each_phase {
                        true => source.phases(),
                        false => 1 << source.phases().trailing_zeros().min(form.draws.trailing_zeros()),
                    };
                    for phase in 0..phases {
                        screens.extend(Screen::new(source, equations, form, end, known, phase));
                    }
                }
            }
        }
    }
    screens
}

/// The ends from which numbers can be taken: a fraction has only one.
pub(crate) fn ends(form: &Form, width: u32, is_fraction: bool) -> Vec<End> {
    match form.widest() {
        wide if wide > width => Vec::new(),
        wide if wide == width || is_fraction || form.is_scaled => vec![End::Top],
        _ => vec![End::Top, End::Low],
    }
}

impl Screen {
    fn new(
        source: &'static Linear,
        equations: &'static Equations,
        form: &'static Form,
        end: End,
        known: u128,
        phase: usize,
    ) -> Option<Self> {
        let mut screen = Screen { source, equations, form, end, known, phase, ids: 0, relations: Vec::new() };
        let of_one = screen.bits(0).len();
        screen.ids = (source.unknowns() + SPARE as usize).div_ceil(of_one.max(1));
        if screen.ids > MOST_IDS {
            return None;
        }
        let mut system = Echelon::new(source.unknowns(), 2 * screen.ids);
        let bits: Vec<_> = (0..screen.ids).flat_map(|at| screen.bits(at)).collect();
        let mut row = vec![0; system.words()];
        for (at, equation, place) in bits {
            row[..equation.len()].copy_from_slice(equation);
            row[equation.len()..].fill(0);
            let bit = 127 - place;
            row[system.right() + 2 * at + bit / 64] = 1 << (bit % 64);
            if !system.add(&mut row) {
                let right = &row[system.right()..];
                let masks = right.chunks(2).map(|pair| u128::from(pair[1]) << 64 | u128::from(pair[0]));
                screen.relations.push(masks.collect());
                if screen.relations.len() == RELATIONS {
                    return Some(screen);
                }
            }
        }
        None
    }

    /// Returns the id, the equation of the bit, and its place in the id, for each bit that id number `at` shows.
    fn bits(&self, at: usize) -> Vec<(usize, &'static [u64], usize)> {
        let cell_at = |place: usize| {
            let cell = self.form.cells[place].filter(|_| self.known >> (127 - place) & 1 == 1)?;
            let bit = match self.end {
                // The product with 2^n − 1 differs from that with 2^n by less than one.
                End::Top if self.form.is_scaled && cell.bit + 10 > cell.of => return None,
                End::Top => u32::from(cell.bit),
                End::Low => self.source.width - u32::from(cell.of - cell.bit),
            };
            let draw = self.source.position(self.phase, at * self.form.draws + usize::from(cell.draw));
            Some((at, self.equations.of(draw, bit as usize), place))
        };
        (0..128).filter_map(cell_at).collect()
    }

    fn holds(&self, ids: &[u128], window: &[usize]) -> bool {
        self.relations.iter().all(|masks| {
            let sum = masks
                .iter()
                .zip(window)
                .fold(0, |sum, (mask, &at)| sum ^ (ids[at] ^ self.form.flipped) & mask);
            sum.count_ones() & 1 == 0
        })
    }

    /// The source in the state from which these ids come, if all equations agree.
    fn solve(&self, ids: &[u128], window: &[usize]) -> Option<Source> {
        let mut system = Echelon::new(self.source.unknowns(), 1);
        for (at, equation, place) in (0..self.ids).flat_map(|at| self.bits(at)) {
            let mut row = equation.to_vec();
            row.push(((ids[window[at]] ^ self.form.flipped) >> (127 - place) & 1) as u64);
            if !system.add(&mut row) && row[system.right()] != 0 {
                return None;
            }
        }
        Some(Source::new(self.source, self.source.state(&system.solution(|_| 0)), self.phase))
    }

    fn lead(&self, ids: &[u128], window: &[usize]) -> Option<Lead> {
        Some(Lead {
            source: self.source.name.into(),
            instead: self.source.instead(),
            form: self.form.clone(),
            end: self.end,
            width: self.source.width,
            known: self.known,
            draws: Box::new(self.solve(ids, window)?),
            variants: Vec::new(),
            needed: self.ids,
        })
    }
}

/// A source in a state.
#[derive(Clone)]
struct Source {
    source: &'static Linear,
    state: State,
    cache: Vec<u64>,
}

impl Source {
    fn new(source: &'static Linear, state: State, phase: usize) -> Self {
        let mut source = Source { source, state, cache: Vec::new() };
        for _ in 0..phase {
            source.next();
        }
        source
    }
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        match self.source.order {
            Order::Forward => (self.source.next)(&mut self.state),
            Order::Cached => {
                if self.cache.is_empty() {
                    self.cache.extend((0..CACHE).map(|_| (self.source.next)(&mut self.state)));
                }
                self.cache.pop().expect("it was filled")
            }
        }
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// The states of a linear source from which these ids may come: several, if it is not known how many numbers of V8's cache
/// were given away before.
pub(super) fn find(ids: &[u128], is_ulid: bool) -> Vec<Lead> {
    let screens: &'static [Screen] = match (is_ulid, ids.len() < MANY) {
        (true, _) => &ULIDS,
        (false, true) => &FEW,
        (false, false) => &UUIDS,
    };
    let mut windows_of: Vec<Vec<Vec<usize>>> = Vec::new();
    for screen in screens {
        while windows_of.len() <= screen.ids {
            windows_of.push(windows(ids.len(), windows_of.len()));
        }
        if !windows_of[screen.ids].iter().any(|window| screen.holds(ids, window)) {
            continue;
        }
        // The first ids for which any place in the cache fits.
        let mut alike: Vec<_> = (0..screen.source.phases())
            .filter_map(|phase| {
                Screen::new(screen.source, screen.equations, screen.form, screen.end, screen.known, phase)
            })
            .collect();
        for window in &windows_of[screen.ids] {
            // A process that draws for nothing else begins with a full cache.
            let usual = window[0] * screen.form.draws % screen.source.phases();
            alike.sort_by_key(|other| other.phase != usual);
            let fitting = alike.iter().filter(|other| other.holds(ids, window));
            let leads: Vec<_> = fitting.filter_map(|other| other.lead(ids, window)).collect();
            if !leads.is_empty() {
                return leads;
            }
        }
    }
    Vec::new()
}

/// The largest number of hypotheses about this many ids.
#[cfg(test)]
pub(super) fn hypotheses(ids: usize) -> usize {
    let screens: &[Screen] = if ids < MANY { &FEW } else { &UUIDS };
    screens.iter().map(|screen| windows(ids, screen.ids).len()).sum()
}
