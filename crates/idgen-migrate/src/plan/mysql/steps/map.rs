//! With `--to integer`: integers of the map for the triggers, and the procedures that ask the map.

use minijinja::context;

use super::Steps;
use crate::plan::data::{Statement, Step};
use crate::plan::mysql::checks;
use crate::plan::mysql::ledger::{Conditions, Part, drop_procedure};
use crate::plan::mysql::map::Map;
use crate::plan::mysql::quote::name;
use crate::plan::mysql::templates::value;
use idgen_database::Result;

/// The number of claims that one transaction deletes.
const CLAIMS: u32 = 500;

impl Steps<'_> {
    pub(super) fn map_step(&self) -> Result<Step> {
        let Some(map) = self.map else { return self.new_tables() };
        let names = self.names;
        let (block, ids, reserve) = (&names.block, &names.ids, &names.reserve);
        let drop = drop_procedure(reserve);
        let known = map.integer_of("p_uuid", "");
        let context = context! {
            map => value(map), known, claim => &names.claim, bytes => &names.bytes, ids, block, reserve,
        };
        let fill = |template: &str| self.templates.fill(template, context.clone());
        let work = vec![
            Statement::new(
                "The integers that are reserved for the triggers, in an epoch of the map.",
                format!(
                    "CREATE TABLE IF NOT EXISTS {block} (one TINYINT PRIMARY KEY, first_id BIGINT UNSIGNED NOT NULL, \
                     last_id BIGINT UNSIGNED NOT NULL, epoch BIGINT UNSIGNED NOT NULL) ENGINE = InnoDB"
                ),
            ),
            Statement::new(
                "Its counter draws them: no session waits for the transaction of another one.",
                format!(
                    "CREATE TABLE IF NOT EXISTS {ids} (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE = InnoDB"
                ),
            ),
            drop.clone(),
            Statement::new(
                "Reserves a block of integers as every client of the map does.",
                fill("reserve.sql")?,
            ),
            Statement::new(
                "Reserves one, unless enough of the last one is left.",
                format!("CALL {reserve}()"),
            ),
            Statement::new(
                "Gives the integer of an id, and assigns one if the map has none.",
                fill("claim.sql")?,
            ),
            Statement::new("Gives the id of an integer, for the way back.", fill("bytes.sql")?),
        ];
        // Triggers that are left would fail without the procedures.
        let absent = vec![
            checks::triggers_absent(self.tables),
            checks::table_absent(self.first_old(), "the tables are renamed: undo that first"),
        ];
        let part = Part::Map;
        let back = Conditions { checks: absent, ..Conditions::default() };
        let mut undo_work = vec![drop];
        undo_work.extend(self.drop_map(map)?);
        let mut undo = self.framed(part, true, &back, undo_work)?;
        undo.push(self.drop_ledger());
        Ok(Step {
            name: "map".into(),
            purpose: format!(
                "Reserves integers of the map for rows that clients insert during the change, and makes the procedures with which \
                 the triggers ask the map. If the block should be used up, the triggers take each integer from the state row of \
                 the map, and then sessions wait for each other: `CALL {reserve}()` reserves the next block at any time \
                 ({block}.last_id and the largest id of {ids} show how much is left)."
            ),
            statements: self.framed(part, false, &Conditions::default(), work)?,
            undo,
            locks: "The state row of the map for an instant, as each client of the map locks it. When the next block is reserved, the \
                    metadata lock of the counter: new rows of the tables wait for it, a second at most."
                .into(),
            duration: None,
            stop: "Stop the client, and execute the file again.".into(),
        })
    }

    /// Settings of a session that looks up integers, and assigns them.
    pub(super) fn for_map(&self) -> Vec<Statement> {
        vec![Statement::new(
            "MariaDB finds no rows by the index of hashes of a map with mrr=on.",
            "SET SESSION optimizer_switch = 'mrr=off'",
        )]
    }

    /// The pairs stay in the map. Committed claims have no use any more, and are cleared away.
    pub(super) fn drop_map(&self, map: &Map) -> Result<Vec<Statement>> {
        let mut all = Vec::new();
        let names = self.names;
        for procedure in [&names.claim, &names.bytes, &names.reserve] {
            let sql = format!("DROP PROCEDURE IF EXISTS {procedure}");
            all.push(Statement::new("Removes a procedure that asks the map.", sql));
        }
        let sql = format!("DROP TABLE IF EXISTS {}, {}", name(&names.block), name(&names.ids));
        all.push(Statement::new(
            "Removes the reserved integers. Pairs stay in the map, and unused integers are never assigned.",
            sql,
        ));
        if map.is_dedup {
            all.extend(self.clear_claims(map)?);
        }
        Ok(all)
    }

    fn clear_claims(&self, map: &Map) -> Result<Vec<Statement>> {
        let clear = &self.names.clear;
        let drop = drop_procedure(clear);
        let sql = self.templates.fill("claims.sql", context! { map => value(map), clear, some => CLAIMS })?;
        Ok(vec![
            Statement::new(
                "Row locks without gaps, so that clients of the map can claim UUIDs meanwhile.",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            ),
            drop.clone(),
            Statement::new("Clears away claims that are committed: they have no use any more.", sql),
            Statement::new("Clears them away.", format!("CALL {clear}()")),
            drop,
        ])
    }
}
