//! Decodes linear equations of which some are wrong, by Stern's algorithm for information sets.

/// Equations that are used at most: words of a row of the code.
const WORDS: usize = 8;
type Row = [u64; WORDS];
/// Equations on which two halves of a set of errors must agree.
const WINDOW: usize = 11;
/// Further equations, which tell whether a guess is right.
const CHECKED: usize = 80;
/// A state that fits is missed as rarely as this, unless that takes too many rounds. So rarely, because the estimate takes errors as
/// independent of each other and of the sets, which they are not.
const MISSED: f64 = 1e-20;
const MOST_ROUNDS: usize = 800;
/// Bits of the state with which so many rounds are made. With more, a round takes as much longer as there are more pairs of pairs of rows, so
/// there are fewer of them.
const USUAL: usize = 128;
/// An equation that is wrong twice as often is chosen 8, 4 or 2 times as rarely. The first is best where equations are alike; with
/// the last one, also sets without the equations that are wrong here although they are most often right come soon.
const POWERS: [i32; 3] = [3, 2, 1];

/// The sum of some bits of the state, and how likely it is wrong.
pub(super) struct Equation {
    pub(super) row: Vec<u64>,
    pub(super) value: u64,
    pub(super) noise: f64,
}

/// The equations as the columns of a code, those that are most often right first.
pub(super) struct Code {
    equations: Vec<Equation>,
    /// A row for each bit of the state, which says in which equations it is.
    rows: Vec<Row>,
    values: Row,
}

/// A row of an information set: its bits in the equations of the window, and in some that tell whether a guess is right.
#[derive(Clone, Copy, Default)]
struct Part {
    window: u64,
    check: [u64; 2],
}

impl Part {
    fn xor(self, other: Part) -> Part {
        Part {
            window: self.window ^ other.window,
            check: [self.check[0] ^ other.check[0], self.check[1] ^ other.check[1]],
        }
    }
}

/// Errors that may be in one half of an information set: up to two rows.
struct Guess {
    part: Part,
    rows: [u16; 2],
}

const NO_ROW: u16 = u16::MAX;

impl Code {
    /// `None` if there are too few equations to tell a state that fits from one that does not.
    pub(super) fn new(unknowns: usize, mut equations: Vec<Equation>) -> Option<Self> {
        equations.sort_by(|a, b| a.noise.total_cmp(&b.noise));
        equations.truncate(64 * WORDS);
        if equations.len() < unknowns + WINDOW + CHECKED {
            return None;
        }
        let mut code = Code { rows: vec![[0; WORDS]; unknowns], values: [0; WORDS], equations };
        for (column, equation) in code.equations.iter().enumerate() {
            let (word, bit) = (column / 64, 1 << (column % 64));
            for (unknown, row) in code.rows.iter_mut().enumerate() {
                row[word] |= if equation.row[unknown / 64] >> (unknown % 64) & 1 == 1 { bit } else { 0 };
            }
            code.values[word] |= if equation.value == 1 { bit } else { 0 };
        }
        Some(code)
    }

    /// Passes equations that may determine the state to `accept`, until it accepts some, or until it is unlikely that any fit.
    pub(super) fn decode<T>(&self, accept: impl Fn(&[Equation]) -> Option<T>) -> Option<T> {
        let (mut random, mut halves, mut missed) = (1, Halves::default(), 1.0);
        let rounds = MOST_ROUNDS * USUAL.pow(4) / self.rows.len().max(USUAL).pow(4);
        for round in 0..rounds {
            let set = InformationSet::new(self, &mut random, POWERS[round % POWERS.len()])?;
            let likelihood = set.likelihood(self);
            if round == 0 && likelihood * (rounds as f64) < 1.0 {
                break;
            }
            if let Some(found) = set.search(self, &mut halves, &accept) {
                return Some(found);
            }
            missed *= 1.0 - likelihood;
            if missed < MISSED {
                break;
            }
        }
        None
    }
}

/// Equations that determine the state, and all others as sums of these.
struct InformationSet {
    /// The equation of each row, which is in no other row of the set.
    columns: Vec<usize>,
    rows: Vec<Row>,
    /// The values of all equations, if those of the set are right: a one is an error.
    errors: Row,
    /// The equations that the set does not have, and where those of the window begin.
    others: Vec<usize>,
    start: usize,
}

