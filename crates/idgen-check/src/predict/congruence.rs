//! Linear congruences: each state is the one before, times a factor, plus a number, modulo another one.
//!
//! What ids show of several states is a point near to a vector of a lattice that only depends on the generator, and that vector is the
//! states themselves. The lattice is reduced once; then a few multiplications find the state.

pub(super) mod seeded;

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use super::SPARE;
use super::follow::{Draws, Lead};
use super::form::{DRAWN, End, FORMS, Form};
use super::lattice::Lattice;
use super::linear::ends;
use super::source::{SYSTEM, WEB};

/// A generator and a way to draw from it.
struct Congruence {
    name: &'static str,
    instead: &'static str,
    modulus: u128,
    factor: u128,
    addend: u128,
    /// States for each draw, and the one from whose highest bits the number begins, counted from 1.
    steps: usize,
    leading: usize,
    /// The bits of a draw, and the place of its lowest one in the state.
    width: u32,
    lowest: u32,
    /// The draw of these states, at the top of a word.
    word: fn(&[u128]) -> u64,
    /// True if a draw is a fraction.
    is_fraction: bool,
}

const JAVA: &str = "UUID.randomUUID(), or SecureRandom";
const DRAND: (u128, u128, u128) = (1 << 48, 0x5_DEEC_E66D, 11);

fn java_long(states: &[u128]) -> u64 {
    let (high, low) = ((states[0] >> 16) as u64, i64::from((states[1] >> 16) as i32));
    (high << 32).wrapping_add(low as u64)
}

const fn simple(
    name: &'static str,
    instead: &'static str,
    (modulus, factor, addend): (u128, u128, u128),
    (width, lowest): (u32, u32),
    word: fn(&[u128]) -> u64,
) -> Congruence {
    let (steps, leading, is_fraction) = (1, 1, false);
    Congruence { name, instead, modulus, factor, addend, steps, leading, width, lowest, word, is_fraction }
}

const fn fraction(of: Congruence, steps: usize, leading: usize) -> Congruence {
    Congruence { steps, leading, is_fraction: true, ..of }
}

/// The fraction of two states of minstd, as the C++ library computes it for std::uniform_real_distribution<double>.
fn canonical(states: &[u128]) -> u64 {
    const RANGE: f64 = 2_147_483_646.0;
    let fraction =
        (states[0].saturating_sub(1) as f64 + states[1].saturating_sub(1) as f64 * RANGE) / (RANGE * RANGE);
    (fraction * (1_u64 << 53) as f64) as u64 * (1 << 11)
}

const PRIME: u128 = (1 << 31) - 1;

/// One state of minstd as a fraction.
const fn minstd_fraction(name: &'static str, factor: u128) -> Congruence {
    fraction(simple(name, SYSTEM, (PRIME, factor, 0), (53, 0), |s| ((s[0] << 64) / PRIME) as u64), 1, 1)
}

static CONGRUENCES: &[Congruence] = &[
    simple(
        "java.util.Random (or drand48() of C and rand() of Perl, which count alike)",
        JAVA,
        DRAND,
        (32, 16),
        |s| (s[0] >> 16) as u64 * (1 << 32),
    ),
    fraction(
        simple("Math.random() of Java, or nextDouble() of java.util.Random", JAVA, DRAND, (53, 0), |s| {
            (s[0] >> 22 << 38 | s[1] >> 21 << 11) as u64
        }),
        2,
        1,
    ),
    Congruence { steps: 2, ..simple("nextLong() of java.util.Random", JAVA, DRAND, (64, 0), java_long) },
    simple("lrand48() of C", SYSTEM, DRAND, (31, 17), |s| (s[0] >> 17 << 33) as u64),
    fraction(simple("drand48() of C, rand() of Perl", SYSTEM, DRAND, (48, 0), |s| (s[0] << 16) as u64), 1, 1),
    simple("rand() of Microsoft's C", SYSTEM, (1 << 31, 214_013, 2_531_011), (15, 16), |s| {
        (s[0] >> 16 << 49) as u64
    }),
    simple("rand() of the C standard's example", SYSTEM, (1 << 31, 1_103_515_245, 12_345), (15, 16), |s| {
        (s[0] >> 16 << 49) as u64
    }),
    simple(
        "the congruence 1103515245, 12345 (rand() of BSD and of glibc with 8 bytes)",
        SYSTEM,
        (1 << 31, 1_103_515_245, 12_345),
        (31, 0),
        |s| (s[0] << 33) as u64,
    ),
    simple("the congruence 1664525, 1013904223", SYSTEM, (1 << 32, 1_664_525, 1_013_904_223), (32, 0), |s| {
        (s[0] << 32) as u64
    }),
    simple("Random of Delphi", SYSTEM, (1 << 32, 0x0808_8405, 1), (32, 0), |s| (s[0] << 32) as u64),
    simple("rand() of musl", SYSTEM, (1 << 64, 6_364_136_223_846_793_005, 1), (31, 33), |s| {
        (s[0] >> 33 << 33) as u64
    }),
    simple("rand() of newlib", SYSTEM, (1 << 64, 6_364_136_223_846_793_005, 1), (31, 32), |s| {
        (s[0] >> 32 << 33) as u64
    }),
    simple(
        "the congruence 6364136223846793005, 1442695040888963407 (Knuth's MMIX)",
        SYSTEM,
        (1 << 64, 6_364_136_223_846_793_005, 1_442_695_040_888_963_407),
        (64, 0),
        |s| s[0] as u64,
    ),
    fraction(
        simple("Rnd of Visual Basic or VBScript", SYSTEM, (1 << 24, 0x43FD_43FD, 0xC3_9EC3), (24, 0), |s| {
            (s[0] << 40) as u64
        }),
        1,
        1,
    ),
    minstd_fraction("rand() of Tcl, or minstd_rand0 (16807) as a fraction", 16_807),
    minstd_fraction("Math.random() of MuJS, or minstd_rand (48271) as a fraction", 48_271),
    fraction(
        simple("std::minstd_rand0 of C++, for a fraction", SYSTEM, (PRIME, 16_807, 0), (53, 0), canonical),
        2,
        2,
    ),
    fraction(
        simple(
            "Math.random() of Hermes (React Native), or std::minstd_rand of C++ for a fraction",
            WEB,
            (PRIME, 48_271, 0),
            (53, 0),
            canonical,
        ),
        2,
        2,
    ),
];

