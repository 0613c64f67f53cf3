//! What is recorded: one record per run, and the file that holds the runs of one command.

pub(crate) mod known;
mod locality;
mod machine;
mod verify;
mod window;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::engine::{Counters, EngineInfo, Latency, Role, Seen, Tree};
use crate::experiment::{CaseRecord, Published};
use crate::strategy::{Column, Family, IdKind, Strategy};
use crate::workload::Workload;
use innodb_pages::Distribution;

pub use locality::TreeFigures;
pub use machine::Machine;
pub use verify::{Ranks, contents, keys, keys_by, keys_in_any_order, made_keys, pages};
pub use window::Window;

/// All runs of one command, as `results.json` holds them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// The version of this form; readers refuse another.
    pub format: u32,
    /// The question that the runs answer.
    pub question: String,
    /// The command that made them.
    pub command: String,
    /// The version of this library.
    pub idgen_version: String,
    /// When the first run began: RFC 3339, UTC.
    pub started: String,
    /// Where they ran.
    pub machine: Machine,
    /// Which database measured.
    pub engine: EngineInfo,
    /// What was inserted.
    pub workload: Workload,
    /// The server's settings, where statements were timed; each run has its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub settings: BTreeMap<String, String>,
    /// True where the user stopped before the last run.
    pub interrupted: bool,
    /// What was published of this question.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// What we make of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub analysis: String,
    /// The runs that were finished and verified.
    pub runs: Vec<RunRecord>,
    /// The statements that were timed and checked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cases: Vec<CaseRecord>,
    /// The runs that failed: no figures of theirs are shown anywhere.
    pub failures: Vec<Failure>,
}

/// A run without result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The strategy's name.
    pub strategy: String,
    /// Why.
    pub error: String,
}

/// One finished and verified run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// What was compared.
    pub strategy: StrategyRecord,
    /// The settings that matter, as the database reported them.
    pub settings: BTreeMap<String, String>,
    /// The course of the run.
    pub windows: Vec<Window>,
    /// The whole run.
    pub totals: Totals,
    /// How long its statements took, on a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Each tree, the one with the rows first.
    pub trees: Vec<TreeFigures>,
}

/// A strategy as a record names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyRecord {
    /// Its name on the command line.
    pub name: String,
    /// A few words.
    pub title: String,
    /// A line.
    pub explains: String,
    /// Where its ids come from.
    pub ids: IdKind,
    /// What its column holds.
    pub column: Column,
    /// What its ids are like.
    pub family: Family,
}

impl From<&Strategy> for StrategyRecord {
    fn from(strategy: &Strategy) -> Self {
        StrategyRecord {
            name: strategy.name.into(),
            title: strategy.title.into(),
            explains: strategy.explains.into(),
            ids: strategy.ids,
            column: strategy.column,
            family: strategy.family(),
        }
    }
}

/// The figures of a whole run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Totals {
    /// Rows found in the table afterwards: as many as were inserted, or there is no record.
    pub rows: u64,
    /// Seconds that the database took.
    pub secs: f64,
    /// Inserted rows per second, over the run.
    pub rows_per_sec: f64,
    /// The same in the last tenth of the run, when the table has outgrown the cache.
    pub last_rows_per_sec: f64,
    /// Pages read into the cache per 1,000 inserts.
    pub reads_per_1k: f64,
    /// The same in the last tenth of the run.
    #[serde(default)]
    pub last_reads_per_1k: f64,
    /// Page requests per 1,000 inserts that had to wait for such a read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_reads_per_1k: Option<f64>,
    /// Pages written to the file per 1,000 inserts.
    pub writes_per_1k: f64,
    /// The same in the last tenth of the run.
    #[serde(default)]
    pub last_writes_per_1k: f64,
    /// Of those, the ones written before the commit because the cache was full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spills_per_1k: Option<f64>,
    /// New pages per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_per_1k: Option<f64>,
    /// Pages divided to make room, per 1,000 inserts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splits_per_1k: Option<f64>,
    /// Bytes written to the log per row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo_bytes_per_row: Option<f64>,
    /// Page requests answered by the cache, from 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
    /// Different leaf pages that 1,000 consecutive inserts went to, on average; all trees together. Not a
    /// number where the pages are out of reach, as on a server given by URL: `null` in JSON, `–` in reports.
    #[serde(with = "known")]
    pub distinct_leaves_per_1k: f64,
    /// Bytes in use of a leaf page, from 0 to 1: the mean over all trees. Not a number where unknown.
    #[serde(with = "known")]
    pub fill_mean: f64,
    /// The fill that a tenth of the leaf pages do not reach. Not a number where unknown.
    #[serde(with = "known")]
    pub fill_p10: f64,
    /// Bytes of all pages of all trees, by row.
    pub bytes_per_row: f64,
    /// Of those, the ones of the map from UUID to integer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub map_bytes_per_row: Option<f64>,
}

