//! The ledger keeps its promises in every state, and each rule is needed.

use plan_model::{Defect, check};

#[test]
fn the_ledger_keeps_its_promises() {
    let found = check(None);
    println!("{} states", found.states);
    assert_eq!(found.violated, [""; 0], "{}", found.path);
    assert_eq!(found.unreached, [""; 0]);
    assert!(found.states >= 10_000, "only {} states", found.states);
}

#[test]
fn each_rule_is_needed() {
    for defect in [
        Defect::TriggersAgain,
        Defect::RenameWithoutVerify,
        Defect::FinishWithoutVerify,
        Defect::SignatureIgnored,
        Defect::NoCheckAfterRename,
        Defect::UndoWithoutCompare,
        Defect::UndoWithoutSignature,
        Defect::PreparedIgnored,
    ] {
        let found = check(Some(defect));
        println!("{defect:?}: {} states\n{}", found.states, found.path);
        assert!(found.violated.contains(&defect.violates()), "{defect:?}: {:?}", found.violated);
    }
}
