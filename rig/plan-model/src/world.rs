//! Tables, triggers and the ledger.

/// The files of a plan of one table, without the first one, which only reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum File {
    NewTables,
    Triggers,
    Copy,
    Verify,
    TriggersBack,
    Rename,
    VerifyRenamed,
    Finish,
}

pub(crate) const FILES: [File; 8] = [
    File::NewTables,
    File::Triggers,
    File::Copy,
    File::Verify,
    File::TriggersBack,
    File::Rename,
    File::VerifyRenamed,
    File::Finish,
];

impl File {
    pub(crate) fn only_reads(self) -> bool {
        matches!(self, File::Verify | File::VerifyRenamed)
    }
}

/// The state of a step in the ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum State {
    #[default]
    New,
    Open,
    Done,
    Undoing,
}

/// True for each recorded signature that is still the current one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Unchanged {
    pub(crate) since_triggers: bool,
    pub(crate) since_verify: bool,
    pub(crate) since_back: bool,
    pub(crate) since_rename: bool,
    pub(crate) since_verify_renamed: bool,
}

/// A file that is executed, and how many of its statements are done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Running {
    pub(crate) file: File,
    pub(crate) is_undo: bool,
    pub(crate) at: u8,
}

/// A transaction that is prepared (XA), and that no lock stops: the tables in which its row is when it is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Prepared {
    row: u8,
    in_old: bool,
    pub(crate) in_new: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct World {
    /// Bits of rows.
    pub(crate) acknowledged: u8,
    pub(crate) old: u8,
    pub(crate) new: u8,
    pub(crate) prepared: Option<Prepared>,
    pub(crate) has_new: bool,
    pub(crate) has_old: bool,
    pub(crate) is_renamed: bool,
    pub(crate) is_ending: bool,
    pub(crate) forward: bool,
    pub(crate) back: bool,
    pub(crate) ledger: [State; 8],
    pub(crate) unchanged: Unchanged,
    pub(crate) running: Option<Running>,
    /// Somebody changed objects that are attached to the old table since the plan, and to the new one since
    /// `triggers-back`.
    pub(crate) old_differs: bool,
    pub(crate) new_differs: bool,
    /// Somebody deleted rows of the new table after they were compared, which no file can know before the next comparison.
    pub(crate) is_tampered: bool,
    /// An object that was attached to a table was lost without a message.
    pub(crate) has_lost: bool,
    /// The ledger has the signature of the renaming.
    pub(crate) is_recorded: bool,
    /// It renamed back at once.
    pub(crate) was_faster: bool,
    /// The number of writes of clients, and of events of others, that may still happen.
    pub(crate) writes: u8,
    pub(crate) events: u8,
}

impl World {
    pub(crate) fn begin() -> World {
        World { acknowledged: 1, old: 1, has_old: true, writes: 2, events: 2, ..World::default() }
    }

    pub(crate) fn state(&self, file: File) -> State {
        self.ledger[file as usize]
    }

    pub(crate) fn set(&mut self, file: File, state: State) {
        self.ledger[file as usize] = state;
    }

    /// The rows that the application reads.
    pub(crate) fn read(&self) -> u8 {
        if self.is_renamed { self.new } else { self.old }
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.state(File::Finish) == State::Done
    }

    /// A client inserts a row, and the triggers that are there repeat it.
    pub(crate) fn write(&mut self) {
        self.prepare();
        self.commit();
    }

    /// A client inserts a row, which nobody sees before the transaction is committed. The triggers that are there repeat it.
    pub(crate) fn prepare(&mut self) {
        let row = 1 << (3 - self.writes);
        self.writes -= 1;
        let (in_old, in_new) = match self.is_renamed {
            true => (self.back && !self.is_ending && self.has_old, true),
            false => (true, self.forward && self.has_new),
        };
        self.prepared = Some(Prepared { row, in_old, in_new });
    }

    pub(crate) fn commit(&mut self) {
        let Some(Prepared { row, in_old, in_new }) = self.prepared.take() else { return };
        self.acknowledged |= row;
        self.old |= if in_old && self.has_old { row } else { 0 };
        self.new |= if in_new { row } else { 0 };
    }

    /// The plan empties the new table, or removes it.
    pub(crate) fn empty_new(&mut self) {
        self.new = 0;
        self.prepared = self.prepared.map(|prepared| Prepared { in_new: false, ..prepared });
    }

    pub(crate) fn drop_forward(&mut self) {
        self.forward = false;
        self.unchanged.since_triggers = false;
        self.unchanged.since_verify = false;
    }

    pub(crate) fn drop_back(&mut self) {
        self.back = false;
        self.unchanged.since_back = false;
        self.unchanged.since_rename = false;
        self.unchanged.since_verify_renamed = false;
    }

    /// The application's table gets another number.
    pub(crate) fn truncate(&mut self) {
        match self.is_renamed {
            true => self.new = 0,
            false => self.old = 0,
        }
        self.acknowledged = 0;
        self.prepared = None;
        self.unchanged = Unchanged::default();
    }
}