/// A generator in a state, modulo a divisor of its modulus if only the lowest bits matter.
#[derive(Clone)]
struct Source {
    of: &'static Congruence,
    modulus: u128,
    state: u128,
}

impl Source {
    fn step(&mut self) -> u128 {
        self.state = (self.state * (self.of.factor % self.modulus) + self.of.addend) % self.modulus;
        self.state
    }
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        let mut states = [0; 2];
        for state in &mut states[..self.of.steps] {
            *state = self.step();
        }
        (self.of.word)(&states)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// The values that are computed once for a generator and a form.
struct Plan {
    of: &'static Congruence,
    form: &'static Form,
    end: End,
    modulus: u128,
    /// Bits that are used of each number.
    bits: u32,
    /// The numbers that are used: the id, the draw, and what the addends make of the state until there.
    used: Vec<(usize, usize, u128)>,
    lattice: Arc<Lattice>,
    /// States until the first of these.
    until: usize,
    /// Undoes a step.
    inverse: u128,
    ids: usize,
}

/// Forms whose draws are as far apart share a lattice.
type Lattices = HashMap<(u128, Vec<i128>), Arc<Lattice>>;

const MOST_DIMENSIONS: usize = 20;
const MOST_IDS: usize = 16;
const MOST_STARTS: usize = 24;

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let mut plans = Vec::new();
    let mut lattices = HashMap::new();
    for of in CONGRUENCES {
        for form in FORMS.iter().filter(|form| !form.is_scaled) {
            for end in ends(form, of.width, of.is_fraction) {
                plans.extend(Plan::new(of, form, end, &mut lattices));
            }
        }
    }
    plans
});

