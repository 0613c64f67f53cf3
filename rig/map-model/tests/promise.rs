//! The design keeps its promise in every state, and each defect breaks it.

use map_model::{Defect, Index, Scope, check};

fn assert_holds(index: Index, scope: Scope, least: usize) {
    let found = check(index, scope, None);
    println!("{index:?}, {scope:?}: {} states, at most {} steps", found.states, found.steps);
    assert_eq!(found.violated, [""; 0], "{}", found.path);
    assert_eq!(found.unreached, [""; 0]);
    assert!(found.states >= least, "only {} states", found.states);
}

#[test]
fn unique_keeps_its_promise_between_calls() {
    assert_holds(Index::Unique, Scope::Calls, 200_000);
}

#[test]
fn unique_keeps_its_promise_over_restored_backups() {
    assert_holds(Index::Unique, Scope::Operations, 110_000);
}

#[test]
fn dedup_keeps_its_promise_between_calls() {
    assert_holds(Index::Dedup, Scope::Calls, 180_000);
}

#[test]
fn dedup_keeps_its_promise_over_restored_backups() {
    assert_holds(Index::Dedup, Scope::Operations, 110_000);
}

fn assert_found(defect: Defect) {
    for index in defect.indexes() {
        let found = check(*index, defect.scope(), Some(defect));
        println!("{defect:?}, {index:?}: {} states\n{}", found.states, found.path);
        assert!(found.violated.contains(&defect.violates()), "{index:?}: {:?}", found.violated);
    }
}

#[test]
fn give_back_ignores_epoch() {
    assert_found(Defect::GiveBackIgnoresEpoch);
}

#[test]
fn give_back_repeated() {
    assert_found(Defect::GiveBackRepeated);
}

#[test]
fn answer_believed() {
    assert_found(Defect::AnswerBelieved);
}

#[test]
fn block_used_before_commit() {
    assert_found(Defect::BlockUsedBeforeCommit);
}

#[test]
fn id_reused_after_lost_answer() {
    assert_found(Defect::IdReusedAfterLostAnswer);
}

#[test]
fn look_before_claim() {
    assert_found(Defect::LookBeforeClaim);
}

#[test]
fn new_claim_means_new_uuid() {
    assert_found(Defect::NewClaimMeansNewUuid);
}

#[test]
fn running_claims_purged() {
    assert_found(Defect::RunningClaimsPurged);
}

#[test]
fn snapshot_believed() {
    assert_found(Defect::SnapshotBelieved);
}

#[test]
fn snapshot_not_confirmed() {
    assert_found(Defect::SnapshotNotConfirmed);
}

#[test]
fn lock_released_before_commit() {
    assert_found(Defect::LockReleasedBeforeCommit);
}

#[test]
fn text_goes_on_after_rollback() {
    assert_found(Defect::TextGoesOnAfterRollback);
}

#[test]
fn empty_look_up_believed() {
    assert_found(Defect::EmptyLookUpBelieved);
}

#[test]
fn read_before_on_disk() {
    assert_found(Defect::ReadBeforeOnDisk);
}

#[test]
fn fence_keeps_epoch() {
    assert_found(Defect::FenceKeepsEpoch);
}

#[test]
fn epochs_repeat() {
    assert_found(Defect::EpochsRepeat);
}

#[test]
fn fence_keeps_next_id() {
    assert_found(Defect::FenceKeepsNextId);
}

#[test]
fn block_kept_over_fence() {
    assert_found(Defect::BlockKeptOverFence);
}

#[test]
fn cache_kept_over_fence() {
    assert_found(Defect::CacheKeptOverFence);
}

#[test]
fn cache_without_age_limit() {
    assert_found(Defect::CacheWithoutAgeLimit);
}

#[test]
fn import_keeps_next_id() {
    assert_found(Defect::ImportKeepsNextId);
}

#[test]
fn import_compares_early() {
    assert_found(Defect::ImportComparesEarly);
}

#[test]
fn forget_frees_id() {
    assert_found(Defect::ForgetFreesId);
}

#[test]
fn connections_survive_restore() {
    assert_found(Defect::ConnectionsSurviveRestore);
}
