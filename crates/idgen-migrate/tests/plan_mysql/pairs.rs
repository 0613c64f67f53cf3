//! Tests what the triggers of a plan with integers do with the map, one case after the other, before and after the
//! renaming.

use idgen_migrate::plan::{Options, Target};
use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::integers::{map, number};
use crate::ledger::world::{Servers, World};
use crate::shop::{Acknowledged, execute, fill, text};

struct Case {
    own: MySqlConnection,
    other: MySqlConnection,
    map: UuidMap,
    rows: Acknowledged,
    new_orders: String,
    new_items: String,
    old_orders: String,
}

#[test]
fn triggers_ask_the_map_with_unique_ids() {
    for database in Database::MYSQL_FAMILY {
        cases(database, Index::Unique);
    }
}

#[test]
fn triggers_ask_the_map_with_hashes() {
    for database in Database::MYSQL_FAMILY {
        cases(database, Index::Dedup);
    }
}

fn cases(database: Database, index: Index) {
    let servers = Servers::with_runtime(database, crate::workers(1));
    let world = World::new(&servers.server);
    let (client, runtime) = (&world.client, &servers.runtime);
    let (rows, map) = runtime.block_on(async {
        let rows = fill(world.scratch.url(), 1, 100, Target::Integer).await;
        let map = map(world.scratch.url(), index, &rows).await;
        (rows.into_iter().next().unwrap(), map)
    });
    servers.plan(&world, &Options::new("orders", Target::Integer));
    let [mut own, other] = [servers.connect(&world.scratch), servers.connect(&world.scratch)];
    servers.on(&mut own, "SET SESSION innodb_lock_wait_timeout = 1").unwrap();
    let [new_orders, old_orders] = ["new", "old"].map(|ending| client.made("orders", ending));
    let mut case =
        Case { own, other, map, rows, new_orders, new_items: client.made("items", "new"), old_orders };
    let files = client.files("");
    let rename = files.iter().position(|file| file.ends_with("-rename.sql")).unwrap();
    files[..rename].iter().for_each(|file| drop(client.must(file)));
    let no_way_back = |why: &str| {
        let said = client.execute("undo/02-map.sql").unwrap_err();
        assert!(said.contains(why), "{said}");
    };
    no_way_back("later steps stand");
    runtime.block_on(async {
        case.pairs_that_exist().await;
        case.locks_and_commits_of_others().await;
        case.a_new_key().await;
    });
    files[rename..=rename + 1].iter().for_each(|file| drop(client.must(file)));
    no_way_back("later steps stand");
    runtime.block_on(case.after_the_renaming());
    client.must(&files[rename + 1]);
    if index == Index::Dedup {
        runtime.block_on(case.claim_and_wait());
    }
    client.must(&files[rename + 2]);
    if index == Index::Dedup {
        runtime.block_on(case.only_the_open_claim_is_left());
    }
}

fn new() -> (Uuid, String) {
    let id = Uuid::new_v4();
    (id, format!("'{}'", text(id.as_u128())))
}

impl Case {
    async fn order(&mut self, id: &str) -> Result<u64, u16> {
        let customer = text(*self.rows.customers.keys().next().unwrap());
        let sql = format!("INSERT INTO orders (id, customer_id, busy) VALUES ({id}, '{customer}', 5)");
        execute(&mut self.own, &sql).await
    }

    /// The integer of a row in a table.
    async fn integer(&mut self, table: &str, id: &str) -> u64 {
        number(&mut self.own, &format!("SELECT id_int FROM {table} WHERE id = {id}")).await as u64
    }

    async fn must(&mut self, sql: &str) {
        assert_eq!(execute(&mut self.own, sql).await, Ok(1), "{sql}");
    }

