//! The table of sources: generators of random numbers that are not made for security. Each is written once, as a program
//! that draws; its equations follow from running it.

/// A source whose state changes by a linear map over GF(2).
#[derive(Clone, Copy)]
pub(crate) struct Linear {
    pub(crate) name: &'static str,
    /// Words of the state, and the bits of each.
    pub(crate) words: usize,
    pub(crate) bits: usize,
    /// The bits of a draw, which `next` returns at the top of a word.
    pub(crate) width: u32,
    pub(crate) next: fn(&mut State) -> u64,
    pub(crate) order: Order,
}

/// The words of a state; each source uses the first ones.
pub(crate) type State = [u64; 16];

/// The order in which draws are given away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Forward,
    /// 64 are made at once, and given away from the last one to the first.
    Cached,
}

/// The secure sources of programs in a browser, in Node and elsewhere.
pub(crate) const WEB: &str = "crypto.randomUUID(), or crypto.getRandomValues()";
pub(crate) const SYSTEM: &str = "the random numbers of the system, for example by getrandom()";

/// The size of V8's cache of random numbers.
pub(crate) const CACHE: usize = 64;

pub(crate) const fn top32(word: u64) -> u64 {
    word << 32
}

/// The shifts of xorshift128+ in browsers; returns the two words whose sum is the output of most.
pub(crate) fn xorshift128(state: &mut State) -> (u64, u64) {
    let (mut a, b) = (state[0], state[1]);
    a ^= a << 23;
    a ^= a >> 17;
    a ^= b ^ b >> 26;
    (state[0], state[1]) = (b, a);
    (a, b)
}

fn v8(state: &mut State) -> u64 {
    xorshift128(state).1 >> 12 << 12
}

fn shift32(state: &mut State, [a, b, c]: [u32; 3]) -> u64 {
    let mut x = state[0] as u32;
    x ^= x << a;
    x ^= x >> b;
    x ^= x << c;
    state[0] = u64::from(x);
    top32(state[0])
}

fn xorshift64(state: &mut State, [a, b, c]: [u32; 3]) -> u64 {
    let mut x = state[0];
    x ^= x << a;
    x ^= x >> b;
    x ^= x << c;
    state[0] = x;
    x
}

pub(crate) fn xorshift64_right(state: &mut State) -> u64 {
    let mut x = state[0];
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    state[0] = x;
    x
}

/// Marsaglia's, which Unity uses too.
fn marsaglia128(state: &mut State) -> u64 {
    let x = state[0] as u32;
    let t = x ^ x << 11;
    let w = state[3] as u32;
    let new = w ^ w >> 19 ^ t ^ t >> 8;
    state.copy_within(1..4, 0);
    state[3] = u64::from(new);
    top32(state[3])
}

pub(crate) fn xoroshiro128(state: &mut State) -> u64 {
    let (s0, mut s1) = (state[0], state[1]);
    s1 ^= s0;
    state[0] = s0.rotate_left(24) ^ s1 ^ s1 << 16;
    state[1] = s1.rotate_left(37);
    s0
}

pub(crate) fn xoroshiro128_words(state: &mut State) -> (u64, u64) {
    let second = state[1];
    (xoroshiro128(state), second)
}

pub(crate) fn xoshiro256_words(state: &mut State) -> (u64, u64) {
    let last = state[3];
    (xoshiro256(state), last)
}

pub(crate) fn xoshiro256(state: &mut State) -> u64 {
    let [s0, s1, s2, s3, ..] = *state;
    let (s2, s3) = (s2 ^ s0, s3 ^ s1);
    state[1] = s1 ^ s2;
    state[0] = s0 ^ s3;
    state[2] = s2 ^ s1 << 17;
    state[3] = s3.rotate_left(45);
    s0
}

pub(crate) fn xoshiro128(state: &mut State) -> u64 {
    let [s0, s1, s2, s3] = [state[0] as u32, state[1] as u32, state[2] as u32, state[3] as u32];
    let (s2, s3) = (s2 ^ s0, s3 ^ s1);
    state[1] = u64::from(s1 ^ s2);
    state[0] = u64::from(s0 ^ s3);
    state[2] = u64::from(s2 ^ s1 << 9);
    state[3] = u64::from(s3.rotate_left(11));
    top32(u64::from(s0))
}

/// WELL512a by Panneton, L'Ecuyer and Matsumoto; the index is always 0, and the words move.
fn well512(state: &mut State) -> u64 {
    let word = |n: usize| state[n] as u32;
    let (z0, m1, m2) = (word(15), word(13), word(9));
    let z1 = word(0) ^ word(0) << 16 ^ m1 ^ m1 << 15;
    let z2 = m2 ^ m2 >> 11;
    let v1 = z1 ^ z2;
    let v0 = z0 ^ z0 << 2 ^ z1 ^ z1 << 18 ^ z2 << 28 ^ v1 ^ v1 << 5 & 0xDA44_2D24;
    state[0] = u64::from(v1);
    state.rotate_right(1);
    state[0] = u64::from(v0);
    top32(state[0])
}

