//! The table of forms: how programs make the bits of an id from the numbers of a source. It is independent of the sources.

use std::sync::LazyLock;

/// The bits of an id that a form may know: version and variant are overwritten, with the whole digit of the variant,
/// which some programs take from a number of its own.
pub(crate) const DRAWN: u128 = !(0xF << 76 | 0xF << 60);
/// The bits that forms without a number for the variant's digit know: all, or all but version and variant.
pub(crate) fn fixed(ids: &[u128]) -> u128 {
    let fixed = 0xF << 76 | 0b11 << 62;
    match ids.iter().all(|id| id & fixed == 0x4 << 76 | 0b10 << 62) {
        true => !fixed,
        false if ids.iter().all(|id| id >> 76 & 0xF == 4) => DRAWN,
        false => u128::MAX,
    }
}

/// The random bits of a ULID.
pub(crate) const ULID_DRAWN: u128 = (1 << 80) - 1;

/// The bits of a draw that a program uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The highest ones: a fraction times a power of two, or a shift.
    Top,
    /// The lowest ones: a remainder, or a mask.
    Low,
}

/// The source of a bit of an id: bit `bit` of a number of `of` bits, counted from its highest one, of this draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) draw: u8,
    pub(crate) bit: u8,
    pub(crate) of: u8,
}

/// Bits of a number that are together in an id.
#[derive(Clone, Copy, Debug)]
struct Run {
    draw: usize,
    of: u32,
    /// Bits of the number after these.
    after: u32,
    count: u32,
    /// Bits of the id after these.
    shift: u32,
}

/// The way in which an id is made of draws.
#[derive(Clone, Debug)]
pub(crate) struct Form {
    /// Describes the form to people: "4 bits of each of 31 numbers".
    pub(crate) name: String,
    /// Draws of one id.
    pub(crate) draws: usize,
    /// The cell of each bit of the id, the highest bit first.
    pub(crate) cells: [Option<Cell>; 128],
    /// True if numbers are a fraction times 2^n − 1, which rarely differs from the bits at the top.
    pub(crate) is_scaled: bool,
    /// Bits of the id that are the opposite of what their cells say.
    pub(crate) flipped: u128,
    runs: Vec<Run>,
    /// The runs of each draw.
    of_draw: Vec<Vec<Run>>,
}

impl Form {
    fn new(name: impl Into<String>, draws: usize) -> Self {
        Form {
            name: name.into(),
            draws,
            cells: [None; 128],
            is_scaled: false,
            flipped: 0,
            runs: Vec::new(),
            of_draw: Vec::new(),
        }
    }

    /// Puts `count` bits of a number of `of` bits at a place of the id, beginning with bit `from` of the number.
    fn put(&mut self, draw: usize, of: usize, from: usize, count: usize, at: usize) {
        for n in 0..count {
            self.cells[at + n] = Some(Cell { draw: draw as u8, bit: (from + n) as u8, of: of as u8 });
        }
    }

    /// Numbers of these widths, one after the other.
    fn widths(name: impl Into<String>, widths: &[usize]) -> Self {
        let mut form = Form::new(name, widths.len());
        let mut at = 0;
        for (draw, &width) in widths.iter().enumerate() {
            form.put(draw, width, 0, width, at);
            at += width;
        }
        form
    }

    /// Hexadecimal digits at these places of the 36 characters; `drawn` says for which places a number is drawn.
    fn digits(name: &str, drawn: impl Fn(usize) -> bool) -> Self {
        const HYPHENS: [usize; 4] = [8, 13, 18, 23];
        let mut form = Form::new(name, (0..36).filter(|&place| drawn(place)).count());
        let (mut draw, mut digit) = (0, 0);
        for place in 0..36 {
            let is_drawn = drawn(place);
            if !HYPHENS.contains(&place) {
                if is_drawn {
                    form.put(draw, 4, 0, 4, 4 * digit);
                }
                digit += 1;
            }
            draw += usize::from(is_drawn);
        }
        form
    }

    /// Numbers of several bytes, whose lowest byte comes first.
    fn little(name: &str, bytes: usize) -> Self {
        let mut form = Form::new(name, 16 / bytes);
        for byte in 0..16 {
            form.put(byte / bytes, 8 * bytes, 8 * (bytes - 1 - byte % bytes), 8, 8 * byte);
        }
        form
    }

    /// Reverses the numbers, so that the last one is drawn first.
    fn reversed(mut self) -> Self {
        self.name += ", the last one first";
        for cell in self.cells.iter_mut().flatten() {
            cell.draw = (self.draws - 1) as u8 - cell.draw;
        }
        self
    }

