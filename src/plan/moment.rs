//! Before and after the moment of the change: a person agrees, a file postpones it, commands are called.

use std::io::{IsTerminal, Write, stdin};
use std::path::PathBuf;
use std::pin::pin;
use std::time::Duration;

use anyhow::{Context, bail};
use futures_util::future::{Either, select};
use idgen_migrate::plan::Step;
use idgen_migrate::plan::run::{Direction, Folder};

use super::interrupt::Interrupt;
use super::progress::Progress;

/// The time between two checks whether the file that postpones exists.
const BETWEEN: Duration = Duration::from_secs(1);

/// Options for what is done around the renaming, and before the last step.
#[derive(clap::Args)]
pub struct Moment {
    /// Do not ask before the renaming (on PostgreSQL: the switch), before its way back, and before the last step.
    #[arg(long, short)]
    yes: bool,

    /// Wait before the renaming or the switch while this file exists.
    #[arg(long, value_name = "FILE", conflicts_with = "back")]
    postpone: Option<PathBuf>,

    /// Execute this command of the shell before the renaming or the switch. If it fails, nothing is renamed.
    #[arg(long, value_name = "COMMAND", conflicts_with = "back")]
    before_rename: Option<String>,

    /// Execute this command of the shell after the renaming or the switch.
    #[arg(long, value_name = "COMMAND", conflicts_with = "back")]
    after_rename: Option<String>,
}

/// Returns whether clients see the change of a step at once.
fn is_moment(step: &Step) -> bool {
    matches!(step.name.as_str(), "rename" | "switch")
}

/// Returns whether a person must agree to a step.
fn needs_consent(step: &Step) -> bool {
    is_moment(step) || step.name == "finish"
}

impl Moment {
    /// Fails if nobody can be asked about one of the files that will be executed.
    pub fn can_ask(
        &self,
        folder: &Folder,
        mut steps: impl Iterator<Item = usize>,
        direction: Direction,
    ) -> anyhow::Result<()> {
        if self.yes || stdin().is_terminal() {
            return Ok(());
        }
        let asked = steps.find_map(|at| folder.step(at, direction).filter(|(step, _)| needs_consent(step)));
        let Some((_, file)) = asked else { return Ok(()) };
        let or =
            if direction == Direction::Forward { ", or choose an earlier step with --until" } else { "" };
        bail!("{file} is executed only if somebody agrees, and standard input is no terminal: add --yes{or}")
    }

    /// Asks before the way back of a step. Returns false if it is not to be executed.
    pub async fn before_back(
        &self,
        folder: &Folder,
        at: usize,
        progress: &mut Progress,
        interrupt: &Interrupt,
    ) -> anyhow::Result<bool> {
        let Some((step, file)) = folder.step(at, Direction::Back) else { return Ok(true) };
        if self.yes || !needs_consent(step) {
            return Ok(true);
        }
        let does = "The applications read and write the old keys again from here on.";
        let agrees = agrees(&format!("{file}: {does}\nLocks: {}", step.locks), interrupt).await?;
        if !agrees {
            progress.say(Some(&file), "not executed")?;
        }
        Ok(agrees)
    }

    /// Waits and asks before a step. Returns false if the step is not to be executed.
    pub async fn before(
        &self,
        folder: &Folder,
        at: usize,
        progress: &mut Progress,
        interrupt: &Interrupt,
    ) -> anyhow::Result<bool> {
        let Some((step, file)) = folder.step(at, Direction::Forward) else { return Ok(true) };
        if needs_consent(step) && !self.yes && !agrees(&described(step, &file), interrupt).await? {
            progress.say(Some(&file), "not executed")?;
            return Ok(false);
        }
        if !is_moment(step) {
            return Ok(true);
        }
        if let Some(postpone) = self.postpone.as_deref().filter(|path| path.exists()) {
            progress.say(Some(&file), &format!("waits until {} is removed", postpone.display()))?;
            while postpone.exists() && !interrupt.is_set() {
                tokio::time::sleep(BETWEEN).await;
            }
        }
        if interrupt.is_set() {
            return Ok(false);
        }
        call(self.before_rename.as_deref(), "--before-rename", folder, &file)?;
        Ok(true)
    }

    /// Calls the command after the renaming.
    pub fn after(&self, folder: &Folder, at: usize) -> anyhow::Result<()> {
        match folder.step(at, Direction::Forward) {
            Some((step, file)) if is_moment(step) => {
                call(self.after_rename.as_deref(), "--after-rename", folder, &file)
            }
            _ => Ok(()),
        }
    }
}

/// Describes a step for a person who must agree to it.
fn described(step: &Step, file: &str) -> String {
    let back = match step.undo.is_empty() || step.name == "finish" {
        true => "none".to_owned(),
        false => format!("undo/{file}"),
    };
    format!("{file}: {}\nLocks: {}\nWay back: {back}", step.purpose, step.locks)
}

/// Asks on the terminal. A signal is a no.
async fn agrees(described: &str, interrupt: &Interrupt) -> anyhow::Result<bool> {
    eprint!("\n{described}\nExecute it now? [y/N] ");
    // A closed terminal answers nothing.
    let _ = std::io::stderr().flush();
    let (sender, answer) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = stdin().read_line(&mut line).map(|_| line);
        // After a signal nobody listens.
        let _ = sender.send(read);
    });
    match select(answer, pin!(interrupt.clone().wait())).await {
        Either::Left((answer, _)) => {
            let line = answer?.context("cannot read the answer")?;
            Ok(matches!(line.trim().to_ascii_lowercase().as_str(), "y" | "yes"))
        }
        Either::Right(_) => {
            eprintln!();
            Ok(false)
        }
    }
}

/// Calls a command with the plan in its environment.
fn call(command: Option<&str>, option: &str, folder: &Folder, file: &str) -> anyhow::Result<()> {
    let Some(command) = command else { return Ok(()) };
    let plan = folder.plan();
    let status = std::process::Command::new("sh")
        .args(["-c", command])
        .env("IDGEN_PLAN_ID", &plan.id)
        .env("IDGEN_PLAN_FILE", file)
        .env("IDGEN_PLAN_TABLES", plan.tables.join(","))
        .env_remove("IDGEN_PLAN_URL")
        .status()
        .with_context(|| format!("cannot call the command of {option}"))?;
    if !status.success() {
        bail!("the command of {option} failed ({status}): {command}");
    }
    Ok(())
}
