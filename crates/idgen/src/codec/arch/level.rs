//! Selects the instruction set to use. On x86-64 it is detected once; later checks take one load
//! and a comparison. On other machines it is a constant.

/// An instruction set that this processor has.
///
/// A value proves that, because only [`Level::best`] and [`Level::available`] create values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Level(Set);

/// The instruction sets, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Set {
    Portable,
    #[cfg(all(idgen_simd, target_arch = "x86_64"))]
    Ssse3,
    #[cfg(all(idgen_simd, target_arch = "x86_64"))]
    Avx2,
    #[cfg(all(idgen_simd, target_arch = "x86_64"))]
    Vbmi,
    #[cfg(all(idgen_simd, target_arch = "aarch64"))]
    Neon,
}

impl Level {
    #[inline]
    pub(super) fn set(self) -> Set {
        self.0
    }
}

#[cfg(not(all(idgen_simd, target_arch = "x86_64")))]
mod constant {
    use super::{Level, Set};

    /// The instruction set that the program was compiled for: there is nothing to detect.
    const ALL: &[Set] = &[
        Set::Portable,
        #[cfg(all(idgen_simd, target_arch = "aarch64"))]
        Set::Neon,
    ];

    impl Level {
        /// The fastest one.
        #[inline]
        pub(crate) fn best() -> Level {
            Level(ALL[ALL.len() - 1])
        }

        /// Has no effect here, because the instruction set is a constant.
        #[cfg(any(test, feature = "_limit"))]
        pub(crate) fn limit(_place: usize) {}

        /// All levels that this machine can run, the slowest first. Tests force each of them.
        #[cfg(test)]
        pub(crate) fn available() -> impl Iterator<Item = Level> {
            ALL.iter().copied().map(Level)
        }
    }
}

#[cfg(all(idgen_simd, target_arch = "x86_64"))]
mod x86_64 {
    use core::sync::atomic::{AtomicU8, Ordering};

    use super::{Level, Set};

    /// True if the processor has a feature. With `std` this is detected at run time; without, it is what the compiler
    /// may assume.
    macro_rules! has {
        ($feature:tt) => {{
            #[cfg(feature = "std")]
            let has = std::arch::is_x86_feature_detected!($feature);
            #[cfg(not(feature = "std"))]
            let has = cfg!(target_feature = $feature);
            has
        }};
    }

    /// 0 before the first call, then one more than the index in [`ALL`].
    static BEST: AtomicU8 = AtomicU8::new(0);

    const ALL: [Set; 4] = [Set::Portable, Set::Ssse3, Set::Avx2, Set::Vbmi];

    impl Level {
        /// The fastest one.
        #[inline]
        pub(crate) fn best() -> Level {
            // The memory order does not matter: every thread detects the same level.
            if BEST.load(Ordering::Relaxed) == 4 {
                return Level(Set::Vbmi);
            }
            // Loaded again, or the compiler would make one table of all cases, with two jumps before the first.
            if BEST.load(Ordering::Relaxed) == 3 {
                return Level(Set::Avx2);
            }
            other()
        }

        /// From now on, uses no better level than that with index `place` (0 is the portable one). For measurements.
        #[cfg(any(test, feature = "_limit"))]
        pub(crate) fn limit(place: usize) {
            let Level(best) = detect();
            let place = ALL.iter().take(place + 1).filter(|&&set| set <= best).count();
            BEST.store(place as u8, Ordering::Relaxed);
        }

        /// All levels that this machine can run, the slowest first. Tests force each of them.
        #[cfg(test)]
        pub(crate) fn available() -> impl Iterator<Item = Level> {
            let Level(best) = detect();
            ALL.into_iter().filter(move |&set| set <= best).map(Level)
        }
    }

    /// A level that is not one of the two best, or was not known.
    #[cold]
    fn other() -> Level {
        match BEST.load(Ordering::Relaxed) {
            // Another thread has detected it in between.
            4 => Level(Set::Vbmi),
            3 => Level(Set::Avx2),
            2 => Level(Set::Ssse3),
            1 => Level(Set::Portable),
            _ => detect(),
        }
    }

    #[cold]
    fn detect() -> Level {
        let ssse3 = has!("ssse3");
        let avx2 = ssse3 && has!("avx2");
        let vbmi = avx2 && has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512vbmi");
        let place = usize::from(ssse3) + usize::from(avx2) + usize::from(vbmi);
        BEST.store(place as u8 + 1, Ordering::Relaxed);
        Level(ALL[place])
    }
}
