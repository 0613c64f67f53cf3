//! The commits that last changed files, as `git` tells them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// The commit of each file below a directory, by its path from there.
#[derive(Default)]
pub(super) struct Commits(BTreeMap<String, String>);

/// Begins a line with a commit. No path has it.
const COMMIT: char = '\u{1}';

impl Commits {
    /// Reads the commits of the files in this directory; none where it is in no checkout with its whole
    /// history.
    pub fn of(directory: &Path) -> Commits {
        let git = |arguments: &[&str]| -> Option<String> {
            let run = Command::new("git")
                .arg("-C")
                .arg(directory)
                .args(["-c", "core.quotePath=off"])
                .args(arguments)
                .stdin(Stdio::null())
                .stderr(Stdio::null())
                .output();
            run.ok().filter(|done| done.status.success()).and_then(|done| String::from_utf8(done.stdout).ok())
        };
        // A shallow clone would name its oldest commit for every file.
        if git(&["rev-parse", "--is-shallow-repository"]).is_none_or(|shallow| shallow.trim() != "false") {
            return Commits::default();
        }
        let format = format!("--format={COMMIT}%H");
        let arguments =
            ["log", "--relative", "--no-renames", "--diff-filter=AM", "--name-only", &format, "--", "."];
        let log = git(&arguments).unwrap_or_default();
        let mut commits = Commits::from_log(&log);
        // A file with changes that are not committed has no commit.
        for path in git(&["diff", "--relative", "--name-only", "HEAD", "--", "."]).unwrap_or_default().lines()
        {
            commits.0.remove(path);
        }
        commits
    }

    /// Reads lines of commits, each with the paths that it changed, the newest first.
    fn from_log(log: &str) -> Commits {
        let (mut commits, mut commit) = (BTreeMap::new(), "");
        for line in log.lines().filter(|line| !line.is_empty()) {
            match line.strip_prefix(COMMIT) {
                Some(hash) => commit = hash,
                None => _ = commits.entry(line.to_owned()).or_insert_with(|| commit.to_owned()),
            }
        }
        Commits(commits)
    }

    pub fn of_file(&self, path: &str) -> Option<String> {
        self.0.get(path).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_commit_of_a_file_counts() {
        let commits = Commits::from_log("\u{1}new\n\na/b.gz\n\u{1}old\n\na/b.gz\nc.gz\n");
        let of = |path| commits.of_file(path);
        assert_eq!(of("a/b.gz").as_deref(), Some("new"));
        assert_eq!((of("c.gz").as_deref(), of("d.gz")), (Some("old"), None));
    }

    #[test]
    fn a_directory_without_git_has_no_commits() {
        let directory = tempfile::tempdir().unwrap();
        assert!(Commits::of(directory.path()).0.is_empty());
    }
}
