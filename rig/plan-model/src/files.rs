//! The effects of the statements of each file.

use crate::operator::Defect;
use crate::world::{FILES, File, Running, State, World};

impl World {
    /// The guard: whether the file may be executed now.
    pub(crate) fn may_begin(&self, file: File, is_undo: bool, defect: Option<Defect>) -> bool {
        let changes = || FILES.into_iter().filter(|other| !other.only_reads());
        if is_undo {
            return changes().all(|other| other <= file || self.state(other) == State::New)
                && self.state(file) != State::New;
        }
        if file == File::Triggers && defect == Some(Defect::TriggersAgain) {
            return self.has_new;
        }
        let before = changes().filter(|other| *other < file).all(|other| self.state(other) == State::Done);
        let after = changes().filter(|other| *other > file).all(|other| self.state(other) == State::New);
        let own = file.only_reads() || matches!(self.state(file), State::New | State::Open);
        before && (after || file.only_reads()) && own && self.facts(file, defect)
    }

    fn facts(&self, file: File, defect: Option<Defect>) -> bool {
        let unchanged = self.unchanged;
        let kept = self.forward && unchanged.since_triggers;
        match file {
            File::NewTables => !self.forward && !self.back && !self.is_renamed,
            File::Triggers => self.has_new && !self.is_renamed,
            File::Copy | File::Verify | File::TriggersBack => !self.is_renamed && kept,
            File::Rename => {
                self.state(File::Verify) == State::Done || defect == Some(Defect::RenameWithoutVerify)
            }
            File::VerifyRenamed => self.is_renamed && !self.is_ending && self.back,
            File::Finish => {
                self.is_ending
                    || self.state(File::VerifyRenamed) == State::Done
                    || defect == Some(Defect::FinishWithoutVerify)
            }
        }
    }

    fn may_rename(&self, defect: Option<Defect>) -> bool {
        let of = self.unchanged;
        let signature = of.since_triggers && self.forward && self.back && of.since_verify && of.since_back;
        let signature = match defect {
            Some(Defect::SignatureIgnored) => true,
            Some(Defect::RenameWithoutVerify) => {
                of.since_triggers && self.forward && self.back && of.since_back
            }
            _ => signature,
        };
        signature && !self.old_differs && !self.new_differs
    }

    fn may_rename_back(&self, defect: Option<Defect>) -> bool {
        let of = self.unchanged;
        let is_current =
            of.since_rename || self.state(File::VerifyRenamed) == State::Done && of.since_verify_renamed;
        (is_current || defect == Some(Defect::UndoWithoutSignature))
            && (!self.new_differs || defect == Some(Defect::UndoWithoutCompare))
    }

    /// Records that the file has begun.
    pub(crate) fn begin_file(&mut self, file: File, is_undo: bool) {
        self.set(file, if is_undo { State::Undoing } else { State::Open });
        if !file.only_reads() {
            FILES
                .into_iter()
                .filter(|other| *other > file && other.only_reads())
                .for_each(|other| self.set(other, State::New));
        }
        match file {
            File::Rename if !is_undo => (self.is_recorded, self.unchanged.since_rename) = (false, false),
            File::Verify => self.unchanged.since_verify = true,
            File::VerifyRenamed => self.unchanged.since_verify_renamed = true,
            _ => {}
        }
        self.running = Some(Running { file, is_undo, at: 0 });
    }

    /// The next statement of the file that is executed. It ends the file where it refuses.
    pub(crate) fn step(&mut self, running: Running, defect: Option<Defect>) {
        self.running = Some(Running { at: running.at + 1, ..running });
        let goes_on = match running.is_undo {
            true => self.undo_step(running, defect),
            false => self.do_step(running, defect),
        };
        if !goes_on {
            self.running = None;
        }
    }

