//! Keys of several columns. The same statements are executed on tables without a plan, and both must stay equal.

use idgen_migrate::plan::Target;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::psql::{Files, connect, database, execute, text};
use crate::rows;

/// Tenants have orders, whose number is theirs; lines and notes refer to both. `kind` is no id.
const TABLES: &str = "CREATE TABLE tenants (id char(36) PRIMARY KEY, kind int NOT NULL, UNIQUE (id, kind));
    CREATE TABLE orders (tenant char(36), kind int, id text, n int, PRIMARY KEY (tenant, id), UNIQUE (id, kind),
      CONSTRAINT of_tenant FOREIGN KEY (tenant, kind) REFERENCES tenants (id, kind) ON UPDATE CASCADE ON DELETE CASCADE);
    CREATE TABLE lines (tenant char(36), order_id text, n int,
      CONSTRAINT of_order FOREIGN KEY (tenant, order_id) REFERENCES orders ON UPDATE CASCADE ON DELETE CASCADE);
    CREATE TABLE notes (order_id text, kind int, n int,
      CONSTRAINT about FOREIGN KEY (order_id, kind) REFERENCES orders (id, kind) ON UPDATE CASCADE ON DELETE SET NULL (order_id));";

/// The rows of a schema, with keys as uuids.
const CONTENT: &str = "SELECT string_agg(r, E'\\n' ORDER BY r) FROM (
    SELECT 'tenant ' || id::uuid || kind FROM S.tenants
    UNION ALL SELECT concat_ws(' ', 'order', tenant::uuid, kind, id::uuid, n) FROM S.orders
    UNION ALL SELECT concat_ws(' ', 'line', tenant::uuid, order_id::uuid, n) FROM S.lines
    UNION ALL SELECT concat_ws(' ', 'note', order_id::uuid, kind, n) FROM S.notes) AS a (r)";

/// Changes of the two schemas, which know the ids that there are.
struct Twins {
    connection: PgConnection,
    random: fastrand::Rng,
    tenants: Vec<String>,
    orders: Vec<String>,
    n: u32,
}

impl Twins {
    async fn both(&mut self, sql: &str) {
        for schema in ["public", "plain"] {
            execute(&mut self.connection, format!("SET search_path = {schema}; {sql}")).await;
        }
    }

    async fn equal(&mut self, when: &str) {
        let of = |schema: &str| CONTENT.replace("S.", &format!("{schema}."));
        let (found, expected) =
            (text(&mut self.connection, &of("public")).await, text(&mut self.connection, &of("plain")).await);
        assert_eq!(found, expected, "{when}");
    }

    /// An id in one of the spellings.
    fn id(&mut self) -> String {
        let id = Uuid::new_v4().to_string();
        if self.random.bool() { id.to_uppercase() } else { id }
    }

    async fn change(&mut self) {
        self.n += 1;
        let (n, kind) = (self.n, self.random.i32(0..100));
        let (new, other, none) = (self.id(), self.id(), Uuid::nil().to_string());
        let tenant = self.random.choice(&self.tenants).unwrap_or(&none).clone();
        let order = self.random.choice(&self.orders).unwrap_or(&none).clone();
        // Comparisons work with texts and with uuids.
        let (a_tenant, an_order) =
            (format!("id::text::uuid = '{tenant}'"), format!("id::text::uuid = '{order}'"));
        let one = format!(
            "INSERT INTO orders (tenant, kind, id, n) SELECT id, kind, '{new}', {n} FROM tenants WHERE {a_tenant};
             INSERT INTO lines (tenant, order_id, n) SELECT tenant, id, {n} FROM orders WHERE id::text::uuid = '{new}';
             INSERT INTO notes (order_id, kind, n) SELECT id, kind, {n} FROM orders WHERE id::text::uuid = '{new}'"
        );
        let sql = match self.random.u8(0..8) {
            0 => format!("INSERT INTO tenants (id, kind) VALUES ('{new}', {kind})"),
            1..=3 => one,
            4 => format!("UPDATE tenants SET kind = {kind} WHERE {a_tenant}"),
            5 => format!("UPDATE tenants SET id = '{new}', kind = kind + {} WHERE {a_tenant}", kind % 2),
            6 => format!("UPDATE orders SET id = '{new}' WHERE {an_order}"),
            // Within one transaction, after the row has changed.
            _ => format!(
                "{one}; UPDATE lines SET n = -n WHERE n = {n}; UPDATE orders SET id = '{other}' WHERE id::text::uuid = '{new}';
                 DELETE FROM orders WHERE {an_order}"
            ),
        };
        self.both(&sql).await;
        let list = "SELECT COALESCE(string_agg(id::text, ','), '') FROM plain.";
        let ids = |text: String| text.split(',').filter(|id| !id.is_empty()).map(str::to_owned).collect();
        self.tenants = ids(text(&mut self.connection, &format!("{list}tenants")).await);
        self.orders = ids(text(&mut self.connection, &format!("{list}orders")).await);
    }
}

async fn change_while_the_plan_is_executed(old_keys_act_last: bool) {
    let tables = format!("CREATE SCHEMA plain; {TABLES} SET search_path = plain; {TABLES}");
    let (scratch, mut connection) = database(tables).await;
    if old_keys_act_last {
        rows::let_the_old_keys_act_last(&mut connection).await;
    }
    let mut twins = Twins {
        connection: connect(scratch.url()).await,
        random: fastrand::Rng::with_seed(1),
        tenants: vec![],
        orders: vec![],
        n: 0,
    };
    for _ in 0..40 {
        twins.change().await;
    }
    let files = Files::to(Target::Uuid, scratch.url(), "public.orders").await;
    assert_eq!(files.plan.tables.len(), 4, "{:?}", files.plan.tables);
    let switch = files.names.iter().position(|name| name.ends_with("-switch.sql")).unwrap();
    let (before, after) = (&files.names[..=switch], &files.names[switch - 4..]);
    let back = before.iter().rev().filter(|name| files.undo_of(name)).map(|name| format!("undo/{name}"));
    let back: Vec<String> = back.take(1).collect();
    for name in before.iter().chain(&back).chain(after) {
        files.run(name);
        twins.equal(name).await;
        for _ in 0..25 {
            twins.change().await;
        }
        twins.equal(&format!("after {name}")).await;
    }
    let key = "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'public.notes'::regclass AND contype = 'f'";
    assert_eq!(
        text(&mut connection, key).await,
        "FOREIGN KEY (order_id, kind) REFERENCES public.orders(id, kind) ON UPDATE CASCADE ON DELETE SET NULL (order_id)"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_of_several_columns_stay_equal() {
    change_while_the_plan_is_executed(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn keys_of_several_columns_stay_equal_where_the_old_ones_act_last() {
    change_while_the_plan_is_executed(true).await;
}
