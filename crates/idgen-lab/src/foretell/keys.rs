//! The keys of a load, from the real generators.

use super::Load;
use crate::key::Key;
use crate::strategy::{Column, IdKind, Ids, Strategy};
use crate::{Result, Workload};

/// The keys of all writers in turn.
pub(super) struct Keys {
    ids: Vec<Ids>,
    turn: usize,
    /// The rows lie in the order of a number, whatever their ids.
    counted: bool,
    assigned: u64,
    /// So many prefixes, the first two bytes, are one.
    crowd: u64,
    buffer: [u8; crate::TEXT_LEN],
}

impl Keys {
    pub(super) fn new(strategy: &Strategy, load: &Load, crowd: u64) -> Result<Keys> {
        let workload = workload(strategy, load)?;
        let ids = (0..workload.writers).map(|writer| Ids::of_writer(strategy, &workload, writer));
        Ok(Keys {
            ids: ids.collect::<Result<_>>()?,
            turn: 0,
            counted: strategy.column == Column::Unkeyed16,
            assigned: 0,
            crowd,
            buffer: [0; crate::TEXT_LEN],
        })
    }

    pub(super) fn next_key(&mut self) -> Result<&[u8]> {
        let key = self.ids[self.turn].next_key()?;
        self.turn = (self.turn + 1) % self.ids.len();
        let key = if self.counted { Key::Assigned } else { key };
        let len = match &key {
            Key::Assigned => {
                self.assigned += 1;
                self.keep(&self.assigned.to_be_bytes())
            }
            Key::Uint(number) => self.keep(&number.to_be_bytes()),
            Key::Binary(bytes) => self.keep(bytes),
            Key::Text(text) => self.keep(text.as_bytes()),
        };
        if self.crowd > 1 {
            let prefix = u64::from(u16::from_be_bytes([self.buffer[0], self.buffer[1]])) / self.crowd;
            self.buffer[..2].copy_from_slice(&(prefix as u16).to_be_bytes());
        }
        Ok(&self.buffer[..len])
    }

    fn keep(&mut self, bytes: &[u8]) -> usize {
        self.buffer[..bytes.len()].copy_from_slice(bytes);
        bytes.len()
    }
}

/// The writers and the simulated time of the run, so that ids are made at this load's rate.
fn workload(strategy: &Strategy, load: &Load) -> Result<Workload> {
    let interval_secs = if strategy.ids == IdKind::Week { 7.0 * 86_400.0 } else { 60.0 };
    let intervals = (load.rows as f64 / load.rate / interval_secs).ceil().max(1.0);
    let mut workload = Workload::of_rows(Load::MIN_ROWS)?;
    // A run shorter than its last interval would spread over the whole of it: these are the rows of whole intervals.
    workload.rows = ((load.rate * intervals * interval_secs).ceil() as u64).max(1);
    workload.intervals = intervals as u32;
    workload.devices = load.writers as u32;
    // Devices take turns inside one generator.
    workload.writers = if strategy.ids == IdKind::Device { 1 } else { workload.devices };
    Ok(workload)
}