    fn do_step(&mut self, Running { file, at, .. }: Running, defect: Option<Defect>) -> bool {
        match (file, at) {
            (File::NewTables, 0) => {
                self.has_new = false;
                self.empty_new();
            }
            (File::NewTables, 1) => self.has_new = true,
            (File::Triggers, 0) => {
                self.drop_forward();
                self.empty_new();
            }
            (File::Triggers, 1) => self.forward = true,
            // One that was prepared before the triggers.
            (File::Triggers, 2)
                if self.prepared.is_some_and(|prepared| !prepared.in_new)
                    && defect != Some(Defect::PreparedIgnored) =>
            {
                return false;
            }
            (File::Triggers, 2) if self.forward => self.unchanged.since_triggers = true,
            (File::Triggers, 2) => return false,
            (File::Copy, 0) => self.new |= self.old,
            (File::Copy, 1) if !(self.forward && self.unchanged.since_triggers) => return false,
            (File::Verify | File::VerifyRenamed, 0) if self.old != self.new => return false,
            (File::Verify, 1) if !self.unchanged.since_verify => return false,
            (File::VerifyRenamed, 1) if !self.unchanged.since_verify_renamed => return false,
            (File::Verify | File::VerifyRenamed, 0) => self.is_tampered = false,
            (File::TriggersBack, 0) => self.back = true,
            (File::TriggersBack, 1) if self.back => {
                (self.unchanged.since_back, self.new_differs) = (true, false)
            }
            (File::TriggersBack, 1) => return false,
            (File::Rename, 0) if !self.is_renamed && !self.may_rename(defect) => {
                self.set(File::Rename, State::New);
                return false;
            }
            (File::Rename, 1) => self.is_renamed = true,
            (File::Rename, 2) if !self.may_rename(defect) && defect != Some(Defect::NoCheckAfterRename) => {
                // Rows may be in the new table only: it stays renamed.
                if self.back && self.unchanged.since_back {
                    (self.is_renamed, self.was_faster) = (false, true);
                    self.set(File::Rename, State::New);
                }
                return false;
            }
            (File::Rename, 2) => {
                self.has_lost |= self.old_differs;
                (self.is_recorded, self.unchanged.since_rename) = (true, true);
            }
            (File::Finish, 0) => {
                let is_verified =
                    self.unchanged.since_verify_renamed || defect == Some(Defect::FinishWithoutVerify);
                if !self.is_ending && !is_verified {
                    return false;
                }
                self.is_ending = true;
            }
            (File::Finish, 1) => self.drop_back(),
            (File::Finish, 2) => (self.has_old, self.old) = (false, 0),
            (
                File::NewTables
                | File::Copy
                | File::Verify
                | File::VerifyRenamed
                | File::TriggersBack
                | File::Rename,
                0..=2,
            ) if at < last(file) => {}
            _ => {
                self.set(file, State::Done);
                return false;
            }
        }
        if at == last(file) {
            self.set(file, State::Done);
            return false;
        }
        true
    }

    fn undo_step(&mut self, Running { file, at, .. }: Running, defect: Option<Defect>) -> bool {
        match (file, at) {
            (File::NewTables, 0) => {
                self.has_new = false;
                self.empty_new();
            }
            (File::Triggers, 0) => self.drop_forward(),
            (File::Triggers, 1) => self.empty_new(),
            (File::TriggersBack, 0) => self.drop_back(),
            (File::Rename, 0) if self.is_renamed && (self.is_ending || !self.may_rename_back(defect)) => {
                self.set(File::Rename, if self.is_recorded { State::Done } else { State::Open });
                return false;
            }
            (File::Rename, 0) if !self.is_renamed && !self.is_recorded => {
                self.set(file, State::New);
                return false;
            }
            (File::Rename, 1) => self.is_renamed = false,
            (File::Rename, 2)
                if !self.may_rename_back(defect) && defect != Some(Defect::NoCheckAfterRename) =>
            {
                if self.forward && self.unchanged.since_verify {
                    (self.is_renamed, self.was_faster) = (true, true);
                    self.set(File::Rename, State::Done);
                }
                return false;
            }
            (File::Rename, 2) => self.has_lost |= self.new_differs,
            _ => {}
        }
        if at >= 2 {
            self.set(file, State::New);
            return false;
        }
        true
    }
}

/// The last statement of a file.
fn last(file: File) -> u8 {
    match file {
        File::NewTables | File::Copy | File::Verify | File::VerifyRenamed | File::TriggersBack => 1,
        File::Triggers | File::Rename | File::Finish => 2,
    }
}
