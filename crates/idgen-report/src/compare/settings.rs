//! The settings in which two records differ, and the effect of that on their figures.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use idgen_record::Results;

/// A setting, or another property of a record, that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The part of the record to which it belongs.
    pub area: Area,
    /// The name of the setting or property.
    pub what: String,
    /// The value in A; empty where A does not have it.
    pub a: String,
    /// The value in B; empty where B does not have it.
    pub b: String,
}

/// The part of a record in which something differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Area {
    /// The question.
    Question,
    /// The database, its version, how it was set up.
    Engine,
    /// The load.
    Workload,
    /// The machine.
    Machine,
    /// The version of this library.
    Idgen,
    /// A variable of the server.
    Setting,
    /// The statement that created a table.
    Table,
}

impl Area {
    /// The name in reports.
    pub fn title(self) -> &'static str {
        match self {
            Area::Question => "question",
            Area::Engine => "engine",
            Area::Workload => "workload",
            Area::Machine => "machine",
            Area::Idgen => "idgen",
            Area::Setting => "setting",
            Area::Table => "table",
        }
    }
}

/// All differences, beginning with the question.
pub fn differences(a: &Results, b: &Results) -> Vec<Difference> {
    let mut out = Vec::new();
    let mut add = |area, what: &str, a: String, b: String| {
        let difference = Difference { area, what: what.into(), a, b };
        // A setting that differs does so for each strategy.
        if difference.a != difference.b && !out.contains(&difference) {
            out.push(difference);
        }
    };
    add(Area::Question, "question", a.question.clone(), b.question.clone());
    fields(Area::Engine, &a.engine, &b.engine, &mut add);
    // Statements are timed on their own tables, so the load does not apply to them.
    if !a.times_statements() && !b.times_statements() {
        fields(Area::Workload, &a.workload, &b.workload, &mut add);
    }
    fields(Area::Machine, &a.machine, &b.machine, &mut add);
    add(Area::Idgen, "version", a.idgen_version.clone(), b.idgen_version.clone());
    // MySQL and MariaDB share most variables. A variable that only one of them has is not a difference of the runs.
    let same_engine = a.engine.name == b.engine.name;
    let comparable = |mine: &String, theirs: &String| same_engine || !(mine.is_empty() || theirs.is_empty());
    let runs = a.runs.iter().filter_map(|run| Some((run, b.run(&run.strategy.name)?)));
    for (mine, theirs) in std::iter::once((&a.settings, &b.settings))
        .chain(runs.clone().map(|(mine, theirs)| (&mine.settings, &theirs.settings)))
    {
        let names: BTreeSet<_> = mine.keys().chain(theirs.keys()).filter(|name| *name != "table").collect();
        for name in names {
            let [mine, theirs] =
                [mine, theirs].map(|settings| settings.get(name).cloned().unwrap_or_default());
            if comparable(&mine, &theirs) && !same_number(&mine, &theirs) {
                add(Area::Setting, name, mine, theirs);
            }
        }
    }
    for (mine, theirs) in runs.filter(|_| same_engine) {
        let [table, other] = [mine, theirs].map(|run| run.settings.get("table").map(|sql| unnumbered(sql)));
        add(Area::Table, &mine.strategy.title, table.unwrap_or_default(), other.unwrap_or_default());
    }
    out
}

/// MySQL writes 70 where MariaDB writes 70.000000.
fn same_number(a: &str, b: &str) -> bool {
    a.parse::<f64>().is_ok_and(|number| b.parse() == Ok(number))
}

/// Each field of a record, whatever fields later versions have.
fn fields(
    area: Area,
    a: &impl Serialize,
    b: &impl Serialize,
    add: &mut impl FnMut(Area, &str, String, String),
) {
    let fields = |record: Result<Value, _>| match record {
        Ok(Value::Object(fields)) => fields,
        // Records are structures of numbers and text, which JSON can always hold.
        Ok(_) | Err::<_, serde_json::Error>(_) => serde_json::Map::new(),
    };
    let (a, b) = (fields(serde_json::to_value(a)), fields(serde_json::to_value(b)));
    let names: BTreeSet<_> = a.keys().chain(b.keys()).collect();
    for name in names {
        let [mine, theirs] = [&a, &b].map(|fields| match fields.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => String::new(),
        });
        add(area, &name.replace('_', " "), mine, theirs);
    }
}

/// A definition without the parts that are different in each run: the numbers of tables and the AUTO_INCREMENT counters.
fn unnumbered(sql: &str) -> String {
    ["rows_", "map_", "AUTO_INCREMENT="].into_iter().fold(sql.to_owned(), |text, before| {
        let mut parts = text.split(before);
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |out, part| {
            out + before + part.trim_start_matches(|letter: char| letter.is_ascii_digit())
        })
    })
}

/// Sentences about the effect of the differences on the figures.
pub fn cautions(a: &Results, b: &Results, differences: &[Difference]) -> Vec<String> {
    let differs = |area| differences.iter().any(|difference| difference.area == area);
    let mut out = Vec::new();
    let mut say = |applies: bool, text: &str| {
        if applies {
            out.push(text.to_owned());
        }
    };
    // The records are compared as text, in which unknown figures are equal.
    let [one, other] = [a, b].map(|results| serde_json::to_string(results).ok());
    say(one == other, "A and B are the same record.");
    say(
        differs(Area::Question),
        "They answer different questions: only entries with the same name can be compared.",
    );
    say(
        differs(Area::Workload),
        "They did not insert the same rows: counts change with the rows and with the cache, so compare the order of \
         the strategies, not the figures.",
    );
    say(differs(Area::Engine), "They ran on different databases, versions or setups.");
    say(differs(Area::Machine), "They ran on different machines: compare counts of pages, not seconds.");
    say(differs(Area::Setting) || differs(Area::Table), "The server or the tables were set up differently.");
    for (name, results) in [("A", a), ("B", b)] {
        say(results.interrupted, &format!("{name} was interrupted: it contains only finished runs."));
        let failed: Vec<_> = results.failures.iter().map(|failure| failure.strategy.as_str()).collect();
        say(!failed.is_empty(), &format!("Failed in {name}: {}.", failed.join(", ")));
    }
    out
}
