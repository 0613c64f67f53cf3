//! The folder that a plan was written to.

use std::path::{Path, PathBuf};

use crate::plan::data::{Direction, Engine, Plan, Step};
use crate::plan::folder::PLAN_FILE;
use crate::plan::postgres::change::ABANDON;
use crate::plan::status::{State, Status};
use idgen_database::{Error, Result};

/// The folder of a plan, with the plan that its `plan.json` holds.
pub struct Folder {
    path: PathBuf,
    plan: Plan,
}

impl Folder {
    /// Reads `plan.json`.
    ///
    /// # Errors
    ///
    /// There is no such folder, it has no plan, the plan is of another version of idgen, or it has no ledger.
    pub fn open(path: &Path) -> Result<Folder> {
        let file = path.join(PLAN_FILE);
        let json = std::fs::read_to_string(&file).map_err(|error| {
            Error::of(
                format!("cannot read {}, which `idgen plan --out FOLDER` writes", file.display()),
                error,
            )
        })?;
        let plan: Plan = serde_json::from_str(&json).map_err(|error| {
            Error::of(
                format!(
                    "{} is not the plan of this version of idgen: execute the files with the server's client",
                    file.display()
                ),
                error,
            )
        })?;
        if !plan.has_ledger() {
            return Err(Error::new(format!(
                "the plan in {} records nothing in the database, so it cannot be continued: execute its files with the server's client",
                path.display()
            )));
        }
        Ok(Folder { path: path.to_owned(), plan })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The step at a place, and the name of one of its files; `None` behind the last.
    pub fn step(&self, at: usize, direction: Direction) -> Option<(&Step, String)> {
        let step = self.plan.steps.get(at)?;
        Some((step, self.plan.name(at, step, direction)))
    }

    /// The place of a step, which is named as `rename` or as its file is.
    ///
    /// # Errors
    ///
    /// There is no such step; the message lists them.
    pub fn find(&self, name: &str) -> Result<usize> {
        let found = (0..self.plan.steps.len()).find(|at| {
            self.step(*at, Direction::Forward).is_some_and(|(step, file)| {
                step.name == name || file == name || file.trim_end_matches(".sql") == name
            })
        });
        found.ok_or_else(|| {
            let names: Vec<_> = self.plan.steps.iter().map(|step| step.name.as_str()).collect();
            Error::new(format!("the plan has no step {name}: it has {}", names.join(", ")))
        })
    }

    /// Fails if the file of a step is not the one that was written.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or its text is not that of the plan.
    pub fn unchanged(&self, at: usize, direction: Direction) -> Result<()> {
        let Some(step) = self.plan.steps.get(at) else { return Ok(()) };
        let (name, text) = self.plan.file(at, step, direction);
        let path = self.path.join(&name);
        let found = std::fs::read_to_string(&path)
            .map_err(|error| Error::of(format!("cannot read {}", path.display()), error))?;
        match found == text {
            true => Ok(()),
            false => Err(Error::new(format!(
                "{name} is not the file that this version of idgen writes for the plan: it was changed by hand, or written by another \
                 version. Execute it with the server's client, and this command again after it"
            ))),
        }
    }

    /// The place of the step that comes next by the ledger, or `None` after the last one. `executed` is the place of the step that was
    /// just executed: a ledger that is not there may be finished, or not begun.
    ///
    /// # Errors
    ///
    /// A way back was begun, or the ledger has a step that the plan has not.
    pub fn next(&self, ledger: Option<&Status>, executed: Option<usize>) -> Result<Option<usize>> {
        let after = executed.map_or(0, |at| at + 1);
        let Some(ledger) = ledger else {
            return Ok(Some(after).filter(|at| *at < self.plan.steps.len()));
        };
        if let Some(step) = ledger.steps.iter().find(|step| step.state == State::StoppedBack) {
            return Err(Error::new(format!(
                "undo/{} was begun and did not end: execute it with the server's client first, or go all the way back with --back",
                step.file
            )));
        }
        if ledger.next.as_deref() == Some(ABANDON) {
            return Err(Error::new(format!(
                "{}: execute it with the server's client",
                ledger.blocked.join("; ")
            )));
        }
        match &ledger.next {
            Some(file) => self.find(file.trim_start_matches("undo/")).map(Some),
            None => Err(Error::new(match ledger.unread.first() {
                Some(why) => format!("the ledger of the plan cannot be read. {why}"),
                None => "the ledger of the plan names no next file: execute it with the server's client"
                    .to_owned(),
            })),
        }
    }

    /// The place of the step whose way back comes next; `None` if none is left. `executed` is the place of the one that was just executed.
    ///
    /// On PostgreSQL the way back of the switch leaves parts of the steps before it, which the ledger has as not executed, so their ways
    /// back are executed in any case: where nothing is left they do nothing.
    ///
    /// # Errors
    ///
    /// There is no ledger, because the plan has not begun, was undone or is finished; or the ledger cannot be read.
    pub fn back(&self, ledger: Option<&Status>, executed: Option<usize>) -> Result<Option<usize>> {
        let Some(ledger) = ledger else {
            // The last way back removes the ledger.
            return match executed {
                Some(_) => Ok(None),
                None => Err(Error::new(format!(
                    "this database has no ledger of the plan {}: no step of it was executed, or all were undone, or it is finished and \
                     has no way back",
                    self.plan.id
                ))),
            };
        };
        if let Some(why) = ledger.unread.first().filter(|_| ledger.next.is_none()) {
            return Err(Error::new(format!("the ledger of the plan cannot be read. {why}")));
        }
        let standing: Vec<usize> = ledger
            .steps
            .iter()
            .filter(|step| step.state != State::New)
            .map(|step| self.find(&step.file))
            .collect::<Result<_>>()?;
        let switch = self.plan.steps.iter().position(|step| step.name == "switch");
        let may_have_parts = |at: &usize| self.plan.engine == Engine::Postgres && Some(*at) < switch;
        let mut before = (0..executed.unwrap_or(self.plan.steps.len())).rev();
        Ok(before.find(|at| {
            !self.plan.steps[*at].undo.is_empty() && (standing.contains(at) || may_have_parts(at))
        }))
    }
}
