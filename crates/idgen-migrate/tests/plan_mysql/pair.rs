//! A schema that a plan changes, beside a twin that no plan changes and that gets the same statements.

use sqlx::mysql::MySqlConnection;

use crate::ledger::world::{Servers, World};

pub struct Pair<'a> {
    pub servers: &'a Servers,
    pub main: World,
    twin: World,
    /// Settings of the sessions that execute the statements.
    settings: &'a str,
    pub round: u32,
}

impl<'a> Pair<'a> {
    pub fn new(servers: &'a Servers, settings: &'a str) -> Pair<'a> {
        let [main, twin] = [World::new(&servers.server), World::new(&servers.server)];
        Pair { servers, main, twin, settings, round: 0 }
    }

    /// A session at the same time of the server's clock in both schemas.
    fn connect(&self, world: &World) -> MySqlConnection {
        let mut own = self.servers.connect(&world.scratch);
        let begin = format!("SET timestamp = {}{}", 1_700_000_000 + self.round, self.settings);
        self.servers.on(&mut own, &begin).unwrap();
        own
    }

    /// Executes statements in both schemas, one after the other: the function gives those of the changed schema for `true`. The answers
    /// must be the same, and are returned.
    pub fn both(&self, statements: impl Fn(bool) -> Vec<String>) -> Vec<Result<u64, u16>> {
        let (mut main, mut twin) = (self.connect(&self.main), self.connect(&self.twin));
        let mut answers = Vec::new();
        for (of_main, of_twin) in statements(true).iter().zip(&statements(false)) {
            let said = self.servers.on(&mut main, of_main);
            let expected = self.servers.on(&mut twin, of_twin);
            assert_eq!(
                said,
                expected,
                "{} round {}: {of_main:.300}",
                self.servers.server.database(),
                self.round
            );
            answers.push(said);
        }
        answers
    }

    /// Fails if a statement does.
    pub fn must(&self, statements: impl Fn(bool) -> Vec<String>) {
        for (said, sql) in self.both(&statements).into_iter().zip(statements(false)) {
            assert!(said.is_ok(), "{} round {}: {sql}: {said:?}", self.servers.server.database(), self.round);
        }
    }

    pub fn assert_equal(&self, of_main: &str, of_twin: &str) {
        let main = self.servers.texts(&self.main.scratch, of_main);
        let twin = self.servers.texts(&self.twin.scratch, of_twin);
        assert_eq!(main, twin, "{} round {}", self.servers.server.database(), self.round);
    }
}
