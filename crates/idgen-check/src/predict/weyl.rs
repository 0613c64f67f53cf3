//! Sources that add a constant to their state and give away a hash of it, such as splitmix64. The hash can be undone, so two whole numbers
//! determine the state and the constant.

use super::follow::{Draws, Lead};
use super::form::{End, FORMS, fixed};
use super::scrambled::inverse;
use super::windows;

/// A hash: shifts to the right, and the factors between them.
struct Mixer {
    name: &'static str,
    shifts: [u32; 3],
    factors: [u64; 2],
}

static MIXERS: [Mixer; 2] = [
    Mixer {
        name: "splitmix64 (SplittableRandom of Java)",
        shifts: [30, 27, 31],
        factors: [0xBF58_476D_1CE4_E5B9, 0x94D0_49BB_1331_11EB],
    },
    Mixer {
        name: "ThreadLocalRandom of Java",
        shifts: [33, 33, 33],
        factors: [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53],
    },
];

const INSTEAD: &str = "UUID.randomUUID() or SecureRandom in Java, the random numbers of the system elsewhere";

impl Mixer {
    fn mix(&self, mut state: u64) -> u64 {
        for (shift, factor) in self.shifts.into_iter().zip(self.factors) {
            state = (state ^ state >> shift).wrapping_mul(factor);
        }
        state ^ state >> self.shifts[2]
    }

    fn unmix(&self, number: u64) -> u64 {
        // All shifts are of more than a third of 64 bits.
        let unshift =
            |number: u64, shift: u32| number ^ number >> shift ^ number.checked_shr(2 * shift).unwrap_or(0);
        let mut state = unshift(number, self.shifts[2]);
        for n in [1, 0] {
            state = unshift(state.wrapping_mul(inverse(self.factors[n])), self.shifts[n]);
        }
        state
    }
}

#[derive(Clone)]
struct Source {
    mixer: &'static Mixer,
    state: u64,
    constant: u64,
}

impl Draws for Source {
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(self.constant);
        self.mixer.mix(self.state)
    }

    fn boxed(&self) -> Box<dyn Draws> {
        Box::new(self.clone())
    }
}

/// Ids that are needed: their bits are 80 more than those of state and constant, and those that are tried.
const IDS: usize = 2;

/// The state of such a source from which these ids may come.
pub(super) fn find(ids: &[u128]) -> Vec<Lead> {
    let known = fixed(ids);
    for form in FORMS.iter().filter(|form| form.is_of_whole(64)) {
        let shown = known & form.mask();
        for mixer in &MIXERS {
            for window in windows(ids.len(), IDS) {
                let (first, second) = (ids[window[0]], ids[window[1]]);
                for number in form.candidates(first, 0, known) {
                    let state = mixer.unmix(number);
                    for number in form.candidates(first, 1, known) {
                        let constant = mixer.unmix(number).wrapping_sub(state);
                        let start = Source { mixer, state: state.wrapping_sub(constant), constant };
                        let mut later = start.clone();
                        (0..form.draws).for_each(|_| _ = later.next());
                        let draws = [later.next(), later.next()];
                        if constant & 1 == 1 && (form.id(&draws, 64, End::Top) ^ second) & shown == 0 {
                            return vec![Lead {
                                source: mixer.name.into(),
                                instead: INSTEAD,
                                form: form.clone(),
                                end: End::Top,
                                width: 64,
                                known,
                                draws: Box::new(start),
                                variants: Vec::new(),
                                needed: IDS,
                            }];
                        }
                    }
                }
            }
        }
    }
    Vec::new()
}

#[cfg(test)]
pub(super) fn hypotheses(ids: usize) -> usize {
    let forms = FORMS.iter().filter(|form| form.is_of_whole(64)).count();
    // Version and the digit of the variant are tried.
    (forms * MIXERS.len() * windows(ids, IDS).len()) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_undone() {
        for mixer in &MIXERS {
            for state in [0, 1, 0x0123_4567_89AB_CDEF, u64::MAX] {
                assert_eq!(mixer.unmix(mixer.mix(state)), state, "{}", mixer.name);
            }
        }
        // From the reference implementation of splitmix64, with the seed 1234567.
        let mut source = Source { mixer: &MIXERS[0], state: 1_234_567, constant: 0x9E37_79B9_7F4A_7C15 };
        assert_eq!(source.next(), 6_457_827_717_110_365_317);
    }
}