impl Plan {
    fn new(of: &'static Congruence, form: &'static Form, end: End, lattices: &mut Lattices) -> Option<Self> {
        // The lowest bits of a number of two states are not those of the first one.
        if end == End::Low && of.steps > 1 {
            return None;
        }
        let modulus = match end {
            End::Top => of.modulus,
            End::Low => 1 << (of.lowest + form.widest()),
        };
        // The number of bits of each draw that are known, from the highest one on.
        let known: Vec<u32> = (0..form.draws)
            .map(|draw| {
                let (_, mask, width) = form.seen(0, draw, DRAWN);
                if width == 0 || end == End::Low && width < form.widest() {
                    return 0;
                }
                (mask << (64 - width)).leading_ones()
            })
            .collect();
        let bits = known.iter().max().copied().unwrap_or(0).min(if of.steps == 2 { 26 } else { 60 });
        let state_bits = 128 - (modulus - 1).leading_zeros();
        if bits < 2 {
            return None;
        }
        let bits = bits.min(state_bits);
        // With bits to spare, the vector that is found is the right one.
        let least = ((state_bits + 10).div_ceil(bits) as usize).max(2);
        if least > MOST_DIMENSIONS {
            return None;
        }
        let count = least.max(((state_bits + 20).div_ceil(bits) as usize).min(MOST_DIMENSIONS));
        let places = (0..MOST_IDS).flat_map(|id| (0..form.draws).map(move |draw| (id, draw)));
        let places: Vec<_> = places.filter(|(_, draw)| known[*draw] >= bits).take(count).collect();
        if places.len() < count {
            return None;
        }
        let step_of = |(id, draw): (usize, usize)| (id * form.draws + draw) * of.steps + of.leading;
        let until = step_of(places[0]);
        let (mut factor, mut addend, mut at) = (1, 0, until);
        let (mut factors, mut used) = (Vec::new(), Vec::new());
        for place in places {
            while at < step_of(place) {
                factor = factor * (of.factor % modulus) % modulus;
                addend = (addend * (of.factor % modulus) + of.addend) % modulus;
                at += 1;
            }
            factors.push(factor as i128);
            used.push((place.0, place.1, addend));
        }
        let mut basis = vec![vec![0; count]; count];
        basis[0] = factors;
        for (n, row) in basis.iter_mut().enumerate().skip(1) {
            row[n] = modulus as i128;
        }
        let key = (modulus, basis[0].clone());
        let lattice = lattices.entry(key).or_insert_with(|| Arc::new(Lattice::reduced(basis))).clone();
        let inverse = inverse(of.factor % modulus, modulus)?;
        // The ids that are used, and enough others to confirm.
        let shown: u32 = (0..form.draws).map(|draw| form.seen(0, draw, DRAWN).1.count_ones()).sum();
        let ids = (used[count - 1].0 + 1).max((state_bits + SPARE).div_ceil(shown.max(1)) as usize);
        Some(Plan { of, form, end, modulus, bits, used, lattice, until, inverse, ids })
    }

    /// The generator before these ids, if all of them come from it.
    fn solve(&self, ids: &[u128]) -> Option<Source> {
        // In 128 bits, all products of states fit.
        let number = |&(id, draw, addend): &(usize, usize, u128)| {
            let (number, _, width) = self.form.seen(ids[id], draw, DRAWN);
            let middle =
                ((u128::from(number >> (width - self.bits)) * 2 + 1) * self.modulus) >> (self.bits + 1);
            (middle + self.modulus - addend) as i128 % self.modulus as i128
        };
        let target: Vec<i128> = self.used.iter().map(number).collect();
        let first = self.lattice.near(&target)[0].rem_euclid(self.modulus as i128) as u128;
        let mut source = Source { of: self.of, modulus: self.modulus, state: first };
        let addend = self.of.addend % self.modulus;
        for _ in 0..self.until {
            source.state =
                (source.state + self.modulus - addend) % self.modulus * self.inverse % self.modulus;
        }
        let start = source.clone();
        // A multiplication keeps zero, which no generator has as its state. Ids of zeros would agree with it.
        if source.clone().step() == start.state {
            return None;
        }
        let trusted = DRAWN & self.form.mask();
        for id in ids {
            let draws: Vec<u64> = (0..self.form.draws).map(|_| source.next()).collect();
            if (self.form.id(&draws, self.of.width, self.end) ^ id) & trusted != 0 {
                return None;
            }
        }
        Some(start)
    }

    fn lead(&self, source: Source, name: String, needed: usize) -> Lead {
        Lead {
            source: name,
            instead: self.of.instead,
            form: self.form.clone(),
            end: self.end,
            width: self.of.width,
            known: DRAWN,
            draws: Box::new(source),
            variants: Vec::new(),
            needed,
        }
    }
}

/// The inverse of a number, by Euclid's algorithm.
fn inverse(number: u128, modulus: u128) -> Option<u128> {
    let (mut a, mut b) = (number as i128, modulus as i128);
    let (mut x, mut y) = (1_i128, 0_i128);
    while b != 0 {
        let times = a / b;
        (a, b) = (b, a - times * b);
        (x, y) = (y, x - times * y);
    }
    (a == 1).then(|| x.rem_euclid(modulus as i128) as u128)
}

#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    PLANS.len() * MOST_STARTS + seeded::hypotheses()
}

/// The state of a congruence from which these ids may come. Two successive ids may agree with several plans, such as two `nextLong` of
/// which none was changed by a borrow with four whole numbers, so a plan counts that explains more of the ids.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let mut most = 0;
    let mut leads = Vec::new();
    for plan in PLANS.iter() {
        for start in (0..ids.len()).take(MOST_STARTS).filter(|start| start + plan.ids <= ids.len()) {
            let Some(source) = plan.solve(&ids[start..start + plan.ids]) else { continue };
            let lead = plan.lead(source, plan.of.name.into(), plan.ids);
            let explained = lead.follow(ids, 0, 0).matched.len();
            if explained > most {
                (most, leads) = (explained, vec![lead]);
            }
            if most == ids.len() {
                return leads;
            }
            break;
        }
    }
    leads
}
