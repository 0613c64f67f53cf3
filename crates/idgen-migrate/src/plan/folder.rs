//! Writes a plan as a folder: README.md, one numbered file for each step, `undo/` with the ways back, and `plan.json`, which
//! `idgen plan run` reads.

use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;

use crate::plan::data::{Command, Direction, Engine, Plan, Statement, Step};
use idgen_database::{Error, Result};

/// Ends statements in files for the clients of MySQL and MariaDB, since bodies of procedures contain semicolons. The beginnings of
/// these files set it.
const DELIMITER: &str = "$$";

/// The file with the plan itself, as JSON.
pub(crate) const PLAN_FILE: &str = "plan.json";

/// The folder in the plan's folder that has the files until all are complete.
const PARTIAL: &str = "partial";

/// The end of files for psql.
const PSQL_END: &str = include_str!("psql_end.sql");

impl Plan {
    /// Writes the files. The folder must not exist, or be empty: a plan never replaces one that may be in use.
    ///
    /// All files are written to a folder in it first, and moved when they are complete: a full disk leaves no half of a plan.
    ///
    /// # Errors
    ///
    /// The folder has files, or cannot be written. It then has nothing of the plan, and does not exist if it did not before.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let of =
            |doing: &str, error: std::io::Error| Error::of(format!("{doing} {}", folder.display()), error);
        let is_new = !folder.exists();
        std::fs::create_dir_all(folder).map_err(|error| of("cannot make the folder", error))?;
        let mut files = std::fs::read_dir(folder).map_err(|error| of("cannot read the folder", error))?;
        if files.next().is_some() {
            return Err(Error::new(format!(
                "the folder {} is not empty: choose another with --out, or remove it if its plan is not in use",
                folder.display()
            )));
        }
        let partial = folder.join(PARTIAL);
        let written = self.write_all(&partial).and_then(|()| {
            moved(&partial, folder).map_err(|error| of("cannot move the files of the plan to", error))
        });
        if written.is_err() {
            // The first error is the one to report.
            _ = std::fs::remove_dir_all(&partial);
            if is_new {
                _ = std::fs::remove_dir(folder);
            }
        }
        written
    }

    /// Writes the files to a new folder.
    fn write_all(&self, folder: &Path) -> Result<()> {
        let undo = folder.join("undo");
        std::fs::create_dir_all(&undo)
            .map_err(|error| Error::of(format!("cannot make {}", undo.display()), error))?;
        let json = serde_json::to_string(self)
            .map_err(|error| Error::of(format!("cannot write {PLAN_FILE}"), error))?;
        for (path, text) in self.files().into_iter().chain([(PLAN_FILE.to_owned(), json)]) {
            let path = folder.join(&path);
            // Some file systems say only then that there is no space.
            let write = || {
                let mut file = std::fs::File::create_new(&path)?;
                file.write_all(text.as_bytes())?;
                file.sync_all()
            };
            write().map_err(|error| Error::of(format!("cannot write {}", path.display()), error))?;
        }
        Ok(())
    }

    /// The paths of the files, and their texts. [`write`](Plan::write) adds `plan.json`, with the plan as it is serialized.
    ///
    /// ```
    /// use idgen_migrate::plan::{Engine, Plan, Statement, Step, Target};
    ///
    /// let step = Step {
    ///     name: "check".into(),
    ///     purpose: "Reads, and changes nothing.".into(),
    ///     statements: vec![Statement::new("Counts the rows.", "SELECT COUNT(*) FROM orders")],
    ///     undo: Vec::new(),
    ///     locks: "None.".into(),
    ///     duration: None,
    ///     stop: "Stop the client; execute it again.".into(),
    /// };
    /// let plan = Plan {
    ///     id: "k3f9x2ab".into(),
    ///     engine: Engine::Postgres,
    ///     target: Target::Uuid,
    ///     tables: vec!["orders".into()],
    ///     facts: Vec::new(),
    ///     notes: Vec::new(),
    ///     unread: Vec::new(),
    ///     session: Vec::new(),
    ///     steps: vec![step],
    ///     scripts: Vec::new(),
    ///     command: None,
    /// };
    /// let files = plan.files();
    /// assert_eq!(files[1].0, "01-check.sql");
    /// assert!(files[1].1.contains("-- Counts the rows.\nSELECT COUNT(*) FROM orders;\n"));
    /// ```
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![("README.md".to_owned(), self.readme())];
        for (at, step) in self.steps.iter().enumerate() {
            files.push(self.file(at, step, Direction::Forward));
            if !step.undo.is_empty() {
                files.push(self.file(at, step, Direction::Back));
            }
        }
        files.extend(self.scripts.iter().map(|script| (script.name.clone(), script.text.clone())));
        if let Some(command) = &self.command {
            files.push((self.script_name(command), command.script.clone()));
        }
        files
    }

    /// The name and the text of a file of the step at a place.
    pub(crate) fn file(&self, at: usize, step: &Step, direction: Direction) -> (String, String) {
        let back = format!("Goes back to the state before {}.", self.name(at, step, Direction::Forward));
        let purpose = match direction {
            Direction::Forward => &step.purpose,
            Direction::Back => &back,
        };
        (self.name(at, step, direction), self.sql(purpose, step.in_direction(direction)))
    }

    /// The name of a file of the step at a place.
    pub(crate) fn name(&self, at: usize, step: &Step, direction: Direction) -> String {
        let folder = if direction == Direction::Back { "undo/" } else { "" };
        format!("{folder}{}.sql", self.numbered(at, &step.name))
    }

    /// The name of the file that calls the tool: it comes after the steps.
    pub(crate) fn script_name(&self, command: &Command) -> String {
        format!("{}.sh", self.numbered(self.steps.len(), command.tool.name()))
    }

    /// The name of a step after its number. All numbers have as many digits, so files that are sorted by their names are in the
    /// order of the steps.
    pub(crate) fn numbered(&self, at: usize, name: &str) -> String {
        numbered(self.steps.len(), at, name)
    }

    /// The text of a file with these statements.
    pub(crate) fn sql(&self, purpose: &str, statements: &[Statement]) -> String {
        // MySQL's client sends comments, too, which the beginning would count.
        let mut text = format!("{}{}", begin(self.engine), comment(purpose));
        let end = if self.engine == Engine::Postgres { ";" } else { DELIMITER };
        for statement in self.session.iter().chain(statements) {
            let sql = format!("{}{end}\n", statement.sql);
            let sql = statement.only_if.as_ref().map_or(sql.clone(), |query| conditional(query, &sql));
            _ = write!(text, "\n{}{sql}", comment(&statement.purpose));
        }
        if self.engine == Engine::Postgres {
            text.push_str(PSQL_END);
        }
        text
    }

    fn readme(&self) -> String {
        let mut text =
            format!("# Change of keys to {}\n\nTables: {}.\n", self.target.name(), self.tables.join(", "));
        if !self.facts.is_empty() {
            text.push_str("\n## What was measured\n\n");
            self.facts.iter().for_each(|fact| _ = writeln!(text, "- {fact}"));
        }
        let paragraphs: Vec<_> = self.notes.iter().chain(&self.unread).collect();
        if !paragraphs.is_empty() {
            text.push_str("\n## Before you begin\n");
            paragraphs.iter().for_each(|paragraph| _ = writeln!(text, "\n{paragraph}"));
        }
        let client = match self.engine {
            Engine::MySql => "mysql DATABASE < FILE",
            Engine::MariaDb => "mariadb DATABASE < FILE",
            Engine::Postgres => "psql DATABASE -f FILE",
        };
        let run = match self.has_ledger() {
            true => {
                ", or let `idgen plan run` execute them; both can be mixed, and `idgen plan status` shows how far they are"
            }
            false => "",
        };
        _ = writeln!(
            text,
            "\n## Steps\n\nExecute the files in the order of their numbers with `{client}`{run}. A step that was stopped or \
             killed can be executed again. To go back, execute the files of `undo/` from the last executed number down."
        );
        for (at, step) in self.steps.iter().enumerate() {
            let file = self.name(at, step, Direction::Forward);
            _ = writeln!(text, "\n### {file}\n\n{}\n", step.purpose);
            _ = writeln!(text, "- Locks: {}", step.locks);
            if let Some(duration) = &step.duration {
                _ = writeln!(text, "- Time: {duration}");
            }
            _ = writeln!(text, "- To stop: {}", step.stop);
            match step.undo.is_empty() {
                true => text.push_str("- To go back: nothing to do.\n"),
                false => _ = writeln!(text, "- To go back: `undo/{file}`"),
            }
        }
        for script in &self.scripts {
            _ = writeln!(text, "\n### {}\n\n{}", script.name, script.purpose);
        }
        if let Some(command) = &self.command {
            _ = writeln!(text, "\n### {}\n\n{}", self.script_name(command), command.purpose);
        }
        text
    }
}

