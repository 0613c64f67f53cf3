//! The instruction set of 64-bit ARM. NEON is part of each processor that runs an operating system for
//! applications, so the choice is made when the program is compiled.

#[cfg(all(target_endian = "little", target_feature = "neon"))]
pub(super) mod neon;
/// Firmware without vectors, and big-endian machines.
#[cfg(not(all(target_endian = "little", target_feature = "neon")))]
pub(super) use super::portable as neon;
