//! The Mersenne Twister where ids show only some bits of each number, such as the 16 bits of PHP's `mt_rand(0, 0xffff)`.

use std::sync::{Arc, LazyLock};

use super::super::SPARE;
use super::super::echelon::Echelon;
use super::super::follow::{Draws, Lead};
use super::super::form::{DRAWN, End, FORMS, Form};
use super::super::lagged::next_bits;
use super::super::stream::{Bits, NUMBERINGS, Numbering, Rules, Run};
use super::{INSTEAD, MIDDLE, NAME, SIZE, UPPER, VARIANTS, temper, twist};

/// A twister, and how programs draw from it.
struct Twister {
    name: &'static str,
    word: fn(&mut [u32], usize) -> u32,
    numbering: Numbering,
}

fn word(state: &mut [u32], at: usize) -> u32 {
    let x = state[at];
    state[at] = twist(x, state[(at + 1) % SIZE], state[(at + MIDDLE) % SIZE]);
    temper(x)
}

/// PHP before 7.1 took the lowest bit of the wrong word.
fn php_5_word(state: &mut [u32], at: usize) -> u32 {
    let (x, next) = (state[at], state[(at + 1) % SIZE]);
    let mixed = x & UPPER | next & !UPPER;
    state[at] = state[(at + MIDDLE) % SIZE] ^ mixed >> 1 ^ if x & 1 == 1 { 0x9908_B0DF } else { 0 };
    temper(x)
}

static TWISTERS: [Twister; 5] = [
    Twister { name: NAME, word, numbering: NUMBERINGS[0] },
    Twister { name: NAME, word, numbering: NUMBERINGS[1] },
    Twister { name: NAME, word, numbering: NUMBERINGS[2] },
    Twister { name: NAME, word, numbering: NUMBERINGS[3] },
    Twister { name: "mt_rand() of PHP 5 and 7.0", word: php_5_word, numbering: NUMBERINGS[2] },
];

/// Widths of numbers for which the rules are computed.
const WIDTHS: [usize; 3] = [4, 8, 16];
/// Ids that are enough for any form that is tried.
const MOST_IDS: usize = 250;
/// More ids than a form needs determine more of what they hide.
const ENOUGH_IDS: usize = 400;
/// Relations of a form: as many bits as must agree.
const RELATIONS: usize = SPARE as usize;

/// A twister and a form.
struct Plan {
    of: &'static Twister,
    form: &'static Form,
    rules: Arc<Rules>,
    ids: usize,
    /// Masks of the bits of these ids whose sum is zero.
    relations: Vec<Vec<u128>>,
}

static PLANS: LazyLock<Vec<Plan>> = LazyLock::new(|| {
    let of_rules = |of: &'static Twister, bits: usize| {
        let is_low = of.numbering.end == End::Low;
        let lowest = if is_low { of.numbering.dropped } else { 32 - bits as u32 };
        let forms = FORMS.iter().filter(|form| form.widest() as usize == bits && is_usual(form, is_low));
        let rules = Arc::new(Rules::new(Run {
            word: of.word,
            size: SIZE,
            stride: of.numbering.stride,
            bits,
            lowest,
        }));
        forms.filter_map(|form| Plan::new(of, form, &rules)).collect::<Vec<_>>()
    };
    // A second or two of work, for several processors.
    std::thread::scope(|scope| {
        let all = TWISTERS.iter().flat_map(|of| WIDTHS.map(|bits| (of, bits)));
        let threads: Vec<_> = all.map(|(of, bits)| scope.spawn(move || of_rules(of, bits))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
    })
});

/// Takes forms that fill an id from its first bits on. The lowest bits of shorter numbers are in the same places as those of numbers whose
/// highest bits are overwritten.
fn is_usual(form: &Form, is_low: bool) -> bool {
    let cells = || form.cells.iter().flatten();
    let is_alike = cells().all(|cell| u32::from(cell.of) == form.widest());
    cells().is_sorted_by_key(|cell| cell.draw) && form.flipped == 0 && (is_alike || !is_low)
}

