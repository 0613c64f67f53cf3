//! The test can fail: what is wrong in the tables, or in an answer, is found.

use idgen_mysql::Index;
use idgen_server::Database;
use idgen_server::adversary::Adversary;

use super::client::Client;
use super::ledger::{Ledger, Stored};
use super::tables::{SEEDS, Tables, seed, uuid};
use super::{block_on, server};

fn known() -> Ledger {
    let mut ledger = Ledger::default();
    (1..=SEEDS).for_each(|id| ledger.acknowledge("seed", seed(id), id));
    ledger
}

/// Returns the violations that the ledger finds in tables after this statement has damaged them.
async fn found_after(statement: &str) -> Vec<String> {
    let scratch = server(Database::MariaDb).scratch().unwrap();
    let mut tables = Tables::new(scratch.url(), Index::Dedup).await;
    tables.reset().await;
    let mut ledger = known();
    ledger.compare(&tables.stored().await);
    assert_eq!(ledger.clone().end().0, [""; 0]);
    tables.run(statement).await;
    ledger.compare(&tables.stored().await);
    ledger.end().0
}

#[test]
fn damaged_tables_are_found() {
    let twice = format!("INSERT INTO uuid_map (id, uuid) VALUES (99, x'{}')", seed(3).simple());
    for (statement, expected) in [
        (&*twice, format!("{} has the ids 3 and 99", seed(3))),
        ("DELETE FROM uuid_map WHERE id = 4", format!("{} with the id 4 has None", seed(4))),
        ("UPDATE uuid_map SET id = 98 WHERE id = 5", format!("{} with the id 5 has Some(98)", seed(5))),
        (
            "UPDATE uuid_map_state SET next_id = 24",
            format!("{} has the id 24, and the next id is 24", seed(24)),
        ),
    ] {
        block_on(async {
            let found = found_after(statement).await;
            assert!(found.iter().any(|text| text.contains(&expected)), "{statement}: {found:?}");
        });
    }
}

#[test]
fn wrong_answers_are_found() {
    block_on(async {
        let scratch = server(Database::MariaDb).scratch().unwrap();
        let mut tables = Tables::new(scratch.url(), Index::Unique).await;
        tables.reset().await;
        // The map answers with what is stored: two pairs are exchanged, and one is gone.
        let [one, two] = [seed(1), seed(2)].map(|uuid| format!("x'{}'", uuid.simple()));
        let exchange = [
            format!(
                "UPDATE uuid_map SET uuid = x'00' WHERE id = 1; UPDATE uuid_map SET uuid = {one} WHERE id = 2"
            ),
            format!("UPDATE uuid_map SET uuid = {two} WHERE id = 1; DELETE FROM uuid_map WHERE id = 3"),
        ];
        for statement in exchange {
            tables.run(statement).await;
        }
        let adversary = Adversary::start(scratch.url()).await.unwrap();
        let mut ledger = known();
        let mut client = Client::new(&adversary, &mut tables, &mut ledger, Index::Unique);
        assert!(client.connect().await);
        client.find(&[seed(1), seed(3)]).await;
        client.uuids_of(&[2, 3]).await;
        client.register(seed(4)).await;
        client.close().await;
        let (violations, said) = ledger.end();
        for expected in [
            format!("find: {} has the id 2, and had 1", seed(1)),
            format!("find: {} has no id, and had 3", seed(3)),
            "uuids_of: 3 has no UUID, and had ".to_owned() + &seed(3).to_string(),
        ] {
            assert!(violations.contains(&expected), "{expected}: {violations:#?}\n{said:#?}");
        }
    });
}

#[test]
fn the_ledger_knows_what_is_wrong() {
    let found = |work: &dyn Fn(&mut Ledger)| {
        let mut ledger = known();
        work(&mut ledger);
        ledger.end().0.join("; ")
    };
    assert!(found(&|ledger| ledger.acknowledge("id_of", uuid(2, 1), 7)).contains("which"));
    assert!(found(&|ledger| ledger.acknowledge("id_of", uuid(2, 1), 0)).contains("the id 0"));
    assert!(found(&|ledger| ledger.found_uuid("uuids_of", 7, Some(seed(8)))).contains("had 8"));
    assert!(found(&|ledger| ledger.listed("export", &ledger.clone().pairs()[1..])).contains("is missing"));
    let erased = |ledger: &mut Ledger| {
        ledger.erasing(seed(7));
        ledger.erased("forget", seed(7), Some(7));
    };
    assert!(
        found(&|ledger| {
            erased(ledger);
            ledger.found("find", seed(7), Some(7));
        })
        .contains("the erased id 7")
    );
    assert!(
        found(&|ledger| {
            erased(ledger);
            ledger.compare(&Stored { pairs: ledger.clone().pairs(), next_id: 25 });
        })
        .contains("the erased id 7 is free")
    );
    assert!(
        found(&|ledger| {
            ledger.rolled_back(&[uuid(2, 1)]);
            let pairs = [ledger.pairs(), vec![(25, uuid(2, 1))]].concat();
            ledger.compare(&Stored { pairs, next_id: 26 });
        })
        .contains("was rolled back, and is stored")
    );
    assert!(
        found(&|ledger| {
            let pairs = [ledger.pairs(), vec![(24, uuid(2, 1))]].concat();
            ledger.compare(&Stored { pairs, next_id: 26 });
        })
        .contains("have the id 24")
    );
}