/// The guesses of the first half by their bits in the window: lists whose first elements are `heads`. Each round would otherwise ask the
/// system for this memory, which takes as long as the round.
#[derive(Default)]
struct Halves {
    first: Vec<Guess>,
    heads: Vec<u32>,
    after: Vec<u32>,
}

fn next(random: &mut u64) -> u64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let mixed = (*random ^ *random >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    mixed ^ mixed >> 32
}

/// A number between 0 and 1.
fn unit(random: &mut u64) -> f64 {
    (next(random) >> 11) as f64 / (1_u64 << 53) as f64
}

fn bit(row: &Row, column: usize) -> u64 {
    row[column / 64] >> (column % 64) & 1
}

fn add_if(row: &mut Row, other: &Row, condition: u64) {
    let mask = 0_u64.wrapping_sub(condition);
    row.iter_mut().zip(other).for_each(|(a, b)| *a ^= b & mask);
}

impl InformationSet {
    /// Chooses equations at random, those that are more often right more often. `None` if the equations do not determine the state.
    fn new(code: &Code, random: &mut u64, power: i32) -> Option<Self> {
        let noise = |column: usize| code.equations[column].noise;
        let key = |column| (-(1.0 - unit(random)).ln() * noise(column).max(1e-6).powi(power), column);
        let mut order: Vec<(f64, usize)> = (0..code.equations.len()).map(key).collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let unknowns = code.rows.len();
        let (rows, errors) = (code.rows.clone(), code.values);
        let mut set =
            InformationSet { columns: vec![0; unknowns], rows, errors, others: Vec::new(), start: 0 };
        let mut done = 0;
        for (_, column) in order {
            match (done..unknowns).find(|&row| bit(&set.rows[row], column) == 1) {
                Some(row) => {
                    set.rows.swap(done, row);
                    set.take(done, column);
                    done += 1;
                }
                None => set.others.push(column),
            }
        }
        // So that both halves of the rows are wrong as often.
        for row in 1..done {
            let other = next(random) as usize % (row + 1);
            set.rows.swap(row, other);
            set.columns.swap(row, other);
        }
        set.others.sort_unstable();
        // A window that is always the same would have the same errors in each round.
        let few = noise(set.others[WINDOW]);
        let alike = set.others.iter().take_while(|column| noise(**column) <= few).count();
        let last = (alike - WINDOW).min(set.others.len() - WINDOW - CHECKED);
        set.start = next(random) as usize % (last + 1);
        (done == unknowns).then_some(set)
    }