impl Plan {
    fn new(of: &'static Twister, form: &'static Form, rules: &Arc<Rules>) -> Option<Self> {
        let shown = (form.mask() & DRAWN).count_ones() as usize;
        let needed: usize = rules.rules.iter().map(|(numbers, _)| numbers).sum();
        let ids = (needed + RELATIONS).div_ceil(shown).max(rules.numbers.div_ceil(form.draws)) + 1;
        if ids > MOST_IDS {
            return None;
        }
        let mut plan = Plan { of, form, rules: rules.clone(), ids, relations: Vec::new() };
        plan.relate();
        Some(plan)
    }

    /// The bits that successive ids hide: the number, and which bit of it.
    fn hidden(&self, ids: usize) -> Vec<(usize, usize)> {
        let of_number = |number: usize| {
            let known = self.seen(u128::MAX, number % self.form.draws).1;
            (0..self.rules.bits).filter(move |bit| known >> bit & 1 == 0).map(move |bit| (number, bit))
        };
        (0..ids * self.form.draws).flat_map(of_number).collect()
    }

    /// A number of an id, and which of its bits are shown.
    fn seen(&self, id: u128, draw: usize) -> (u64, u64) {
        let (number, mask, of) = self.form.seen(id, draw, DRAWN);
        // Shorter numbers are the highest bits, or the lowest ones.
        let up = if self.of.numbering.end == End::Top { self.rules.bits as u32 - of } else { 0 };
        (number << up, mask << up)
    }

    /// The equations of successive ids: a number, and a rule that it must obey.
    fn equations(&self, ids: usize) -> impl Iterator<Item = (usize, usize)> {
        (0..ids * self.form.draws).flat_map(move |number| {
            let rules = self.rules.rules.iter().enumerate().filter(move |(_, (before, _))| *before <= number);
            rules.map(move |(rule, _)| (number, rule))
        })
    }

    /// The unknowns of an equation.
    fn unknowns(&self, hidden: &[(usize, usize)], (number, rule): (usize, usize), row: &mut [u64]) {
        let sum = &self.rules.rules[rule].1;
        for (unknown, (before, bit)) in
            hidden.iter().enumerate().take_while(|(_, (before, _))| *before <= number)
        {
            let is_used = sum.get((number - before) * self.rules.bits + bit);
            row[unknown / 64] |= u64::from(is_used) << (unknown % 64);
        }
    }

    /// Combines the equations so that no hidden bit is left.
    fn relate(&mut self) {
        let equations: Vec<_> = self.equations(self.ids).collect();
        let hidden = self.hidden(self.ids);
        let mut system = Echelon::new(hidden.len(), equations.len().div_ceil(64));
        let mut row = vec![0; system.words()];
        for (n, &equation) in equations.iter().enumerate() {
            row.fill(0);
            self.unknowns(&hidden, equation, &mut row);
            row[system.right() + n / 64] |= 1 << (n % 64);
            if !system.add(&mut row) {
                let right = Bits(row[system.right()..].to_vec());
                let used = equations.iter().enumerate().filter(|(n, _)| right.get(*n)).map(|(_, used)| *used);
                self.relations.push(self.relation(used));
                if self.relations.len() == RELATIONS {
                    return;
                }
            }
        }
    }

    /// The masks of the sum of some equations.
    fn relation(&self, equations: impl Iterator<Item = (usize, usize)>) -> Vec<u128> {
        let (bits, last) = (self.rules.bits, self.ids * self.form.draws - 1);
        // Sums by how far they are moved within a word.
        let words = (last + 1) * bits / 64 + 2;
        let mut moved = vec![Bits(vec![0; words]); 64];
        for (number, rule) in equations {
            let up = (last - number) * bits;
            let to = &mut moved[up % 64].0[up / 64..];
            to.iter_mut().zip(&self.rules.rules[rule].1.0).for_each(|(a, b)| *a ^= b);
        }
        let mut all = Bits(vec![0; words]);
        for (up, bits) in moved.iter_mut().enumerate().step_by(bits) {
            if up > 0 {
                bits.shift(up);
            }
            all.xor(bits);
        }
        let mask = |id: usize| {
            let number = |draw: usize| all.number((last - id * self.form.draws - draw) * bits, bits);
            let numbers: Vec<u64> = (0..self.form.draws).map(|draw| number(draw) << (64 - bits)).collect();
            (self.form.id(&numbers, bits as u32, self.of.numbering.end) ^ self.form.flipped) & DRAWN
        };
        (0..self.ids).map(mask).collect()
    }

