//! Sources that add or subtract two numbers that they drew before. What ids show of these numbers adds up too, but for a carry from
//! the bits that they do not show: no equations have to be solved.

use super::SPARE;
use super::echelon::Echelon;
use super::follow::{Draws, Lead};
use super::form::{DRAWN, End, FORMS, Form};
use super::linear::ends;
use super::source::SYSTEM;

/// A source, and a way to draw from it.
struct Lagged {
    name: &'static str,
    instead: &'static str,
    /// The distances to the two earlier numbers; the second one is subtracted if `is_difference`.
    lags: (usize, usize),
    is_difference: bool,
    /// The bits of a draw, and whether bits below them are added too.
    width: u32,
    below: Below,
    is_fraction: bool,
}

/// The bits below those of a draw.
#[derive(Clone, Copy, PartialEq)]
enum Below {
    Nothing,
    /// One bit, which can be computed.
    Bit,
    Bits,
}

const GO: &str = "crypto/rand, or math/rand/v2 with ChaCha8";
const DOTNET: &str = "Guid.NewGuid(), or RandomNumberGenerator";
const GO_LAGS: (usize, usize) = (607, 273);

const fn go(name: &'static str, width: u32, below: Below, is_fraction: bool) -> Lagged {
    Lagged { name, instead: GO, lags: GO_LAGS, is_difference: false, width, below, is_fraction }
}

static LAGGED: &[Lagged] = &[
    Lagged {
        name: "rand() or random() of glibc",
        instead: SYSTEM,
        lags: (31, 3),
        is_difference: false,
        width: 31,
        below: Below::Bit,
        is_fraction: false,
    },
    go("math/rand of Go (Int31 and Intn)", 31, Below::Bits, false),
    go("math/rand of Go (Uint32)", 32, Below::Bits, false),
    go("math/rand of Go (Uint64)", 64, Below::Nothing, false),
    go("math/rand of Go (Float64)", 53, Below::Nothing, true),
    Lagged {
        name: "System.Random of .NET Framework, or with a seed",
        instead: DOTNET,
        lags: (55, 34),
        is_difference: true,
        width: 31,
        below: Below::Bits,
        is_fraction: false,
    },
];

static GO_READ: Lagged = go("Read of math/rand of Go", 56, Below::Nothing, false);

/// A number as far as an id shows it.
#[derive(Clone, Copy, Default)]
struct Shown {
    number: u64,
    /// The bits that are known.
    mask: u64,
    /// The number of bits that are known without a gap, from the end that the form uses.
    bits: u32,
}

impl Lagged {
    /// The sum or difference of two numbers of `bits` bits.
    fn of(&self, first: u64, second: u64, bits: u32) -> u64 {
        let sum = if self.is_difference { first.wrapping_sub(second) } else { first.wrapping_add(second) };
        sum & low(bits)
    }

    /// Adds the carry from below, or subtracts the borrow.
    fn carried(&self, number: u64, bits: u32) -> u64 {
        let carried = if self.is_difference { number.wrapping_sub(1) } else { number.wrapping_add(1) };
        carried & low(bits)
    }

    /// Checks that number `n` follows from those before, as far as they are shown. Returns the number of bits that
    /// agree, and true if there was a carry; `None` if it does not follow.
    fn step(&self, shown: &[Shown], n: usize, end: End, width: u32) -> Option<(u32, bool)> {
        let (first, second, now) = (shown[n - self.lags.0], shown[n - self.lags.1], shown[n]);
        let bits = first.bits.min(second.bits).min(now.bits);
        if bits < 2 {
            return Some((0, false));
        }
        let cut = |of: Shown| match end {
            End::Low => of.number & low(bits),
            End::Top => of.number >> (width - bits),
        };
        let sum = self.of(cut(first), cut(second), bits);
        match cut(now) {
            now if end == End::Low && self.below == Below::Nothing => (now == sum).then_some((bits, false)),
            now if now == sum => Some((bits - 1, false)),
            now => (now == self.carried(sum, bits)).then_some((bits - 1, true)),
        }
    }

    /// Returns true if some numbers follow from those before, and none contradicts that.
    fn may_follow(&self, shown: &[Shown], end: End, width: u32) -> bool {
        let steps = (self.lags.0..shown.len()).map(|n| self.step(shown, n, end, width));
        let bits: Option<u32> = steps.map(|step| step.map(|(bits, _)| bits)).sum();
        bits.is_some_and(|bits| bits > 0)
    }

