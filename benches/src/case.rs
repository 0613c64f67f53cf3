//! A case is one implementation of one operation, with a check of its results that runs before the timing.

use anyhow::{Result, ensure};

/// How many ids a case processes in one pass.
pub const IDS: usize = 1024;

/// A chapter of the report.
pub struct Section {
    /// Its name on the command line and in the report's markers.
    pub name: &'static str,
    /// The explanation before the table.
    pub about: &'static str,
    /// Creates the cases with their input.
    pub groups: fn() -> Vec<Group>,
    /// Whether our case with these names of group and case takes the same number of instructions each time. A
    /// case that reads the clock does not.
    pub repeats_exactly: fn(&str, &str) -> bool,
}

/// Implementations of one operation.
pub struct Group {
    /// The operation.
    pub name: &'static str,
    /// The implementations; the names are unique in the group.
    pub cases: Vec<Case>,
    /// What our implementations must reach.
    pub targets: Vec<Target>,
}

/// One implementation.
pub struct Case {
    /// The implementation. The names of our own begin with `idgen`.
    pub name: &'static str,
    /// Processes [`IDS`] ids and passes each result to `black_box`.
    pub pass: Box<dyn FnMut()>,
    /// Compares the results for all ids of a pass with a simple reference.
    pub check: Box<dyn Fn() -> Result<()>>,
}

/// `peer` must take at least `times` as long as `ours`.
pub struct Target {
    /// The name of our case.
    pub ours: &'static str,
    /// The name of the peer's.
    pub peer: &'static str,
    /// The lowest ratio that reaches the target.
    pub times: f64,
}

impl Case {
    /// Whether this is one of our implementations.
    pub fn is_ours(&self) -> bool {
        self.name.starts_with("idgen")
    }
}

/// Checks that two lists of results are equal.
pub fn same<T: PartialEq + std::fmt::Debug>(found: &[T], wanted: &[T]) -> Result<()> {
    ensure!(found.len() == wanted.len(), "{} results instead of {}", found.len(), wanted.len());
    for (index, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        ensure!(found == wanted, "result {index} is {found:?} instead of {wanted:?}");
    }
    Ok(())
}

/// Ids with random bits, the same on every run.
pub fn sample_ids() -> Vec<uuid::Uuid> {
    // SplitMix64: enough to keep branch predictors and caches from learning the values.
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut next = move || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    };
    (0..IDS)
        .map(|_| {
            uuid::Builder::from_random_bytes((u128::from(next()) << 64 | u128::from(next())).to_be_bytes())
                .into_uuid()
        })
        .collect()
}

/// Makes the compiler believe that the bytes of `value` have been read and written.
///
/// `black_box(value)` does the same, but sends the pointer through memory. That takes longer than some of the
/// codecs, and would hide the differences between them.
#[inline(always)]
pub fn touch<T: ?Sized>(value: &mut T) {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: there is no instruction, and what it might do to memory is true of `value`'s owner.
    unsafe {
        std::arch::asm!("/* {0} */", in(reg) std::ptr::from_mut(value).cast::<u8>(), options(nostack, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    std::hint::black_box(value);
}
