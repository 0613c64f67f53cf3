//! The part of a server's log that is shown.

/// Lines at the end of the log that are shown.
const LAST: usize = 20;
/// Lines before them that are shown because they contain an error.
const ERRORS: usize = 10;

/// The errors in a log, and its end. A server that ends because of a fault writes what failed first, and then many lines
/// about its state.
pub(crate) fn excerpt(log: &str) -> String {
    let lines: Vec<&str> = log.trim().lines().collect();
    let (before, end) = lines.split_at(lines.len().saturating_sub(LAST));
    let is_error =
        |line: &&&str| ["[ERROR]", "ssertion", "FATAL:", "PANIC:"].iter().any(|word| line.contains(word));
    let errors: Vec<&str> = before.iter().filter(is_error).copied().collect();
    let errors = &errors[errors.len().saturating_sub(ERRORS)..];
    [errors, end].concat().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_shown_although_they_are_far_from_the_end() {
        let before = "ready\nInnoDB: Failing assertion: tail.trx_no <= last_trx_no\ngot signal 6";
        let state: Vec<String> = (1..=30).map(|line| format!("state {line}")).collect();
        let shown = excerpt(&format!("{before}\n{}\n", state.join("\n")));
        let shown: Vec<&str> = shown.lines().collect();
        assert_eq!(shown[..2], ["InnoDB: Failing assertion: tail.trx_no <= last_trx_no", "state 11"]);
        assert_eq!((shown.len(), shown[20]), (21, "state 30"));

        assert_eq!(excerpt("one\n[ERROR] two\n"), "one\n[ERROR] two");
        assert_eq!(excerpt(""), "");
    }
}