    /// Checks that each number that is shown follows from those before, for at least [`SPARE`] bits. Returns the number
    /// of draws that are needed to see that, and the carries.
    fn follows(&self, shown: &[Shown], end: End, width: u32) -> Option<(usize, Vec<(usize, bool)>)> {
        let (mut agreeing, mut enough, mut carries) = (0, 0, Vec::new());
        for n in self.lags.0..shown.len() {
            let (bits, is_carried) = self.step(shown, n, end, width)?;
            if bits > 0 {
                carries.push((n, is_carried));
            }
            agreeing += bits;
            if agreeing >= SPARE && enough == 0 {
                enough = n + 1;
            }
        }
        (enough > 0).then_some((enough, carries))
    }
}

fn low(bits: u32) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> (64 - bits) }
}

/// The carries of later numbers.
#[derive(Clone)]
enum Carry {
    Never,
    Always,
    /// The bit below of each number.
    Known(Vec<bool>),
    /// Any: what follows is only known as far as they do not matter.
    Any(u64),
}

/// The numbers that were shown, and those that follow.
#[derive(Clone)]
struct Source {
    of: &'static Lagged,
    bits: u32,
    numbers: Vec<u64>,
    at: usize,
    carry: Carry,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        let n = self.at;
        self.at += 1;
        if n == self.numbers.len() {
            let (first, second) = (n - self.of.lags.0, n - self.of.lags.1);
            let sum = self.of.of(self.numbers[first], self.numbers[second], self.bits);
            let is_carried = match &mut self.carry {
                Carry::Never => false,
                Carry::Always => true,
                Carry::Known(below) => {
                    below.push(below[first] ^ below[second]);
                    below[first] && below[second]
                }
                Carry::Any(state) => next_bits(state) & 1 == 1,
            };
            self.numbers.push(if is_carried { self.of.carried(sum, self.bits) } else { sum });
        }
        self.numbers[n] << (64 - self.bits)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// Bits in place of unknown ones.
pub(super) fn next_bits(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mixed = (*state ^ *state >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

/// Sources that show these numbers and differ in what is not shown: nothing but zeros, nothing but ones, and chance. A sum is between those of the
/// first two, so a carry that is rare is not overlooked.
fn variants(of: &'static Lagged, shown: &[Shown], bits: u32, carry: &Carry) -> Vec<Source> {
    let is_all = shown.iter().all(|shown| shown.bits == bits) && !matches!(carry, Carry::Any(_));
    let variant = |number: u64| {
        let mut state = (number + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let numbers = shown.iter().map(|shown| {
            let unknown = match number {
                0 => 0,
                1 => u64::MAX,
                _ => next_bits(&mut state),
            };
            shown.number | unknown & low(bits) & !shown.mask
        });
        let numbers = numbers.collect();
        let carry = match (carry, number) {
            (Carry::Any(_), 0) => Carry::Never,
            (Carry::Any(_), 1) => Carry::Always,
            (Carry::Any(_), _) => Carry::Any(state),
            _ => carry.clone(),
        };
        Source { of, bits, numbers, at: 0, carry }
    };
    (0..if is_all { 1 } else { 24 }).map(variant).collect()
}

/// The bits below all numbers, from the carries: a carry of one needs both.
fn below(of: &Lagged, carries: &[(usize, bool)], numbers: usize) -> Option<Vec<bool>> {
    let (long, short) = of.lags;
    // The bits as sums of the first ones.
    let mut sums: Vec<u64> = (0..long).map(|n| 1 << n).collect();
    for n in long..numbers {
        sums.push(sums[n - long] ^ sums[n - short]);
    }
    let mut system = Echelon::new(long, 1);
    let mut rank = 0;
    for (n, _) in carries.iter().filter(|(_, is_carried)| *is_carried) {
        for lag in [long, short] {
            let mut row = [sums[n - lag], 1];
            rank += usize::from(system.add(&mut row));
            if row == [0, 1] {
                return None;
            }
        }
    }
    let first = system.solution(|_| 0)[0];
    let bits: Vec<bool> = sums.iter().map(|sum| (sum & first).count_ones() & 1 == 1).collect();
    let agrees = carries.iter().all(|&(n, is_carried)| (bits[n - long] && bits[n - short]) == is_carried);
    (rank == long && agrees).then_some(bits)
}

/// The bits of each number of these ids.
fn shown(ids: &[u128], form: &Form, end: End) -> Vec<Shown> {
    let width = form.widest();
    let of_draw = |id: u128, draw: usize| {
        let (number, mask, of) = form.seen(id, draw, DRAWN);
        match end {
            _ if of == 0 => Shown::default(),
            End::Low => Shown { number, mask, bits: mask.trailing_ones() },
            End::Top => {
                let (number, mask) = (number << (width - of), mask << (width - of));
                Shown { number, mask, bits: (mask << (64 - width)).leading_ones() }
            }
        }
    };
    ids.iter().flat_map(|id| (0..form.draws).map(move |draw| of_draw(*id, draw))).collect()
}

/// Returns the places at which the examined parts of the ids begin. Each part needs at most `MOST_IDS` ids.
fn starts(ids: usize) -> impl Iterator<Item = usize> {
    (0..ids).step_by((ids / 8).max(1))
}
const MOST_IDS: usize = 2_000;

#[cfg(test)]
pub(super) fn hypotheses(ids: usize) -> usize {
    // Two ends; and seven places in a number for `Read`.
    (FORMS.len() * LAGGED.len() * 2 + 7) * starts(ids).count()
}

/// The state of such a source from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    for form in FORMS.iter().filter(|form| !form.is_scaled) {
        for end in [End::Low, End::Top] {
            let bits = form.widest();
            let of: Vec<_> = LAGGED
                .iter()
                .filter(|of| {
                    ends(form, of.width, of.is_fraction).contains(&end) || end == End::Low && bits == of.width
                })
                .collect();
            if of.is_empty() {
                continue;
            }
            for start in starts(ids.len()) {
                let few = shown(&ids[start..ids.len().min(start + GO_LAGS.0 / form.draws + 4)], form, end);
                let of: Vec<_> = of.iter().filter(|of| of.may_follow(&few, end, bits)).collect();
                if of.is_empty() {
                    continue;
                }
                let shown = shown(&ids[start..ids.len().min(start + MOST_IDS)], form, end);
                for of in of {
                    let Some((enough, carries)) = of.follows(&shown, end, bits) else { continue };
                    let known = match of.below {
                        Below::Bit if end == End::Low => below(of, &carries, shown.len()).map(Carry::Known),
                        Below::Nothing if end == End::Low => Some(Carry::Never),
                        _ => None,
                    };
                    let mut sources = variants(of, &shown, bits, &known.unwrap_or(Carry::Any(0)));
                    let first = sources.remove(0);
                    return vec![Lead {
                        source: of.name.into(),
                        instead: of.instead,
                        form: form.clone(),
                        end,
                        width: bits,
                        known: DRAWN,
                        draws: Box::new(first),
                        variants: sources.into_iter().map(|source| Box::new(source) as _).collect(),
                        needed: enough.div_ceil(form.draws),
                    }];
                }
            }
        }
    }
    read(ids)
}

/// The lowest seven bytes of each number, the lowest one first; an id begins with any of them.
#[derive(Clone)]
struct Bytes {
    source: Source,
    number: u64,
    left: usize,
}

impl Draws for Bytes {
    fn next(&mut self) -> u64 {
        if self.left == 0 {
            (self.number, self.left) = (self.source.next() >> 8, 7);
        }
        self.left -= 1;
        let byte = self.number & 0xFF;
        self.number >>= 8;
        byte << 56
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// Ids of 16 bytes that Go's `Read` made.
fn read(ids: &[u128]) -> Vec<Lead> {
    let Some(form) = FORMS.iter().find(|form| form.draws == 16 && form.widest() == 8) else {
        return Vec::new();
    };
    for (start, phase) in starts(ids.len()).flat_map(|start| (0..7).map(move |phase| (start, phase))) {
        {
            let bytes = shown(&ids[start..ids.len().min(start + 400)], form, End::Low);
            let missing = vec![Shown::default(); phase];
            let bytes: Vec<Shown> = missing.into_iter().chain(bytes.iter().copied()).collect();
            let number = |bytes: &[Shown]| {
                let join = |all: (u64, u64), byte: &Shown| (all.0 << 8 | byte.number, all.1 << 8 | byte.mask);
                let (number, mask) = bytes.iter().rev().fold((0, 0), join);
                Shown { number, mask, bits: mask.trailing_ones() }
            };
            let numbers: Vec<Shown> = bytes.chunks(7).map(number).collect();
            let Some((enough, _)) = GO_READ.follows(&numbers, End::Low, 56) else { continue };
            let bytes_of = |source: Source| {
                let mut bytes = Bytes { source, number: 0, left: 0 };
                (0..phase).for_each(|_| _ = bytes.next());
                bytes
            };
            let mut sources = variants(&GO_READ, &numbers, 56, &Carry::Never);
            let first = bytes_of(sources.remove(0));
            return vec![Lead {
                source: GO_READ.name.into(),
                instead: GO_READ.instead,
                form: form.clone(),
                end: End::Top,
                width: 8,
                known: DRAWN,
                draws: Box::new(first),
                variants: sources.into_iter().map(|source| Box::new(bytes_of(source)) as _).collect(),
                needed: (enough * 7).div_ceil(16),
            }];
        }
    }
    Vec::new()
}
