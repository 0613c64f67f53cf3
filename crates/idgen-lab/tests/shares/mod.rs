//! Recorded loads on databases that keep a table in parts, and what the model says of them.

use idgen_lab::ranges::{Engine, Load, predict, read_spread};
use idgen_lab::strategy;

use crate::counters::Recorded;

/// Shares in %, and ranges of a statement, in the second half of a run.
#[derive(Clone, Copy)]
pub struct Figures {
    pub range: f64,
    pub node: f64,
    pub statement: f64,
}

impl Recorded {
    pub fn late(&self) -> Figures {
        let half = self.rows.len() / 2..self.rows.len();
        let mean = |of: &dyn Fn(usize) -> f64| half.clone().map(of).sum::<f64>() / half.len() as f64;
        let share = |count: u64, window: usize| 100.0 * count as f64 / self.rows[window] as f64;
        Figures {
            range: mean(&|window| share(self.hottest_region[window], window)),
            node: mean(&|window| share(self.servers[window][0], window)),
            statement: mean(&|window| self.regions_per_statement[window]),
        }
    }
}

/// A line of a set, with its runs.
pub struct Planned {
    set: Set,
    cells: Vec<String>,
    pub runs: Vec<Recorded>,
}

/// Where a set was recorded.
#[derive(Clone, Copy)]
pub enum Set {
    /// HBase, whose regions are split and moved between three servers.
    Hbase,
    /// Vitess, with four shards.
    Vitess,
}

impl Planned {
    /// The loads of a set, which has the names of its columns in the first line, with what was recorded.
    pub fn all(set: Set, loads: &str, recorded: &str) -> Vec<Planned> {
        let recorded: Vec<Recorded> =
            recorded.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let names: Vec<&str> = loads.lines().next().unwrap().split('\t').collect();
        let of = |(at, line): (usize, &str)| {
            let cells: Vec<String> = line.split('\t').map(str::to_owned).collect();
            assert_eq!(cells.len(), names.len(), "{line}");
            let runs =
                recorded.iter().filter(|one| one.load == format!("load-{}", at + 1)).cloned().collect();
            Planned { set, cells, runs }
        };
        loads.lines().skip(1).enumerate().map(of).collect()
    }

    /// The cells of the line, as its file has them.
    pub fn cells(&self) -> &[String] {
        &self.cells
    }

    pub fn strategy(&self) -> &str {
        &self.cells[0]
    }

    pub fn spread(&self) -> &str {
        &self.cells[1]
    }

    fn number(&self, cell: usize) -> u64 {
        self.cells[cell].parse().unwrap()
    }

    pub fn writers(&self) -> u64 {
        self.number(self.first())
    }

    pub fn rows(&self) -> u64 {
        self.number(self.first() + 2)
    }

    /// The cell of the writers, after which come ids per second, rows and rows of a statement.
    fn first(&self) -> usize {
        match self.set {
            Set::Hbase => 2,
            Set::Vitess => 4,
        }
    }

    fn load(&self) -> Load {
        let (rows, first) = (self.rows(), self.first());
        let usual = Load {
            spread: read_spread(self.spread()).unwrap(),
            writers: self.writers(),
            rate: self.number(first + 1) as f64,
            statement_rows: self.number(first + 3),
            moment_rows: rows,
            ..Load::new(rows, Engine::find(self.engine()).unwrap())
        };
        match self.set {
            Set::Hbase => {
                Load { row_bytes: self.number(6) as u32, range_bytes: self.number(7) << 10, ..usual }
            }
            Set::Vitess => Load { nodes: 4, ..usual },
        }
    }

    fn engine(&self) -> &'static str {
        match self.set {
            Set::Hbase => "hbase",
            Set::Vitess => "vitess",
        }
    }

    pub fn predicted(&self) -> Figures {
        let late = predict(strategy::find(self.strategy()).unwrap(), &self.load()).unwrap().late;
        let percent = |share: f64| 100.0 * share;
        Figures {
            range: percent(late.hottest_range),
            node: percent(late.hottest_node),
            statement: late.ranges_per_statement,
        }
    }

    /// The mean of all runs.
    pub fn recorded(&self) -> Figures {
        let late: Vec<Figures> = self.runs.iter().map(Recorded::late).collect();
        let mean = |of: fn(&Figures) -> f64| late.iter().map(of).sum::<f64>() / late.len() as f64;
        Figures {
            range: mean(|one| one.range),
            node: mean(|one| one.node),
            statement: mean(|one| one.statement),
        }
    }
}