    fn holds(&self, ids: &[u128]) -> bool {
        self.relations.len() == RELATIONS
            && self.relations.iter().all(|masks| {
                let sum =
                    masks.iter().zip(ids).fold(0, |sum, (mask, id)| sum ^ (id ^ self.form.flipped) & mask);
                sum.count_ones() & 1 == 0
            })
    }

    /// The source that continues these ids, and others if the ids do not determine all that they hide.
    fn solve(&self, ids: &[u128]) -> Option<Vec<Source>> {
        let draws = self.form.draws;
        let seen = ids.iter().flat_map(|id| (0..draws).map(|draw| self.seen(*id, draw)));
        let numbers: Vec<u64> = seen.map(|(number, mask)| number & mask).collect();
        let hidden = self.hidden(ids.len());
        let mut system = Echelon::new(hidden.len(), 1);
        let mut row = vec![0; system.words()];
        let mut window = self.rules.window(&[]);
        let (mut newest, mut rank) = (0, 0);
        for (number, rule) in self.equations(ids.len()) {
            numbers[newest..=number].iter().for_each(|&number| self.rules.push(&mut window, number));
            newest = number + 1;
            row.fill(0);
            self.unknowns(&hidden, (number, rule), &mut row);
            row[system.right()] = self.rules.rules[rule].1.parity(&window);
            match system.add(&mut row) {
                true => rank += 1,
                false if row[system.right()] & 1 == 1 => return None,
                false => {}
            }
        }
        let source = |free: &dyn Fn(usize) -> u64| {
            let solution = Bits(system.solution(free));
            let mut numbers = numbers.clone();
            for (unknown, &(number, bit)) in hidden.iter().enumerate() {
                numbers[number] |= u64::from(solution.get(unknown)) << bit;
            }
            let window = self.rules.window(&numbers);
            Source { rules: self.rules.clone(), numbers, at: 0, window }
        };
        let mut sources = vec![source(&|_| 0)];
        let mut bits = 0;
        for _ in 0..if rank < hidden.len() { VARIANTS } else { 0 } {
            let free: Vec<u64> = (0..system.right()).map(|_| next_bits(&mut bits)).collect();
            sources.push(source(&|word| free[word]));
        }
        Some(sources)
    }
}

/// The numbers that were shown, and those that follow.
#[derive(Clone)]
struct Source {
    rules: Arc<Rules>,
    numbers: Vec<u64>,
    at: usize,
    window: Bits,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        if self.at == self.numbers.len() {
            self.numbers.push(self.rules.advance(&mut self.window));
        }
        self.at += 1;
        self.numbers[self.at - 1] << (64 - self.rules.bits)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// A twister from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let fewest = SIZE * 32 / 128;
    // A few places of long input, in case that something comes between.
    let starts = (0..ids.len().saturating_sub(fewest)).step_by((ids.len() / 8).max(1));
    for start in starts {
        for plan in PLANS.iter().filter(|plan| start + plan.ids <= ids.len() && plan.holds(&ids[start..])) {
            let all = start..ids.len().min(start + ENOUGH_IDS);
            // Other ids may follow, so that only some come from the source.
            let sources = plan.solve(&ids[all]).or_else(|| plan.solve(&ids[start..start + plan.ids]));
            if let Some(mut sources) = sources {
                let first = sources.remove(0);
                return vec![Lead {
                    source: plan.of.name.into(),
                    instead: INSTEAD,
                    form: plan.form.clone(),
                    end: plan.of.numbering.end,
                    width: plan.rules.bits as u32,
                    known: DRAWN,
                    draws: Box::new(first),
                    variants: sources.into_iter().map(|source| Box::new(source) as _).collect(),
                    needed: plan.ids,
                }];
            }
        }
    }
    Vec::new()
}

/// The most hypotheses: plans, and places of long input.
#[cfg(test)]
pub(super) fn hypotheses() -> usize {
    PLANS.len() * 9
}