/// L'Ecuyer's combined Tausworthe generators: (first shift, second, mask, third) of each word.
fn tausworthe(state: &mut State, parts: &[(u32, u32, u32, u32)]) -> u64 {
    let mut sum = 0;
    for (word, &(a, b, mask, c)) in state.iter_mut().zip(parts) {
        let s = *word as u32;
        let new = (s & mask) << c ^ (s << a ^ s) >> b;
        *word = u64::from(new);
        sum ^= new;
    }
    top32(u64::from(sum))
}

/// Tausworthe's generator of 223 bits in LuaJIT: the words' shifts, and how many of their lowest bits are not used.
fn luajit(state: &mut State) -> u64 {
    let mut sum = 0;
    for (word, (unused, first, second)) in
        state.iter_mut().zip([(1, 31, 18), (6, 19, 28), (9, 24, 7), (17, 21, 8)])
    {
        let used = u64::MAX << unused;
        *word = (*word << first ^ *word) >> (64 - unused - second) ^ (*word & used) << second;
        sum ^= *word;
    }
    sum << 12
}

/// The sources whose output is a part of the state.
pub(crate) static LINEAR: &[Linear] = &[
    Linear {
        name: "Math.random() of V8 (Node, Chrome, Edge)",
        words: 2,
        bits: 64,
        width: 52,
        next: v8,
        order: Order::Cached,
    },
    Linear {
        name: "xorshift32",
        words: 1,
        bits: 32,
        width: 32,
        next: |s| shift32(s, [13, 17, 5]),
        order: Order::Forward,
    },
    Linear {
        name: "xorshift64 (13, 7, 17)",
        words: 1,
        bits: 64,
        width: 64,
        next: |s| xorshift64(s, [13, 7, 17]),
        order: Order::Forward,
    },
    Linear {
        name: "xorshift64 (12, 25, 27)",
        words: 1,
        bits: 64,
        width: 64,
        next: xorshift64_right,
        order: Order::Forward,
    },
    Linear {
        name: "xorshift128 (Marsaglia's, Unity)",
        words: 4,
        bits: 32,
        width: 32,
        next: marsaglia128,
        order: Order::Forward,
    },
    Linear {
        name: "taus88",
        words: 3,
        bits: 32,
        width: 32,
        next: |s| tausworthe(s, &[(13, 19, !1, 12), (2, 25, !7, 4), (3, 11, !15, 17)]),
        order: Order::Forward,
    },
    Linear {
        name: "LFSR113",
        words: 4,
        bits: 32,
        width: 32,
        next: |s| tausworthe(s, &[(6, 13, !1, 18), (2, 27, !7, 2), (13, 21, !15, 7), (3, 12, !127, 13)]),
        order: Order::Forward,
    },
    forward("WELL512a", 16, (32, 32), well512),
    forward("math.random() of LuaJIT", 4, (64, 52), luajit),
];

/// A source that gives its draws away as it makes them.
pub(crate) const fn forward(
    name: &'static str,
    words: usize,
    (bits, width): (usize, u32),
    next: fn(&mut State) -> u64,
) -> Linear {
    Linear { name, words, bits, width, next, order: Order::Forward }
}

impl Linear {
    /// Names a secure source to use instead.
    pub(crate) fn instead(&self) -> &'static str {
        if self.order == Order::Cached { WEB } else { SYSTEM }
    }

    /// The bits of the state.
    pub(crate) fn unknowns(&self) -> usize {
        self.words * self.bits
    }

    /// Fewer draws than this of the first block may be gone before the first id.
    pub(crate) fn phases(&self) -> usize {
        if self.order == Order::Cached { CACHE } else { 1 }
    }

    /// The number of the draw that is given away as number `n`, if `phase` were given away before.
    pub(crate) fn position(&self, phase: usize, n: usize) -> usize {
        match self.order {
            Order::Forward => n,
            Order::Cached => {
                let n = phase + n;
                n / CACHE * CACHE + CACHE - 1 - n % CACHE
            }
        }
    }

    /// The state of these bits.
    pub(crate) fn state(&self, bits: &[u64]) -> State {
        let mut state = State::default();
        for n in (0..self.unknowns()).filter(|n| bits[n / 64] >> (n % 64) & 1 == 1) {
            state[n / self.bits] |= 1 << (n % self.bits);
        }
        state
    }

    /// The bits of the state whose sum is each bit of each draw, the highest bit of the first draw first.
    pub(crate) fn equations(&self, draws: usize) -> Equations {
        let words = self.unknowns().div_ceil(64);
        let mut rows = vec![0_u64; draws * self.width as usize * words];
        for unknown in 0..self.unknowns() {
            let mut bits = vec![0; words];
            bits[unknown / 64] = 1 << (unknown % 64);
            let mut state = self.state(&bits);
            for draw in 0..draws {
                let mut output = (self.next)(&mut state);
                while output != 0 {
                    let bit = output.leading_zeros() as usize;
                    output &= !(1 << (63 - bit));
                    rows[(draw * self.width as usize + bit) * words + unknown / 64] |= 1 << (unknown % 64);
                }
            }
        }
        Equations { words, width: self.width as usize, rows }
    }
}

/// The equations of the draws of a linear source.
pub(crate) struct Equations {
    words: usize,
    width: usize,
    rows: Vec<u64>,
}

impl Equations {
    /// The equation of a bit of a draw, counted from the highest one.
    pub(crate) fn of(&self, draw: usize, bit: usize) -> &[u64] {
        &self.rows[(draw * self.width + bit) * self.words..][..self.words]
    }
}