/// Moves the files of a complete plan to its folder, the plan itself last. Back again if that fails.
fn moved(partial: &Path, folder: &Path) -> std::io::Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(partial)? {
        names.push(entry?.file_name());
    }
    names.sort_by_key(|name| (name == PLAN_FILE, name.clone()));
    for (at, name) in names.iter().enumerate() {
        if let Err(error) = std::fs::rename(partial.join(name), folder.join(name)) {
            for name in &names[..at] {
                std::fs::rename(folder.join(name), partial.join(name))?;
            }
            return Err(error);
        }
    }
    std::fs::remove_dir(partial)
}

/// The beginning of files: it finds out whether the server's session is that of its client alone, and sets nothing.
fn begin(engine: Engine) -> &'static str {
    match engine {
        Engine::Postgres => include_str!("psql_begin.sql"),
        Engine::MySql => include_str!("mysql_begin.sql"),
        Engine::MariaDb => include_str!("mariadb_begin.sql"),
    }
}

/// The name of the step, after its number with as many digits as the last one has.
pub(crate) fn numbered(steps: usize, at: usize, name: &str) -> String {
    let digits = (steps + 1).to_string().len().max(2);
    format!("{:0digits$}-{name}", at + 1)
}

/// A statement that psql executes only if a query is true. Only plans for PostgreSQL have such statements.
fn conditional(query: &str, sql: &str) -> String {
    format!("SELECT ({query}) AS idgen_needed \\gset\n\\if :idgen_needed\n{sql}\\endif\n")
}