    /// Makes this equation the one that only this row has.
    fn take(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row];
        for (at, other) in self.rows.iter_mut().enumerate() {
            let condition = bit(other, column) & u64::from(at != row);
            add_if(other, &pivot, condition);
        }
        let condition = bit(&self.errors, column);
        add_if(&mut self.errors, &pivot, condition);
        self.columns[row] = column;
    }

    fn window(&self) -> &[usize] {
        &self.others[self.start..][..WINDOW]
    }

    /// The probability that [`search`](Self::search) finds a state that fits: no more than two errors in each half of the set, and none in
    /// the window.
    fn likelihood(&self, code: &Code) -> f64 {
        let noise = |column: &usize| code.equations[*column].noise;
        let half = self.columns.iter().map(noise).sum::<f64>() / 2.0;
        let few = (-half).exp() * (1.0 + half + half * half / 2.0);
        let clean: f64 = self.window().iter().map(|column| 1.0 - noise(column)).product();
        few * few * clean
    }

    /// Equations that tell whether a guess is right, as masks of two words of a row: those after the window.
    fn checked(&self) -> (usize, [u64; 2]) {
        let rest = &self.others[self.start + WINDOW..];
        let last = self.others[self.others.len() - 1] / 64;
        let word = (rest[0] / 64).min(last.max(1) - 1);
        let mut masks = [0; 2];
        let in_words = rest.iter().filter(|&&column| (word..word + 2).contains(&(column / 64)));
        in_words.for_each(|column| masks[column / 64 - word] |= 1 << (column % 64));
        (word, masks)
    }

    fn part(&self, row: &Row, (word, masks): (usize, [u64; 2])) -> Part {
        let window = self.window().iter().fold(0, |bits, &column| bits << 1 | bit(row, column));
        Part { window, check: [row[word] & masks[0], row[word + 1] & masks[1]] }
    }

    /// Tries all errors of up to two equations in each half of the set.
    fn search<T>(
        &self,
        code: &Code,
        halves: &mut Halves,
        accept: &impl Fn(&[Equation]) -> Option<T>,
    ) -> Option<T> {
        let checked = self.checked();
        let parts: Vec<Part> = self.rows.iter().map(|row| self.part(row, checked)).collect();
        let (first, second) = parts.split_at(parts.len() / 2);
        halves.fill(guesses(first, 0));
        let right = self.part(&self.errors, checked);
        let limit = self.limit(code, checked);
        for guess in guesses(second, parts.len() / 2) {
            let wanted = guess.part.xor(right);
            for other in halves.with_window(wanted.window) {
                let errors = wanted.xor(other.part).check;
                if errors[0].count_ones() + errors[1].count_ones() <= limit {
                    let wrong = [guess.rows, other.rows].concat();
                    if let Some(found) = self.equations(code, &wrong).and_then(|all| accept(&all)) {
                        return Some(found);
                    }
                }
            }
        }
        None
    }

    /// Errors in the equations that tell whether a guess is right, at most.
    fn limit(&self, code: &Code, (word, masks): (usize, [u64; 2])) -> u32 {
        let mask = u128::from(masks[1]) << 64 | u128::from(masks[0]);
        let checked = (0..128).filter(|bit| mask >> bit & 1 == 1);
        let mean: f64 = checked.map(|bit| code.equations[64 * word + bit].noise).sum();
        // A wrong guess has errors in half of them.
        (mean + 4.0 * mean.sqrt()).min(f64::from(mask.count_ones()) * 0.28) as u32
    }

    /// The equations of the set, with their right values if these are wrong; `None` if too many of all equations are wrong then.
    fn equations(&self, code: &Code, wrong: &[u16]) -> Option<Vec<Equation>> {
        let wrong = || wrong.iter().filter(|row| **row != NO_ROW).map(|row| usize::from(*row));
        let mut errors = self.errors;
        wrong().for_each(|row| add_if(&mut errors, &self.rows[row], 1));
        let count: u32 = errors.iter().map(|word| word.count_ones()).sum();
        let mean: f64 = code.equations.iter().map(|equation| equation.noise).sum();
        if f64::from(count) > mean + 5.0 * mean.sqrt() + 1.0 {
            return None;
        }
        let right = |(row, &column): (usize, &usize)| {
            let equation = &code.equations[column];
            let flipped = u64::from(wrong().any(|wrong| wrong == row));
            Equation { row: equation.row.clone(), value: equation.value ^ flipped, noise: 0.0 }
        };
        Some(self.columns.iter().enumerate().map(right).collect())
    }
}

impl Halves {
    fn fill(&mut self, guesses: impl Iterator<Item = Guess>) {
        self.first.clear();
        self.first.extend(guesses);
        self.heads.clear();
        self.heads.resize(1 << WINDOW, u32::MAX);
        self.after.clear();
        for (n, guess) in self.first.iter().enumerate() {
            let head = &mut self.heads[guess.part.window as usize];
            self.after.push(*head);
            *head = n as u32;
        }
    }

    fn with_window(&self, window: u64) -> impl Iterator<Item = &Guess> {
        let some = |at: u32| (at != u32::MAX).then_some(at as usize);
        let places =
            std::iter::successors(some(self.heads[window as usize]), move |&at| some(self.after[at]));
        places.map(|at| &self.first[at])
    }
}

/// None, one or two of these rows; the first one has the number `from`.
fn guesses(parts: &[Part], from: usize) -> impl Iterator<Item = Guess> {
    let number = move |row: usize| (from + row) as u16;
    let none = Guess { part: Part::default(), rows: [NO_ROW; 2] };
    let one = move |(a, &part): (usize, &Part)| Guess { part, rows: [number(a), NO_ROW] };
    let two = move |(a, part): (usize, &Part)| {
        let part = *part;
        let pair =
            move |(b, other): (usize, &Part)| Guess { part: part.xor(*other), rows: [number(a), number(b)] };
        parts[..a].iter().enumerate().map(pair)
    };
    let ones = parts.iter().enumerate().map(one);
    std::iter::once(none).chain(ones).chain(parts.iter().enumerate().flat_map(two))
}
