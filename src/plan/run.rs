//! `idgen plan run`: executes the files of a plan from where its ledger is, forward or back.

use std::path::PathBuf;
use std::pin::pin;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::bail;
use futures_util::future::{Either, join, select};
use idgen_migrate::plan::run::{Direction, Folder, Outcome, execute};
use idgen_migrate::plan::status::Reader;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::interrupt::Interrupt;
use super::moment;
use super::progress::{Progress, of_copy};
use crate::failure;
use crate::signals::INTERRUPTED;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  export IDGEN_PLAN_URL=mysql://owner:secret@localhost/shop
  idgen plan run change                  # up to the verification of all rows
  idgen plan run change --until rename   # asks before the renaming
  idgen plan run change --until finish --yes
  idgen plan run change --until switch   # what PostgreSQL calls the renaming
  idgen plan run change --until rename --postpone not-yet
  idgen plan run change --back           # undoes all steps, the last one first

It executes the files of the folder one after the other, each in a session of its own, as the server's client does, and \
stops at the first one that the server refuses, with the server's sentence. The ledger of the plan says where it \
continues, whoever executed the files before. Ctrl-C cancels the running statement.

--back executes the files of undo/ instead, from the last executed step down to the first, as long as finish was not \
begun. Rows that were written since are kept.

Exit codes: 0 if the step of --until is done, or with --back all steps are undone; 1 if a file was refused, or was not executed because the answer was no; \
2 if the command line was wrong; 130 after Ctrl-C.";

/// Execute the files of a plan, and continue where it is.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder that idgen plan --out has written.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The database of the plan, with an account that owns its tables. Use the environment variable to keep the password out
    /// of process lists.
    #[arg(value_name = "URL", env = "IDGEN_PLAN_URL", hide_env_values = true, value_parser = values::url)]
    url: String,

    /// The last step to execute: the name of any step, such as verify, rename, switch or finish.
    #[arg(long, value_name = "STEP", default_value = "verify")]
    until: String,

    /// Execute the files of undo/ instead, from the last executed step down to the first.
    #[arg(long, conflicts_with = "until")]
    back: bool,

    #[command(flatten)]
    moment: moment::Moment,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let folder = Folder::open(&args.folder)?;
    let until = folder.find(&args.until).map_err(failure::usage)?;
    let interrupt = Interrupt::listen()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let mut progress = Progress::new();
    let code = runtime.block_on(async {
        match args.back {
            true => execute_back(&args, &folder, &mut progress, &interrupt).await,
            false => execute_until(&args, &folder, until, &mut progress, &interrupt).await,
        }
    });
    progress.finish()?;
    if interrupt.is_set() && code.is_ok() {
        failure::note("stopped: the same command continues, and so does the server's client");
        return Ok(ExitCode::from(INTERRUPTED));
    }
    code
}

