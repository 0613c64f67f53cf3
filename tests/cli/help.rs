//! The help texts, whose examples are run.

use std::path::Path;
use std::process::Command;

use crate::{idgen, lines_of, output};

/// The subcommands whose examples need nothing but a shell: no server, and no minutes of measuring.
const QUICK: [&str; 7] = ["new", "convert", "inspect", "bounds", "check", "odds", "completions"];

/// The commands under `Examples:`, each of which fits a line of 80 characters.
fn examples(args: &[&str]) -> Vec<String> {
    let help = lines_of(output(args, ""));
    assert!(help.iter().all(|line| line.chars().count() <= 120), "{args:?} is too wide");
    let from =
        help.iter().position(|line| line == "Examples:").unwrap_or_else(|| panic!("{args:?} has examples"));
    let examples: Vec<_> = help[from + 1..].iter().take_while(|line| line.starts_with("  ")).collect();
    assert!(examples.iter().all(|line| line.chars().count() <= 80), "{examples:#?}");
    examples.iter().map(|line| line.trim().into()).collect()
}

/// Runs a command line in a folder that has the files that the examples use.
fn run(example: &str, folder: &Path) {
    let bin = Path::new(assert_cmd::cargo::cargo_bin!("idgen")).parent().unwrap().to_path_buf();
    let path = std::env::var("PATH").unwrap();
    let done = Command::new("sh")
        .args(["-c", example])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("HOME", folder)
        .env("PROFILE", folder.join("profile.ps1"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && errors.is_empty(), "{example}: {errors}");
}

#[cfg(unix)]
#[test]
fn every_example_runs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("ids.txt"), "6ccd780c-baba-1026-9564-5b8c656024db\n").unwrap();
    for (name, first) in [("a.txt", 3), ("b.txt", 5)] {
        let ids = [first, first + 1].map(|n| format!("017f22e2-79b0-7cc{n}-98c4-dc0c0c07398f\n"));
        std::fs::write(folder.join(name), ids.concat()).unwrap();
    }
    std::fs::write(folder.join("created_at.txt"), "2026-11-21T12:00:00Z\n").unwrap();
    for key in ["ids.key", "seal.key"] {
        std::fs::write(folder.join(key), "a key of more than 16 bytes\n").unwrap();
    }
    for place in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        std::fs::create_dir_all(folder.join(place)).unwrap();
    }
    let mut ran = 0;
    for example in examples(&["--help"]) {
        let command = example.split_whitespace().nth(1).unwrap();
        if QUICK.contains(&command) {
            run(&example, folder);
            ran += 1;
        }
    }
    for command in QUICK {
        for example in examples(&[command, "--help"]) {
            run(&example, folder);
            ran += 1;
        }
    }
    assert!(ran > 20, "{ran}");
}

#[test]
fn every_subcommand_says_what_it_does_and_has_examples() {
    let help = lines_of(output(&["-h"], ""));
    let from = help.iter().position(|line| line == "Commands:").unwrap();
    let mut seen = 0;
    for line in help[from + 1..].iter().take_while(|line| !line.is_empty()) {
        let mut words = line.split_whitespace();
        let command = words.next().unwrap();
        assert!(words.count() > 2, "{line}");
        if command != "help" {
            assert!(!examples(&[command, "--help"]).is_empty(), "{command}");
            seen += 1;
        }
    }
    assert!(seen >= QUICK.len(), "{seen}");
    for command in ["advise", "compare", "pages", "report", "run", "simulate", "site"] {
        assert!(!examples(&["lab", command, "--help"]).is_empty(), "lab {command}");
    }
    for command in ["run", "status"] {
        assert!(!examples(&["plan", command, "--help"]).is_empty(), "plan {command}");
    }
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = output(&["completions", shell], "");
        assert!(String::from_utf8(script).unwrap().contains("when-behind"), "{shell}");
    }
    idgen(&["help", "new"]).assert().success();
}