    async fn pairs_that_exist(&mut self) {
        let (id, quoted) = new();
        let integer = self.map.id_of(id).await.unwrap();
        // Also if the snapshot of the transaction is older than the pair.
        let (late, quoted_late) = new();
        execute(&mut self.own, "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ").await.unwrap();
        execute(&mut self.own, "START TRANSACTION WITH CONSISTENT SNAPSHOT").await.unwrap();
        let late_integer = self.map.id_of(late).await.unwrap();
        self.order(&quoted).await.unwrap();
        self.order(&quoted_late).await.unwrap();
        execute(&mut self.own, "COMMIT").await.unwrap();
        assert_eq!(self.integer(&self.new_orders.clone(), &quoted).await, integer);
        assert_eq!(self.integer(&self.new_orders.clone(), &quoted_late).await, late_integer);
        // The client's own counter is not the one that the trigger used.
        let (fresh, quoted_fresh) = new();
        self.order(&quoted_fresh).await.unwrap();
        let last = number(&mut self.own, "SELECT LAST_INSERT_ID()").await;
        let counted =
            number(&mut self.own, &format!("SELECT number FROM orders WHERE id = {quoted_fresh}")).await;
        assert_eq!(last, counted);
        // A deleted row leaves its pair behind, and comes back with its integer.
        let made = self.integer(&self.new_orders.clone(), &quoted_fresh).await;
        self.must(&format!("DELETE FROM orders WHERE id = {quoted_fresh}")).await;
        assert_eq!(self.map.find(fresh).await.unwrap(), Some(made));
        self.order(&quoted_fresh).await.unwrap();
        assert_eq!(self.integer(&self.new_orders.clone(), &quoted_fresh).await, made);
        // A pair whose transaction is rolled back is nowhere.
        let (gone, quoted_gone) = new();
        execute(&mut self.own, "BEGIN").await.unwrap();
        self.order(&quoted_gone).await.unwrap();
        execute(&mut self.own, "ROLLBACK").await.unwrap();
        assert_eq!(self.map.find(gone).await.unwrap(), None);
    }

    async fn locks_and_commits_of_others(&mut self) {
        for commits in [false, true] {
            let (id, quoted) = new();
            execute(&mut self.other, "BEGIN").await.unwrap();
            // `id_of_within` makes this claim, with either index.
            let _ = execute(
                &mut self.other,
                &format!("INSERT INTO uuid_map_claim (uuid) VALUES (x'{:032x}')", id.as_u128()),
            )
            .await;
            let far = 3_000_000 + u64::from(commits);
            let pair = format!("INSERT INTO uuid_map (id, uuid) VALUES ({far}, x'{:032x}')", id.as_u128());
            execute(&mut self.other, &pair).await.unwrap();
            assert_eq!(self.order(&quoted).await, Err(1205));
            let rows = format!("SELECT COUNT(*) FROM orders WHERE id = {quoted}");
            assert_eq!(number(&mut self.own, &rows).await, 0);
            let end = if commits { "COMMIT" } else { "ROLLBACK" };
            execute(&mut self.other, end).await.unwrap();
            self.order(&quoted).await.unwrap();
            let integer = self.integer(&self.new_orders.clone(), &quoted).await;
            assert_eq!(integer == far, commits);
            assert_eq!(self.map.find(id).await.unwrap(), Some(integer));
        }
        // A locked pair of the parent: the statement fails as with every row lock, and nothing of it is done.
        let customer = *self.rows.customers.keys().next().unwrap();
        let integer = self.map.id_of(Uuid::from_u128(customer)).await.unwrap();
        execute(&mut self.other, "BEGIN").await.unwrap();
        let lock = format!("SELECT id FROM uuid_map WHERE id = {integer} FOR UPDATE");
        execute(&mut self.other, &lock).await.unwrap();
        let (_, quoted) = new();
        assert_eq!(self.order(&quoted).await, Err(1205));
        execute(&mut self.other, "ROLLBACK").await.unwrap();
        self.order(&quoted).await.unwrap();
    }