    /// The bytes as the constructor of .NET's Guid takes them.
    fn guid(mut self) -> Self {
        const ORDER: [usize; 16] = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15];
        self.name += ", in the byte order of a Guid";
        let before = self.cells;
        for (to, from) in ORDER.into_iter().enumerate() {
            self.cells[8 * to..8 * to + 8].copy_from_slice(&before[8 * from..8 * from + 8]);
        }
        self
    }

    /// Returns this form with `others` numbers between two ids that do not get into them.
    pub(crate) fn with_others(&self, others: usize) -> Self {
        let mut form = self.clone();
        form.name += &format!(", and {others} between two ids");
        form.draws += others;
        form.finished()
    }

    /// True if an id is nothing but whole numbers of this many bits, such as two of 64. Then version and variant are all that hides
    /// bits of a number.
    pub(crate) fn is_of_whole(&self, bits: u32) -> bool {
        let is_whole = |cell: &Option<Cell>| cell.is_some_and(|cell| u32::from(cell.of) == bits);
        !self.is_scaled && self.draws * bits as usize == 128 && self.cells.iter().all(is_whole)
    }

    /// The widest number.
    pub(crate) fn widest(&self) -> u32 {
        self.cells.iter().flatten().map(|cell| u32::from(cell.of)).max().unwrap_or(0)
    }

    /// A number of a draw: `word` has its bits at the top, `width` of them.
    pub(crate) fn number(&self, word: u64, width: u32, of: u32, end: End) -> u64 {
        match end {
            // The fraction times 2^of − 1, in the arithmetic of JavaScript.
            End::Top if self.is_scaled => {
                ((word >> 11) as f64 / (1_u64 << 53) as f64 * ((1_u64 << of) - 1) as f64) as u64
            }
            End::Top => word >> (64 - of),
            End::Low => word >> (64 - width) & (u64::MAX >> (64 - of)),
        }
    }

    /// The id of these draws. Bits without a cell are zero.
    pub(crate) fn id(&self, draws: &[u64], width: u32, end: End) -> u128 {
        let place = |run: &Run| {
            let number = self.number(draws[run.draw], width, run.of, end);
            u128::from(number >> run.after & (u64::MAX >> (64 - run.count))) << run.shift
        };
        self.runs.iter().fold(self.flipped, |id, run| id ^ place(run))
    }

    /// Computes the runs of the cells, which completes the form.
    fn finished(mut self) -> Self {
        let follows = |a: &Option<Cell>, b: &Option<Cell>| match (a, b) {
            (Some(a), Some(b)) => a.draw == b.draw && a.of == b.of && a.bit + 1 == b.bit,
            (a, b) => a.is_none() && b.is_none(),
        };
        let mut at = 0;
        self.runs.clear();
        for part in self.cells.chunk_by(follows) {
            at += part.len() as u32;
            if let Some(Cell { draw, bit, of }) = part[0] {
                let (of, count) = (u32::from(of), part.len() as u32);
                let after = of - u32::from(bit) - count;
                self.runs.push(Run { draw: usize::from(draw), of, after, count, shift: 128 - at });
            }
        }
        let of_draw = |draw| self.runs.iter().copied().filter(|run: &Run| run.draw == draw).collect();
        self.of_draw = (0..self.draws).map(of_draw).collect();
        self
    }

    /// The bits that have a cell.
    pub(crate) fn mask(&self) -> u128 {
        self.cells.iter().fold(0, |mask, cell| mask << 1 | u128::from(cell.is_some()))
    }

    /// The known bits of a draw's number in this id: the number, which of its bits are known, and its width.
    pub(crate) fn seen(&self, id: u128, draw: usize, known: u128) -> (u64, u64, u32) {
        let id = id ^ self.flipped;
        let (mut number, mut mask, mut of) = (0, 0, 0);
        for run in &self.of_draw[draw] {
            let cut = |bits: u128| ((bits >> run.shift) as u64 & (u64::MAX >> (64 - run.count))) << run.after;
            number |= cut(id);
            mask |= cut(known);
            of = run.of;
        }
        (number & mask, mask, of)
    }

    /// The numbers of a draw that an id may show: the bits that it does not show are tried.
    pub(super) fn candidates(&self, id: u128, draw: usize, known: u128) -> impl Iterator<Item = u64> {
        let (number, mask, of) = self.seen(id, draw, known);
        let hidden = (u64::MAX >> (64 - of)) & !mask;
        let next = move |bits: &u64| {
            let bits = bits.wrapping_sub(hidden) & hidden;
            (bits != 0).then_some(bits)
        };
        std::iter::successors(Some(0), next).map(move |bits| number | bits)
    }
}

