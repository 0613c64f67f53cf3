//! The statements in the sources of the map, each of which a run must have sent.

use std::collections::BTreeSet;
use std::path::Path;

use idgen_server::adversary::classes;

/// The words that statements begin with.
const WORDS: [&str; 16] = [
    "ALTER ",
    "CREATE ",
    "DELETE ",
    "DO ",
    "DROP ",
    "INSERT ",
    "KILL ",
    "RELEASE ",
    "REPLACE ",
    "ROLLBACK",
    "SAVEPOINT ",
    "SELECT ",
    "SET ",
    "SHOW ",
    "START ",
    "UPDATE ",
];

/// Sources of statements that no client of the map sends to one server of MySQL or MariaDB: those for Vitess, those of
/// `check_column`, and the texts of stored functions.
const OTHER_FILES: [&str; 3] = ["sharded.rs", "column.rs", "functions.rs"];

/// The beginnings of statements that are only sent to members of a cluster, or to Vitess.
const OTHERS: [&str; 3] = [
    "SELECT member_state FROM performance_schema.replication_group_members",
    "SELECT NEXT ",
    "SET SESSION TRANSACTION ISOLATION LEVEL",
];

/// The statements of the sources that are no class of these.
pub fn not_sent(seen: &BTreeSet<String>) -> Vec<String> {
    let mut found = Vec::new();
    read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src")), &mut found);
    assert!(found.len() > 30, "the sources have more statements than {found:#?}");
    // A placeholder stands for anything.
    let sent = |statement: &String| {
        seen.iter().any(|class| {
            let mut rest = class.strip_prefix("execute ").unwrap_or(class);
            statement.split('\0').all(|part| match rest.find(part.trim()) {
                Some(at) => {
                    rest = &rest[at + part.trim().len()..];
                    true
                }
                None => false,
            })
        })
    };
    found.retain(|statement| !sent(statement) && !OTHERS.iter().any(|other| statement.starts_with(other)));
    found
}

fn read(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            read(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !OTHER_FILES.iter().any(|name| path.ends_with(name))
        {
            let source = std::fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            for literal in literals(source) {
                if WORDS.iter().any(|word| literal.starts_with(word)) {
                    found.extend(classes(&literal));
                }
            }
        }
    }
}

/// The string literals of a source, with a zero character for each placeholder.
fn literals(source: &str) -> Vec<String> {
    let code: String = source
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut literals = Vec::new();
    let mut rest = code.replace("'\"'", "' '");
    while let Some(begin) = rest.find('"') {
        let mut literal = String::new();
        let mut chars = rest[begin + 1..].char_indices().peekable();
        let mut end = rest.len();
        while let Some((at, char)) = chars.next() {
            match char {
                '"' => {
                    end = begin + 1 + at + 1;
                    break;
                }
                '\\' => match chars.next() {
                    // The literal continues after the spaces at the beginning of the next line.
                    Some((_, '\n')) => while chars.next_if(|(_, char)| char.is_whitespace()).is_some() {},
                    Some((_, char)) => literal.push(char),
                    None => {}
                },
                '{' => {
                    while chars.next().is_some_and(|(_, char)| char != '}') {}
                    literal.push('\0');
                }
                _ => literal.push(char),
            }
        }
        literals.push(literal);
        rest = rest[end..].to_owned();
    }
    literals
}

#[test]
fn a_statement_that_no_run_sends_is_found() {
    let all = not_sent(&BTreeSet::new());
    assert!(
        all.contains(&"SAVEPOINT idgen_map".to_owned()) || all.iter().any(|text| text.contains("SAVEPOINT"))
    );
    let insert = "INSERT INTO `uuid_map` (id, uuid) VALUES (N,X)".to_owned();
    let left = not_sent(&BTreeSet::from([insert]));
    assert!(left.len() < all.len(), "{left:#?}");
}