/// Lines of a comment. A name in the text cannot end the comment, since each line begins with the marks.
fn comment(text: &str) -> String {
    text.lines().map(|line| format!("-- {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use crate::plan::data::{Engine, Plan, Script, Step, Target};

    fn plan(steps: Vec<Step>, scripts: Vec<Script>) -> Plan {
        Plan {
            id: String::new(),
            engine: Engine::MySql,
            target: Target::Binary16,
            tables: Vec::new(),
            facts: Vec::new(),
            notes: Vec::new(),
            unread: Vec::new(),
            session: Vec::new(),
            steps,
            scripts,
            command: None,
        }
    }

    #[test]
    fn a_plan_that_cannot_be_written_whole_is_not_written() {
        let folder = std::env::temp_dir().join(format!("idgen-plan-{}", std::process::id()));
        // The last file cannot be written, since its folder is missing.
        let script = Script { name: "missing/last.sh".into(), purpose: String::new(), text: String::new() };
        let broken = plan(Vec::new(), vec![script]);
        let error = broken.write(&folder).unwrap_err().to_string();
        assert!(error.contains("last.sh"), "{error}");
        assert!(!folder.exists());
        // A folder that was there before stays.
        std::fs::create_dir(&folder).unwrap();
        broken.write(&folder).unwrap_err();
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
        plan(Vec::new(), Vec::new()).write(&folder).unwrap();
        let names = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["README.md", "plan.json", "undo"]);
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn files_sorted_by_name_are_in_the_order_of_the_steps() {
        for (steps, first) in
            [(9, "01-a0.sql"), (99, "001-a0.sql"), (188, "001-a0.sql"), (1000, "0001-a0.sql")]
        {
            let step = |at: usize| Step {
                name: format!("a{at}"),
                purpose: String::new(),
                statements: Vec::new(),
                undo: Vec::new(),
                locks: String::new(),
                duration: None,
                stop: String::new(),
            };
            let plan = plan((0..steps).map(step).collect(), Vec::new());
            let names: Vec<_> = plan.files().into_iter().skip(1).map(|(name, _)| name).collect();
            assert_eq!((names.len(), &*names[0]), (steps, first));
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}