/// The forms of UUIDs, the most frequent ones first.
pub(crate) static FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let hyphen = |place: usize| [8, 13, 18, 23].contains(&place);
    let snippet = || Form::digits("4 bits of each of 31 numbers", |place| !hyphen(place) && place != 14);
    let all = || Form::digits("4 bits of each of 32 numbers", |place| !hyphen(place));
    let bytes = || Form::widths("8 bits of each of 16 numbers", &[8; 16]);
    let sixteens = || Form::widths("16 bits of each of 8 numbers", &[16; 8]);
    let little = || Form::little("32 bits of each of 4 numbers, the lowest byte first", 4);
    let big = || Form::widths("32 bits of each of 4 numbers", &[32; 4]);
    let longs = || Form::widths("64 bits of each of 2 numbers", &[64; 2]);
    let little_longs = || Form::little("64 bits of each of 2 numbers, the lowest byte first", 8);
    // The digit of the variant is made from the character of another one, which is not always a number.
    let mut every = Form::digits("4 bits of each of 36 numbers", |_| true);
    every.cells[64..68].fill(None);
    let mut forms = vec![
        snippet(),
        all(),
        Form::digits("4 bits of each of 30 numbers", |place| !hyphen(place) && ![14, 19].contains(&place)),
        every,
        bytes(),
        little(),
        sixteens(),
        big(),
        big().reversed(),
        longs(),
        little_longs(),
        longs().reversed(),
        little_longs().reversed(),
        little().reversed(),
        snippet().reversed(),
        all().reversed(),
        bytes().reversed(),
        sixteens().reversed(),
        bytes().guid(),
        little().guid(),
        little_longs().guid(),
    ];
    // Version and variant are put before a shorter number.
    for (third, fourth) in [(12, 14), (12, 16), (16, 14)] {
        let mut short = sixteens();
        short.name =
            format!("16 bits of each of 8 numbers, but {third} and {fourth} of the fourth and fifth");
        short.put(3, third, 0, third, 64 - third);
        short.put(4, fourth, 0, fourth, 80 - fourth);
        forms.push(short);
    }
    for widths in [
        &[32, 16, 16, 16, 48][..],
        &[32, 16, 16, 16, 16, 32],
        &[32, 16, 16, 8, 8, 48],
        &[32, 16, 16, 8, 8, 16, 32],
    ] {
        let names: Vec<_> = widths.iter().map(usize::to_string).collect();
        forms.push(Form::widths(format!("{} bits of {} numbers", names.join(", "), widths.len()), widths));
        let mut short = Form::widths(
            format!(
                "{} bits of {} numbers, with the version before the third",
                names.join(", "),
                widths.len()
            ),
            widths,
        );
        short.put(2, 12, 0, 12, 52);
        if widths[3] == 16 {
            short.put(3, 14, 0, 14, 66);
        }
        forms.push(short);
    }
    // Six digits of each number, the lowest one first.
    let mut sixes = Form::new("24 bits of each of 6 numbers, the lowest digit first", 6);
    for (n, digit) in (0..32).filter(|&digit| digit != 12).enumerate() {
        sixes.put(n / 6, 24, 20 - 4 * (n % 6), 4, 4 * digit);
    }
    forms.push(sixes);
    let mut scaled = little();
    scaled.name = "the whole part of each of 4 fractions times 2^32 − 1, the lowest byte first".into();
    scaled.is_scaled = true;
    forms.push(scaled);
    // 1e7 + -1e3 + -4e3 + -8e3 + -1e11, whose digits are combined with the numbers by exclusive or.
    let mut ones = snippet();
    ones.name += ", three of them with their lowest bit inverted";
    ones.flipped = 1 << 124 | 1 << 92 | 1 << 44;
    forms.push(ones);
    // Snippets that add digits of the time to all but the last ones.
    let mut last = snippet();
    last.name = "4 bits of each of 31 numbers, to which digits of the time are added".into();
    last.cells[..92].fill(None);
    forms.push(last);
    forms.into_iter().map(Form::finished).collect()
});

/// The forms of ULIDs.
pub(crate) static ULID_FORMS: LazyLock<Vec<Form>> = LazyLock::new(|| {
    let mut digits = Form::new("5 bits of each of 16 numbers", 16);
    for digit in 0..16 {
        digits.put(digit, 5, 0, 5, 48 + 5 * digit);
    }
    let mut bytes = Form::new("8 bits of each of 10 numbers", 10);
    for byte in 0..10 {
        bytes.put(byte, 8, 0, 8, 48 + 8 * byte);
    }
    vec![digits.clone().reversed().finished(), digits.finished(), bytes.finished()]
});
