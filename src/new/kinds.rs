//! Each kind on the command line: its options, the generator that they create, and the JSON of its ids.

use std::path::PathBuf;
use std::time::Duration;

use idgen::generator::{Settings, Tail};
use idgen::source::{Clock, ClockPolicy, FileState, FixedClock, NoState, State, SystemClock, WhenBehind};
use idgen::{Inspection, Kind, Node, Setting, Timestamp};

use crate::failure::{note, usage};
use crate::layout::{Layout, check_kind};
use crate::record::Record;
use crate::values::{self, NodeChoice, WhenBehindChoice};

#[derive(clap::Args)]
#[command(next_help_heading = "Options of the generator")]
pub struct Options {
    /// Generate ids as if it were this moment, such as 2026-11-21T12:00:00Z. The clock stands still; kinds that
    /// ascend continue from there.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment)]
    pub at: Option<Timestamp>,

    /// Generate an id for each moment of this file, one RFC 3339 time per line in any order, such as the created_at of rows
    /// that exist; - is standard input.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["at", "count", "state", "when_behind"])]
    pub times: Option<PathBuf>,

    /// The node in the ids: random, mac (the address of the network card, which identifies the machine), or twelve
    /// hexadecimal digits; short takes the last four [default: random].
    #[arg(long, value_name = "random|mac|HEX", value_parser = values::node)]
    pub node: Option<NodeChoice>,

    /// Keep the state of the generator in this file, so that no later run repeats an id or generates a smaller one. Only
    /// one generator can use the file at a time.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// If the state file says that ids were made for times beyond this moment, forget them, with the node: for a file that
    /// a run with a wrong clock left behind. Name a moment after all ids that are in use.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment, requires = "state")]
    pub forget_state_beyond: Option<Timestamp>,

    /// What to do if the clock is more than ten seconds behind the last id [default: restart; error with --state or
    /// a fixed --node of short; with --at and without --state, later ids get later times].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub when_behind: Option<WhenBehindChoice>,

    #[command(flatten)]
    pub layout: Layout,
}

impl Options {
    /// Refuses options that would have no effect, because their user expects one.
    pub fn check(&self, kind: Kind) -> anyhow::Result<()> {
        let with = |setting| -> Vec<Kind> {
            Kind::ALL.iter().copied().filter(move |kind| kind.has(setting)).collect()
        };
        let own = [
            ("--at", self.at.is_some(), with(Setting::Clock)),
            // The 16 bits of another random node after each step back are too few.
            (
                "--times",
                self.times.is_some(),
                Kind::ALL.iter().copied().filter(|kind| kind.has_rows()).collect(),
            ),
            ("--node", self.node.is_some(), with(Setting::Node)),
            ("--state", self.state.is_some(), with(Setting::State)),
            ("--when-behind", self.when_behind.is_some(), with(Setting::Policy)),
        ];
        check_kind(kind, self.layout.given().into_iter().chain(own))?;
        if self.when_behind == Some(WhenBehindChoice::Restart) {
            let is_fixed = !matches!(self.node, None | Some(NodeChoice::Random));
            let reason = if self.state.is_some() {
                "with --state, earlier times may belong to another run"
            } else if kind == Kind::Short && is_fixed {
                "short needs a random node for it"
            } else {
                return self.check_layout(kind);
            };
            return Err(usage(format_args!("--when-behind restart: {reason}; choose error or wait")));
        }
        self.check_layout(kind)
    }

    fn check_layout(&self, kind: Kind) -> anyhow::Result<()> {
        let ascending = [("--state", self.state.is_some()), ("--when-behind", self.when_behind.is_some())];
        self.layout.check(kind, ascending)
    }
}

impl Settings for Options {
    type Error = anyhow::Error;

    fn policy(&self) -> anyhow::Result<ClockPolicy> {
        Ok(policy(self))
    }

    fn node(&self) -> anyhow::Result<Option<Node>> {
        Ok(match self.node {
            None | Some(NodeChoice::Random) => None,
            Some(NodeChoice::Mac) => Some(Node::mac()?),
            Some(NodeChoice::Given(node)) => Some(node),
        })
    }

    fn state(&self, kind: Kind) -> anyhow::Result<Box<dyn State + Send>> {
        let Some(path) = &self.state else { return Ok(Box::new(NoState)) };
        let mut state = FileState::open(path)?;
        // The generator refuses the state of another kind.
        if let Some(moment) = self.forget_state_beyond
            && let Some(saved) = state.load()?.filter(|saved| saved.kind == kind && saved.time() > moment)
        {
            state.save(&saved.set_back_to(moment))?;
            note(format_args!(
                "the state said that ids were made until {}, and now says {moment}",
                saved.time()
            ));
        }
        Ok(Box::new(state))
    }
}

/// The facts about an id that was just made as this kind, without those that its bits would show of another
/// kind.
///
/// The format is always included, also where the kind implies it: 32 digits may be simple, or the bytes of
/// one of the two binary formats.
pub fn record<'a>(
    id: &'a str,
    format: &'static str,
    seen: &Inspection,
    kind: Kind,
    tail: Tail,
) -> Record<'a> {
    let format = Some(format);
    let record = Record { kind: kind.name(), format, uuid: None, variant: None, ..Record::seen(id, seen) };
    match kind {
        Kind::V4 => Record { prefix: None, ..record },
        Kind::Prefixed if tail != Tail::Ascending => {
            Record { tail_time: None, counter: None, round: None, offset_ms: None, ..record }
        }
        Kind::Short => Record { mysql: None, ..record },
        Kind::MysqlShort => Record { device: None, ..record },
        // Here it is known that the prefix is not keyed, where there is such a time.
        _ if kind.facts().is_ascending && record.time.is_none() => {
            Record { time: record.tail_time.clone(), tail_time: None, ..record }
        }
        _ => record,
    }
}

/// The clock of all kinds, unless each id has its own moment.
pub fn clock(options: &Options) -> Box<dyn Clock + Send> {
    match options.at {
        Some(moment) => Box::new(FixedClock::new(moment)),
        None => Box::new(SystemClock),
    }
}

fn policy(options: &Options) -> ClockPolicy {
    let policy = ClockPolicy::DEFAULT;
    if options.times.is_some() {
        // Each id has its own time, also after a later one.
        return policy.with_tolerance(Duration::ZERO).with_when_behind(WhenBehind::Restart);
    }
    match (options.when_behind, options.at, &options.state) {
        (Some(choice), _, _) => policy.with_when_behind(choice.into()),
        // The clock of --at moves when a generator waits for it, so a long run continues without a wait.
        (None, Some(_), None) => policy.with_when_behind(WhenBehind::Wait),
        // A full second of short ids is an error, too: --at asked for this moment, not for a later one.
        (None, Some(_), Some(_)) => policy.with_when_behind(WhenBehind::Error),
        (None, None, _) => policy,
    }
}
