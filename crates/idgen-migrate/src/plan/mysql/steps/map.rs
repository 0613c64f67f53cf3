//! With `--to integer`: integers of the map for the triggers, and the procedures that ask the map.

use minijinja::context;

use super::{Steps, WAIT};
use crate::plan::data::{Engine, Statement, Step};
use crate::plan::mysql::checks;
use crate::plan::mysql::map::Map;
use crate::plan::mysql::quote::name;
use crate::plan::mysql::templates::value;
use crate::plan::mysql::texts::{BYTES, CLAIM};
use idgen_database::Result;

/// The reserved integers, and the table whose counter draws them.
const BLOCK: &str = "idgen_plan_block";
const IDS: &str = "idgen_plan_ids";
const RESERVE: &str = "idgen_plan_reserve";
const CLEAR: &str = "idgen_plan_clear";

/// How many claims are cleared away in one transaction.
const CLAIMS: u32 = 500;

impl Steps<'_> {
    pub(super) fn map(&self, map: &Map) -> Result<Step> {
        let drop = Statement::new("Removes the procedure.", format!("DROP PROCEDURE IF EXISTS {RESERVE}"));
        let known = map.integer_of("p_uuid", "");
        let context = context! {
            map => value(map), known, claim => CLAIM, bytes => BYTES, ids => IDS, block => BLOCK, reserve => RESERVE,
        };
        let fill = |template: &str| self.templates.fill(template, context.clone());
        let statements = vec![
            Statement::new("Waits at most ten seconds for the metadata lock of a table.", WAIT),
            Statement::new(
                "The integers that are reserved for the triggers, in an epoch of the map.",
                format!(
                    "CREATE TABLE IF NOT EXISTS {BLOCK} (one TINYINT PRIMARY KEY, first_id BIGINT UNSIGNED NOT NULL, \
                     last_id BIGINT UNSIGNED NOT NULL, epoch BIGINT UNSIGNED NOT NULL) ENGINE = InnoDB"
                ),
            ),
            Statement::new(
                "Its counter draws them: no session waits for the transaction of another one.",
                format!(
                    "CREATE TABLE IF NOT EXISTS {IDS} (id BIGINT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY) ENGINE = InnoDB"
                ),
            ),
            drop.clone(),
            Statement::new(
                "Reserves a block of integers as every client of the map does.",
                fill("reserve.sql")?,
            ),
            Statement::new(
                "Reserves one, unless enough of the last one is left.",
                format!("CALL {RESERVE}()"),
            ),
            drop.clone(),
            Statement::new(
                "Gives the integer of an id, and assigns one if the map has none.",
                fill("claim.sql")?,
            ),
            Statement::new("Gives the id of an integer, for the way back.", fill("bytes.sql")?),
        ];
        // Triggers that are left would fail without the procedures.
        let mut undo =
            self.guard(&[checks::not_renamed(self.first_old()), checks::triggers_absent(self.tables)])?;
        undo.push(drop);
        undo.extend(self.drop_map(map)?);
        Ok(Step {
            name: "map".into(),
            purpose: format!(
                "Reserves integers of the map for rows that clients insert during the change, and makes the procedures with which \
                 the triggers ask the map. If the block should be used up, the triggers take each integer from the state row of \
                 the map, and then sessions wait for each other: execute this file again at any time to reserve the next block \
                 ({BLOCK}.last_id and the largest id of {IDS} show how much is left)."
            ),
            statements,
            undo,
            locks: "The state row of the map for an instant, as each client of the map locks it. When it is executed again, the \
                    metadata lock of the counter: new rows of the tables wait for it, ten seconds at most."
                .into(),
            duration: None,
            stop: "Stop the client, and execute the file again.".into(),
        })
    }

    /// Settings of a session that looks up integers, and assigns them.
    pub(super) fn for_map(&self) -> Vec<Statement> {
        let mut all = vec![Statement::new(
            "MariaDB finds no rows by the index of hashes of a map with mrr=on.",
            "SET SESSION optimizer_switch = 'mrr=off'",
        )];
        if self.engine == Engine::MySql {
            all.push(Statement::new(
                "The copy does not wait long for a pair that a client has locked.",
                "SET SESSION innodb_lock_wait_timeout = 1",
            ));
        }
        all
    }

    /// The pairs stay in the map. Committed claims have no use any more, and are cleared away.
    pub(super) fn drop_map(&self, map: &Map) -> Result<Vec<Statement>> {
        let mut all = Vec::new();
        for procedure in [CLAIM, BYTES] {
            let sql = format!("DROP PROCEDURE IF EXISTS {procedure}");
            all.push(Statement::new("Removes a procedure that asks the map.", sql));
        }
        let sql = format!("DROP TABLE IF EXISTS {}, {}", name(BLOCK), name(IDS));
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
        let drop = Statement::new("Removes the procedure.", format!("DROP PROCEDURE IF EXISTS {CLEAR}"));
        let sql = self
            .templates
            .fill("claims.sql", context! { map => value(map), clear => CLEAR, some => CLAIMS })?;
        Ok(vec![
            Statement::new(
                "Row locks without gaps, so that clients of the map can claim UUIDs meanwhile.",
                "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
            ),
            drop.clone(),
            Statement::new("Clears away claims that are committed: they have no use any more.", sql),
            Statement::new("Clears them away.", format!("CALL {CLEAR}()")),
            drop,
        ])
    }
}
