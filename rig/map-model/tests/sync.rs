//! The sync keeps its promises in every state, and each defect breaks one.

use map_model::sync::{Defect, Scope, check};

fn assert_holds(scope: Scope, least: usize) {
    let found = check(scope, None);
    println!("{scope:?}: {} states", found.states);
    assert_eq!(found.broken, [""; 0], "{}", found.path);
    assert_eq!(found.unreached, [""; 0]);
    assert!(found.states >= least, "only {} states", found.states);
}

#[test]
fn two_devices() {
    assert_holds(Scope::TwoDevices, 1_000);
}

#[test]
fn exchange() {
    assert_holds(Scope::Exchange, 1_000);
}

#[test]
fn circle() {
    assert_holds(Scope::Circle, 1_000);
}

#[test]
fn family() {
    assert_holds(Scope::Family, 1_000);
}

#[test]
fn restored() {
    assert_holds(Scope::Restored, 1_000);
}

#[test]
fn copied() {
    assert_holds(Scope::Copied, 1_000);
}

#[test]
fn each_remedy_is_missed() {
    for defect in [
        Defect::WaitsWithoutPause,
        Defect::DeletedRowsMayArrive,
        Defect::RefusalsStayAlone,
        Defect::BlockedIsFinal,
        Defect::BlockedWithoutNumber,
        Defect::NoExchange,
        Defect::CirclesAreCut,
        Defect::NoSecondTry,
        Defect::DeletionsForgotten,
        Defect::OlderApplied,
        Defect::OlderAnswersCount,
        Defect::AnswersWithoutNumber,
        Defect::NoResend,
        Defect::CopiesOverwrite,
        Defect::NumbersAlone,
        Defect::SendingUnnoted,
    ] {
        let found = check(defect.scope(), Some(defect));
        println!("{defect:?}: {} states\n{}", found.states, found.path);
        assert!(found.broken.contains(&defect.breaks().name()), "{defect:?}: {:?}", found.broken);
    }
}
