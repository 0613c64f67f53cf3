//! Follows a source from the state that was found: which of the ids come from it, and what comes next.

use std::collections::HashMap;

use super::form::{Cell, End, Form};

/// The number of outputs after an id that are searched for the next id.
pub(super) const FAR: usize = 10_000;

/// A source in a known state.
pub(super) trait Draws {
    /// The next number, its highest bit at the top of the word.
    fn next(&mut self) -> u64;

    fn boxed(&self) -> Box<dyn Draws>;
}

/// A source whose state is known from some ids, before the first of them.
pub(super) struct Lead {
    pub(super) source: String,
    /// A secure source to use instead.
    pub(super) instead: &'static str,
    pub(super) form: Form,
    pub(super) end: End,
    /// The bits of a number.
    pub(super) width: u32,
    /// The bits of an id in which the form can be trusted.
    pub(super) known: u128,
    pub(super) draws: Box<dyn Draws>,
    /// Other states that give the same ids, if the ids do not determine it: what comes next is known as far as all agree.
    pub(super) variants: Vec<Box<dyn Draws>>,
    /// The number of ids from which the state was computed.
    pub(super) needed: usize,
}

/// The ids that follow from a state.
pub(super) struct Followed {
    /// Places of the ids that come from the source, in its order.
    pub(super) matched: Vec<usize>,
    /// Numbers between these ids that are in none of them.
    pub(super) skipped: usize,
    /// The next ids: their bits, and which of them are known.
    pub(super) next: Vec<(u128, u128)>,
}

impl Lead {
    /// Looks for all ids in the output of the source, up to `far` numbers after the one before, and predicts the next `count`. An id that was given twice is
    /// counted once.
    pub(super) fn follow(&self, ids: &[u128], far: usize, count: usize) -> Followed {
        let trusted = self.known & self.form.mask();
        let mut places: HashMap<u128, usize> = HashMap::with_capacity(ids.len());
        for (place, id) in ids.iter().enumerate() {
            places.entry(id & trusted).or_insert(place);
        }
        let mut found = Followed { matched: Vec::new(), skipped: 0, next: Vec::new() };
        let mut agreeing = Agreement { ids: 0, ones: [0; 128], same: [0; 128], same_as_top: [0; 128] };
        let mut draws = self.draws.boxed();
        let mut after = draws.boxed();
        // Numbers that were drawn until `draws` and until `after`.
        let (mut drawn, mut used) = (0, 0);
        let mut window: Vec<u64> = Vec::new();
        let mut skipped = 0;
        while skipped <= far && !places.is_empty() {
            while window.len() < self.form.draws {
                window.push(draws.next());
                drawn += 1;
            }
            let id = self.form.id(&window, self.width, self.end);
            match places.remove(&(id & trusted)) {
                Some(place) => {
                    agreeing.add(&self.form, &window, self.width, self.end, ids[place]);
                    found.matched.push(place);
                    found.skipped += skipped;
                    skipped = 0;
                    window.clear();
                    after = draws.boxed();
                    used = drawn;
                }
                None => {
                    if found.matched.is_empty() && skipped > 0 {
                        // The state was not that before an id.
                        break;
                    }
                    skipped += 1;
                    window.remove(0);
                }
            }
        }
        let mut all: Vec<_> = self.variants.iter().map(|variant| variant.boxed()).collect();
        all.iter_mut().for_each(|variant| (0..used).for_each(|_| _ = variant.next()));
        all.push(after);
        for _ in 0..count {
            let mut next = all.iter_mut().map(|source| {
                let draws: Vec<u64> = (0..self.form.draws).map(|_| source.next()).collect();
                agreeing.id(&self.form, &draws, self.width, self.end)
            });
            let first = next.next().unwrap_or_default();
            found.next.push(next.fold(first, |(id, known), other| (id, known & other.1 & !(id ^ other.0))));
        }
        found
    }
}

/// Counts, for each bit, the ids that agree with the form, because programs differ in some of the bits.
struct Agreement {
    ids: u32,
    ones: [u32; 128],
    /// Ids whose bit is as in the form, and ids whose bit is as if the variant's digit had a number of two bits.
    same: [u32; 128],
    same_as_top: [u32; 128],
}

/// The cell of the variant's digit, if its bits are the first of a number and not the last.
fn as_top(place: usize, cell: Cell) -> Cell {
    match place {
        66 | 67 if cell.of == 4 => Cell { bit: cell.bit - 2, ..cell },
        _ => cell,
    }
}

fn bit(form: &Form, place: usize, cell: Cell, draws: &[u64], width: u32, end: End) -> u32 {
    let number = form.number(draws[usize::from(cell.draw)], width, u32::from(cell.of), end);
    (number >> (cell.of - 1 - cell.bit) & 1) as u32 ^ (form.flipped >> (127 - place) & 1) as u32
}

impl Agreement {
    fn add(&mut self, form: &Form, draws: &[u64], width: u32, end: End, id: u128) {
        self.ids += 1;
        for (place, cell) in form.cells.iter().enumerate() {
            let seen = (id >> (127 - place) & 1) as u32;
            self.ones[place] += seen;
            if let Some(cell) = *cell {
                self.same[place] += u32::from(bit(form, place, cell, draws, width, end) == seen);
                let other = bit(form, place, as_top(place, cell), draws, width, end);
                self.same_as_top[place] += u32::from(other == seen);
            }
        }
    }

    /// Returns true if all ids have version 4 and its variant.
    fn is_v4(&self) -> bool {
        let is = |place: usize, one: bool| self.ones[place] == if one { self.ids } else { 0 };
        is(48, false) && is(49, true) && is(50, false) && is(51, false) && is(64, true) && is(65, false)
    }

    /// The id of these draws: each bit in the way in which it agreed with all ids, and which bits these are.
    fn id(&self, form: &Form, draws: &[u64], width: u32, end: End) -> (u128, u128) {
        let (mut id, mut known) = (0_u128, 0_u128);
        let is_v4 = self.is_v4();
        for (place, cell) in form.cells.iter().enumerate() {
            let of = |cell| bit(form, place, cell, draws, width, end);
            let drawn = cell.filter(|_| self.same[place] == self.ids).map(of);
            let other = cell.map(|cell| as_top(place, cell));
            let other = other.filter(|_| self.same_as_top[place] == self.ids).map(of);
            let value = match (place, drawn, other) {
                (48..=51 | 64 | 65, ..) if is_v4 => Some(u32::from(matches!(place, 49 | 64))),
                // Both agree with all ids by chance, because these are few.
                (_, Some(drawn), Some(other)) if drawn != other => None,
                (_, Some(bit), _) | (_, None, Some(bit)) => Some(bit),
                // Some programs make the variant's digit so that half of the ids have the same one.
                (66 | 67, ..) if self.ids < 32 => None,
                (48..=51 | 64..=67, ..) if self.ones[place] == 0 => Some(0),
                (48..=51 | 64..=67, ..) if self.ones[place] == self.ids => Some(1),
                _ => None,
            };
            id = id << 1 | u128::from(value.unwrap_or(0));
            known = known << 1 | u128::from(value.is_some());
        }
        (id, known)
    }
}
