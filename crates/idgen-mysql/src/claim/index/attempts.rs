//! The state of one call over its attempts: the ids that it may have stored, those that it skipped, and whether it has
//! read the map.

use crate::call::observe;
use crate::call::retry::Retries;
use crate::claim::context::{ACTION, Context};
use crate::claim::index::taken::TakenIds;
use crate::claim::pair::Guess;
use crate::error::Result;
use crate::error::failure::Failure;
use crate::error::numbers::Verdict;

/// The attempts of one call to map UUIDs to ids.
pub(super) struct Attempts<'c> {
    context: &'c Context,
    guess: Guess,
    /// True after the map was read and lacked some of the UUIDs.
    looked: bool,
    retries: Retries,
    taken: TakenIds,
    /// Ids that statements without an answer may have stored.
    unclear: Vec<u64>,
}

impl<'c> Attempts<'c> {
    pub(super) fn new(context: &'c Context, guess: Guess) -> Attempts<'c> {
        Attempts {
            context,
            guess,
            looked: false,
            retries: Retries::new(context.deadline),
            taken: TakenIds::default(),
            unclear: Vec::new(),
        }
    }

    /// Returns the map's epoch, and as many ids to store, taken in that epoch. Without ids, the next attempt has to read
    /// the map: the caller expects the UUIDs there, or ids cannot be had, and the UUIDs may have ids already.
    pub(super) async fn propose(&mut self, count: usize) -> Result<(u64, Vec<u64>)> {
        if self.guess == Guess::New {
            let epoch = self.context.now();
            if let Some(ids) = self.context.propose(count, self.looked).await? {
                return Ok((epoch, ids));
            }
            self.guess = Guess::Known;
        }
        Ok((self.context.now(), Vec::new()))
    }

    /// Records that the map was read: UUIDs that it lacked need ids.
    pub(super) fn has_looked(&mut self) {
        (self.guess, self.looked) = (Guess::New, true);
    }

    /// Returns true if an earlier attempt of this call may have stored a pair with this id, so that the pair is new.
    pub(super) fn may_have_stored(&self, id: u64) -> bool {
        self.unclear.contains(&id)
    }

    /// Skips `count` ids, of which `id` is the smallest and at least one is in the map with another UUID.
    ///
    /// # Errors
    /// The map is damaged.
    pub(super) fn pass_over(&mut self, id: u64, count: usize) -> Result<()> {
        self.taken.pass_over(self.context, id, count)
    }

    /// Returns true if ids were skipped so often that there may be another reason.
    pub(super) fn skipped_many(&self) -> bool {
        self.taken.are_many()
    }

    /// Decides what becomes of the ids of a failed attempt, and waits before the next one. Ids that the server may have
    /// stored, or has `stored` for certain, are never used for another UUID.
    ///
    /// # Errors
    /// The failure is final, or the time of the call is over.
    pub(super) async fn failed(
        &mut self,
        epoch: u64,
        ids: Vec<u64>,
        stored: bool,
        failure: Failure,
    ) -> Result<()> {
        if stored || failure.verdict() == Verdict::Unknown {
            observe::burned(ids.len() as u64);
            self.unclear.extend(ids);
        } else {
            self.context.blocks.give_back(epoch, ids);
        }
        if self.guess == Guess::New && self.context.look_instead(&failure, self.looked) {
            self.guess = Guess::Known;
            return Ok(());
        }
        self.retries.after(ACTION, failure).await
    }
}