impl Totals {
    /// Sums up a run.
    pub fn of(windows: &[Window], counters: &Counters, trees: &[Tree], figures: &[TreeFigures]) -> Self {
        let rows: u64 = windows.iter().map(|window| window.rows).sum();
        let secs: f64 = windows.iter().map(|window| window.secs).sum();
        let whole = Window::of(counters, None, rows, rows, secs);
        let tail = &windows[windows.len() - windows.len().div_ceil(10)..];
        let tail_rows = tail.iter().map(|window| window.rows).sum::<u64>() as f64;
        let in_tail = |rate: fn(&Window) -> f64| {
            tail.iter().map(|window| rate(window) * window.rows as f64).sum::<f64>() / tail_rows
        };
        let all_leaves = Distribution::of(trees.iter().flat_map(Tree::fills).collect());
        let of_map = || figures.iter().filter(|tree| tree.role != Role::Rows).map(|tree| tree.bytes);
        Totals {
            rows,
            secs,
            rows_per_sec: whole.rows_per_sec,
            last_rows_per_sec: tail_rows / tail.iter().map(|window| window.secs).sum::<f64>().max(1e-9),
            reads_per_1k: whole.reads_per_1k,
            last_reads_per_1k: in_tail(|window| window.reads_per_1k),
            disk_reads_per_1k: whole.disk_reads_per_1k,
            writes_per_1k: whole.writes_per_1k,
            last_writes_per_1k: in_tail(|window| window.writes_per_1k),
            spills_per_1k: counters.pages_spilled.map(|pages| pages as f64 * 1_000.0 / rows as f64),
            created_per_1k: whole.created_per_1k,
            splits_per_1k: whole.splits_per_1k,
            redo_bytes_per_row: whole.redo_bytes_per_row,
            hit_rate: whole.hit_rate,
            distinct_leaves_per_1k: figures.iter().map(|tree| tree.distinct_leaves_per_1k).sum(),
            fill_mean: all_leaves.mean,
            fill_p10: all_leaves.p10,
            bytes_per_row: figures.iter().map(|tree| tree.bytes).sum::<u64>() as f64 / rows as f64,
            map_bytes_per_row: of_map().next().map(|_| of_map().sum::<u64>() as f64 / rows as f64),
        }
    }
}

impl Totals {
    /// Sums up a run of whose pages not all is known.
    pub fn of_seen(windows: &[Window], counters: &Counters, seen: &Seen) -> Self {
        let counted = Totals::of(windows, counters, &[], &[]);
        let fill = Distribution::of(seen.fills.clone());
        let known = |fill| if seen.fills.is_empty() { f64::NAN } else { fill };
        let per_row = |bytes: u64| bytes as f64 / counted.rows as f64;
        Totals {
            distinct_leaves_per_1k: f64::NAN,
            fill_mean: known(fill.mean),
            fill_p10: known(fill.p10),
            bytes_per_row: per_row(seen.bytes),
            map_bytes_per_row: seen.map_bytes.map(per_row),
            ..counted
        }
    }
}

impl Results {
    /// The version of the file's form that this library writes and reads.
    pub const FORMAT: u32 = 1;

    /// No runs yet; begun now, on this machine.
    pub fn new(question: &str, command: &str, engine: EngineInfo, workload: Workload) -> Self {
        Results {
            format: Self::FORMAT,
            question: question.into(),
            command: command.into(),
            idgen_version: env!("CARGO_PKG_VERSION").into(),
            started: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            machine: Machine::this(),
            engine,
            workload,
            settings: BTreeMap::new(),
            interrupted: false,
            published: Vec::new(),
            analysis: String::new(),
            runs: Vec::new(),
            cases: Vec::new(),
            failures: Vec::new(),
        }
    }

    /// Whether statements were timed, rather than keys compared; also where none of them was finished.
    pub fn times_statements(&self) -> bool {
        !self.cases.is_empty() || !self.settings.is_empty()
    }

    /// Whether there is anything to show but why there is not.
    pub fn has_any(&self) -> bool {
        !self.runs.is_empty() || !self.cases.is_empty()
    }

    /// The run of this strategy.
    pub fn run(&self, strategy: &str) -> Option<&RunRecord> {
        self.runs.iter().find(|run| run.strategy.name == strategy)
    }
}

impl RunRecord {
    /// The totals, but what they say of the end taken from the window in which the table reached this many
    /// rows. The run's own end where it has fewer.
    pub fn totals_at(&self, rows: u64) -> Totals {
        match self.windows.iter().find(|window| window.rows_end >= rows) {
            None => self.totals,
            Some(window) => Totals {
                last_rows_per_sec: window.rows_per_sec,
                last_reads_per_1k: window.reads_per_1k,
                last_writes_per_1k: window.writes_per_1k,
                ..self.totals
            },
        }
    }

    /// The figures of the tree with this role.
    pub fn tree(&self, role: Role) -> Option<&TreeFigures> {
        self.trees.iter().find(|tree| tree.role == role)
    }
}
