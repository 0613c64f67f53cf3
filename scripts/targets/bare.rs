//! What a program without an operating system does with the library: its own clock, randomness and state.
#![no_std]

use core::time::Duration;

use idgen::generator::{DeviceShort, Generate, MysqlShort, V1, V4, V6, V7};
use idgen::source::{Clock, Entropy, FixedClock, FixedEntropy, MemoryState};
use idgen::{Result, ShortId, Timestamp, Uuid};

/// Counts milliseconds in an interrupt, say.
pub struct Timer;

impl Clock for Timer {
    fn now(&self) -> Timestamp {
        Timestamp::from_date(2026, 11, 25)
    }

    fn sleep(&self, _: Duration) {}
}

/// Reads a hardware generator, say.
pub struct Noise(u8);

impl Entropy for Noise {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<()> {
        bytes.fill_with(|| {
            self.0 = self.0.wrapping_mul(5).wrapping_add(1);
            self.0
        });
        Ok(())
    }
}

#[unsafe(no_mangle)]
pub fn ids() -> Result<(Uuid, Uuid, Uuid, Uuid)> {
    let v1 = V1::new(Timer, Noise(1)).next_id()?;
    let state = MemoryState::default();
    let v6 = V6::new(Timer, Noise(6)).with_state(&state)?.next_id()?;
    Ok((v1, V4::new(Noise(4)).next_id()?, v6, V7::new(Timer, FixedEntropy::new(7)).next_id()?))
}

#[unsafe(no_mangle)]
pub fn short_ids() -> Result<(ShortId, ShortId)> {
    let clock = FixedClock::new(Timer.now());
    Ok((DeviceShort::new(Timer, Noise(2))?.next_id()?, MysqlShort::new(&clock, 3)?.next_id()?))
}

#[unsafe(no_mangle)]
pub fn text(id: &Uuid, text: &mut [u8; 36]) -> Result<Uuid> {
    idgen::codec::hyphenated::encode(id, text);
    idgen::codec::hyphenated::decode(&text[..])
}