    /// The row gets the integer of its new id, and the rows that refer to it follow.
    async fn a_new_key(&mut self) {
        let (item, row) = self.rows.items.iter().next().map(|(id, row)| (*id, *row)).unwrap();
        let order = row.0.unwrap();
        let before = self.map.find(Uuid::from_u128(order)).await.unwrap();
        let (id, quoted) = new();
        self.must(&format!("UPDATE orders SET id = {quoted} WHERE id = '{}'", text(order))).await;
        let integer = self.integer(&self.new_orders.clone(), &quoted).await;
        assert_eq!(self.map.find(id).await.unwrap(), Some(integer));
        assert_eq!(self.map.find(Uuid::from_u128(order)).await.unwrap(), before);
        let child = format!("SELECT order_id_int FROM {} WHERE id = '{}'", self.new_items, text(item));
        assert_eq!(number(&mut self.own, &child).await as u64, integer);
    }

    /// A claim of a transaction that is not committed, and more committed ones than the last step deletes at once.
    async fn claim_and_wait(&mut self) {
        let ids: Vec<Uuid> = (0..1_200).map(|_| Uuid::new_v4()).collect();
        for id in &ids[1..] {
            let claim = format!("INSERT INTO uuid_map_claim (uuid) VALUES (x'{:032x}')", id.as_u128());
            self.must(&claim).await;
        }
        let claim = format!("INSERT INTO uuid_map_claim (uuid) VALUES (x'{:032x}')", ids[0].as_u128());
        execute(&mut self.other, "BEGIN").await.unwrap();
        execute(&mut self.other, &claim).await.unwrap();
    }

    /// The last step neither waited for it nor deleted it, and deleted all others.
    async fn only_the_open_claim_is_left(&mut self) {
        execute(&mut self.other, "COMMIT").await.unwrap();
        assert_eq!(number(&mut self.own, "SELECT COUNT(*) FROM uuid_map_claim").await, 1);
    }

    async fn after_the_renaming(&mut self) {
        let (id, quoted) = new();
        let integer = self.map.id_of(id).await.unwrap();
        let (second, quoted_second) = new();
        let of_second = self.map.id_of(second).await.unwrap();
        let insert = |id: &str, integer: u64| {
            format!("INSERT INTO customers (id, id_int, name) VALUES ({id}, {integer}, 'new')")
        };
        // Not the integer of the id, and one that the map does not have.
        for wrong in [of_second, 9_000_000_000] {
            assert_eq!(execute(&mut self.own, &insert(&quoted, wrong)).await, Err(1644));
        }
        self.must(&insert(&quoted, integer)).await;
        let order = Uuid::new_v4();
        let of_order = self.map.id_of(order).await.unwrap();
        self.must(&format!(
            "INSERT INTO orders (id, id_int, customer_id_int, busy) VALUES ('{}', {of_order}, {integer}, 1)",
            text(order.as_u128())
        ))
        .await;
        let key = format!("UPDATE customers SET id = {quoted_second}");
        assert_eq!(execute(&mut self.own, &format!("{key} WHERE id_int = {integer}")).await, Err(1644));
        self.must(&format!("{key}, id_int = {of_second} WHERE id_int = {integer}")).await;
        let old = format!(
            "SELECT COUNT(*) FROM {} WHERE id = '{}' AND customer_id = {quoted_second}",
            self.old_orders,
            text(order.as_u128())
        );
        assert_eq!(number(&mut self.own, &old).await, 1);
        // A column that is replaced is not there for an application that does not know about it.
        let old_statement = format!("UPDATE orders SET busy = 2 WHERE customer_id = {quoted_second}");
        assert_eq!(execute(&mut self.own, &old_statement).await, Err(1054));
        self.must(&format!("DELETE FROM customers WHERE id = {quoted_second}")).await;
        assert_eq!(number(&mut self.own, &old).await, 0);
    }
}