async fn execute_until(
    args: &Args,
    folder: &Folder,
    until: usize,
    progress: &mut Progress,
    interrupt: &Interrupt,
) -> anyhow::Result<ExitCode> {
    let mut reader = Reader::open(&args.url).await?;
    let mut executed = None;
    loop {
        let ledger = reader.read_one(&folder.plan().id).await?;
        let next = folder.next(ledger.as_ref(), executed)?;
        let Some((at, file)) = next.and_then(|at| Some((at, folder.step(at, Direction::Forward)?.1))) else {
            progress.say(None, "The plan is finished.")?;
            return Ok(ExitCode::SUCCESS);
        };
        if at > until {
            progress.say(None, &format!("{} is done. Next: {file}", args.until))?;
            return Ok(ExitCode::SUCCESS);
        }
        match executed {
            None => {
                (at..=until).try_for_each(|at| folder.unchanged(at, Direction::Forward))?;
                args.moment.can_ask(folder, at..=until, Direction::Forward)?;
            }
            Some(before) if at <= before => bail!(
                "{file} comes next again, because something has changed since it was executed: idgen plan status shows the steps; \
                 to execute it, call this command again"
            ),
            Some(_) => {}
        }
        if !args.moment.before(folder, at, progress, interrupt).await? {
            return Ok(ExitCode::FAILURE);
        }
        if timed(&args.url, folder, (at, Direction::Forward), progress, interrupt).await? == Outcome::Canceled
        {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        args.moment.after(folder, at)?;
        executed = Some(at);
        if interrupt.is_set() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
    }
}

/// Executes the ways back of all steps that stand, the last one first.
async fn execute_back(
    args: &Args,
    folder: &Folder,
    progress: &mut Progress,
    interrupt: &Interrupt,
) -> anyhow::Result<ExitCode> {
    let mut reader = Reader::open(&args.url).await?;
    let mut executed = None;
    loop {
        let ledger = reader.read_one(&folder.plan().id).await?;
        let next = folder.back(ledger.as_ref(), executed)?;
        let Some(at) = next else {
            progress.say(None, "All steps are undone.")?;
            return Ok(ExitCode::SUCCESS);
        };
        if executed.is_none() {
            let with_way_back = |at: &usize| !folder.plan().steps[*at].undo.is_empty();
            (0..=at).filter(with_way_back).try_for_each(|at| folder.unchanged(at, Direction::Back))?;
            args.moment.can_ask(folder, (0..=at).filter(with_way_back), Direction::Back)?;
        }
        if !args.moment.before_back(folder, at, progress, interrupt).await? {
            return Ok(ExitCode::FAILURE);
        }
        let outcome = timed(&args.url, folder, (at, Direction::Back), progress, interrupt).await?;
        if outcome == Outcome::Canceled || interrupt.is_set() {
            return Ok(ExitCode::from(INTERRUPTED));
        }
        executed = Some(at);
    }
}

/// Executes one file, and prints how long it took.
async fn timed(
    url: &str,
    folder: &Folder,
    (at, direction): (usize, Direction),
    progress: &mut Progress,
    interrupt: &Interrupt,
) -> anyhow::Result<Outcome> {
    let Some((step, file)) = folder.step(at, direction) else { return Ok(Outcome::Done) };
    let begun = Instant::now();
    let is_copy =
        direction == Direction::Forward && (step.name == "backfill" || step.name.starts_with("copy-"));
    progress.begin(&file);
    let outcome = one(url, folder, (at, direction), progress, interrupt, is_copy).await;
    progress.end();
    let outcome = outcome?;
    if outcome == Outcome::Done {
        progress.say(Some(&file), &format!("done in {:.1} s", begun.elapsed().as_secs_f64()))?;
    }
    Ok(outcome)
}

/// Executes one file, and prints what the server says meanwhile.
async fn one(
    url: &str,
    folder: &Folder,
    (at, direction): (usize, Direction),
    progress: &mut Progress,
    interrupt: &Interrupt,
    is_copy: bool,
) -> anyhow::Result<Outcome> {
    let (said, mut lines) = unbounded_channel();
    let file = folder.step(at, direction).map(|(_, file)| file).unwrap_or_default();
    let bar = progress.bar();
    let work = execute(url, folder, at, direction, &said, interrupt.clone().wait());
    let copying = async {
        match is_copy {
            true => of_copy(bar, url, &folder.plan().id).await,
            false => std::future::pending().await,
        }
    };
    let outcome = {
        let shown = join(print(&file, &mut lines, progress), copying);
        match select(pin!(work), pin!(shown)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(_) => bail!("standard output is closed"),
        }
    };
    while let Ok(line) = lines.try_recv() {
        progress.say(Some(&file), &line)?;
    }
    Ok(outcome?)
}

/// Prints lines for ever. A file goes on if nobody reads them.
async fn print(file: &str, lines: &mut UnboundedReceiver<String>, progress: &mut Progress) {
    while let Some(line) = lines.recv().await {
        let _ = progress.say(Some(file), &line);
    }
    std::future::pending().await
}
