//! The moment of the change, its way back, and the last step.

use minijinja::context;

use super::{Steps, counter, drop_triggers};
use crate::plan::data::{Statement, Step, Target};
use crate::plan::mysql::altered::Side;
use crate::plan::mysql::attached::Role;
use crate::plan::mysql::check::Check;
use crate::plan::mysql::checks;
use crate::plan::mysql::ledger::{self, Conditions, Part, drop_procedure};
use crate::plan::mysql::quote::name;
use crate::plan::mysql::signature::Seen;
use crate::plan::mysql::templates::value;
use idgen_database::Result;

const LATER: &str =
    "what hangs on the new tables is not what the step triggers-back left: see the list above";

impl Steps<'_> {
    pub(super) fn rename(&self) -> Result<Step> {
        let names = self.names;
        let part = Part::Rename;
        let mut there: Vec<[&str; 2]> = Vec::new();
        for table in self.tables {
            there.push([&table.now, &table.old]);
            there.push([&table.new, &table.now]);
        }
        there.push([&names.phase, &names.phase_before]);
        there.push([&names.phase_after, &names.phase]);
        let back: Vec<_> = there.iter().rev().map(|[from, to]| [*to, *from]).collect();
        let conditions = Conditions {
            needs: vec![Part::Verify],
            end: vec![checks::phase_is(
                &names.phase,
                1,
                "the tables are not renamed: execute this file again",
            )],
            record: Some(self.signature(Seen::BackRenamed)),
            ..Conditions::default()
        };
        let work = self.renaming(&there, &back, self.before(), self.after(), false)?;
        let undo = self.renaming(&back, &there, self.before_undo(), self.after_undo(), true)?;
        let undone = Conditions {
            end: vec![checks::phase_is(
                &names.phase,
                0,
                "the tables are not renamed back: execute this file again",
            )],
            ..Conditions::default()
        };
        Ok(Step {
            name: "rename".into(),
            purpose: format!(
                "The moment of the change: the new tables take the names of the old ones. {} The old tables stay, and are kept \
                 current, until the last step. If something was changed while it waited for its locks, it renames back at once, and says \
                 what.",
                match self.to {
                    Target::Bigint => "From now on clients read BIGINT; each value must still fit the old type.",
                    _ => "From now on clients must write and read the new type.",
                }
            ),
            statements: self.framed(part, false, &conditions, work)?,
            undo: self.framed(part, true, &undone, undo)?,
            locks: "Metadata locks of all tables for an instant. It waits for open transactions that used them, and while it \
                    waits, new statements wait behind it: a second at most, then it lets them pass, and tries again."
                .into(),
            duration: None,
            stop: "It is one statement: all is renamed, or nothing.".into(),
        })
    }

    /// The conditions of the renaming, which are checked before each attempt.
    fn before(&self) -> Vec<Check> {
        let names = self.names;
        let mut all = vec![checks::table_absent(self.first_old(), "the tables are renamed: undo that first")];
        all.extend(self.old_as_planned(Role::Old));
        all.extend(self.new_as_recorded(Role::New, LATER));
        all.extend([Side::Old, Side::New].map(|side| self.not_altered(side, false)));
        all.extend(
            self.tables
                .iter()
                .map(|table| checks::triggers_present(&table.now, &table.forward, checks::MAKE_AGAIN)),
        );
        all.extend(
            self.tables
                .iter()
                .map(|table| checks::triggers_present(&table.new, &table.backward, checks::MAKE_AGAIN)),
        );
        all.extend(self.all_unchanged_since_triggers());
        all.push(self.signature_of(Part::Verify, Seen::Forward));
        all.push(self.signature_of(Part::TriggersBack, Seen::Back));
        let copies = self.order.parts().filter(|part| matches!(part, Part::Copy(_)));
        let last = copies.last().map_or(0, |part| self.order.place(part));
        all.push(checks::no_older_transaction(self.engine, &names.steps, last));
        all.push(checks::no_older_transaction_of_replicas(&names.control));
        all.extend(checks::no_prepared_transaction(self.engine));
        all.extend(self.server_now());
        all
    }

    /// The conditions after the renaming: while it waited for its locks, others may have been faster.
    fn after(&self) -> Vec<Check> {
        let mut all = self.old_as_planned(Role::OldRenamed);
        all.extend(self.new_as_recorded(Role::NewRenamed, LATER));
        all.extend([Side::Old, Side::New].map(|side| self.not_altered(side, true)));
        all.push(self.signature_of(Part::Verify, Seen::ForwardRenamed));
        all.push(self.signature_of(Part::TriggersBack, Seen::BackRenamed));
        all
    }

    /// The old tables have all rows: their triggers and the tables are those of the renaming, or rows were compared since.
    fn before_undo(&self) -> Vec<Check> {
        let mut all = self.new_as_recorded(
            Role::NewRenamed,
            "something was made since the renaming that the way back would lose: see the list above",
        );
        // The application gets them again.
        all.extend(self.old_as_planned(Role::OldRenamed));
        all.extend([Side::New, Side::Old].map(|side| self.not_altered(side, true)));
        all.push(self.current(Seen::BackRenamed));
        all
    }

    fn after_undo(&self) -> Vec<Check> {
        let mut all = self.new_as_recorded(
            Role::New,
            "something was made since the renaming that the way back would lose: see the list above",
        );
        all.extend(self.old_as_planned(Role::Old));
        all.extend([Side::New, Side::Old].map(|side| self.not_altered(side, false)));
        all.push(self.current(Seen::Back));
        all
    }

    fn current(&self, seen: Seen) -> Check {
        let places = [self.order.place(Part::Rename), self.order.place(Part::VerifyRenamed)];
        checks::signature_is_one_of(
            &self.names.steps,
            places,
            &self.signature(seen),
            format!(
                "a table or trigger was dropped, truncated or rebuilt since the renaming: execute {} first",
                self.order.file(Part::VerifyRenamed)
            ),
        )
    }

    fn signature_of(&self, part: Part, seen: Seen) -> Check {
        checks::signature_is(
            &self.names.steps,
            self.order.place(part),
            &self.signature(seen),
            format!(
                "a table or trigger was dropped, truncated or rebuilt since {0}: execute {0} again",
                self.order.file(part)
            ),
        )
    }

    fn renaming(
        &self,
        there: &[[&str; 2]],
        back: &[[&str; 2]],
        before: Vec<Check>,
        after: Vec<Check>,
        is_undo: bool,
    ) -> Result<Vec<Statement>> {
        let names = self.names;
        let (phase_before, phase_after) = if is_undo { (1, 0) } else { (0, 1) };
        let behind = match is_undo {
            true => self.signature_of(Part::Verify, Seen::Forward),
            false => self.signature_of(Part::TriggersBack, Seen::BackRenamed),
        };
        let behind = behind.rows;
        let side = if is_undo { Side::Old } else { Side::New };
        let counters: Vec<_> = self.tables.iter().filter_map(|table| counter(names, table, side)).collect();
        let context = context! {
            plan => value(names), there => value(there), back => value(back), place => self.order.place(Part::Rename),
            phase_before, phase_after, behind, counters, verification => self.order.file(Part::VerifyRenamed),
        };
        let mut all = ledger::checks(&self.templates, &names.checks, &before)?;
        all.extend(ledger::checks(&self.templates, &names.after, &after)?);
        all.push(drop_procedure(&names.work));
        all.push(Statement::new(
            "All tables at once: no client sees one without the others.",
            self.templates.fill("rename.sql", context)?,
        ));
        all.push(Statement::new("Renames them.", format!("CALL {}()", names.work)));
        all.extend([&names.work, &names.after].map(|procedure| drop_procedure(procedure)));
        Ok(all)
    }

    pub(super) fn finish(&self) -> Result<Step> {
        let names = self.names;
        let conditions = Conditions {
            checks: vec![checks::ending_or(
                &names.steps,
                &names.phase,
                self.order.place(Part::VerifyRenamed),
            )],
            ..Conditions::default()
        };
        let mut work = ledger::checks(
            &self.templates,
            &names.after,
            &[
                vec![self.signature_of(Part::VerifyRenamed, Seen::BackRenamed)],
                checks::only_own_refer(names, self.tables),
            ]
            .concat(),
        )?;
        work.push(drop_procedure(&names.ending));
        work.push(Statement::new(
            "From now on no trigger writes to the old tables, so clients see no difference while the triggers go one by one. The new tables \
             have all rows, as the verification found.",
            self.templates.fill("ending.sql", context! { plan => value(names) })?,
        ));
        work.push(Statement::new("Ends the way back.", format!("CALL {}()", names.ending)));
        work.extend([&names.ending, &names.after].map(|procedure| drop_procedure(procedure)));
        let mut drops = Vec::new();
        for table in self.tables {
            let side = &table.backward;
            drops.extend(drop_triggers([&side.insert, &side.update, &side.delete]));
        }
        for table in self.tables.iter().rev() {
            let sql = format!("DROP TABLE IF EXISTS {}, {}", name(&table.old), name(&table.at));
            drops.push(Statement::new(format!("The old {}, with its triggers.", table.now), sql));
        }
        work.extend(self.work(&drops)?);
        if let Some(map) = self.map {
            work.extend(self.drop_map(map)?);
        }
        let own = [
            &names.attached,
            &names.altered,
            &names.phase_before,
            &names.phase_after,
            &names.control,
            &names.phase,
            &names.steps,
        ];
        let own = own.map(|table| name(table)).join(", ");
        work.push(Statement::new("The tables of the plan.", format!("DROP TABLE IF EXISTS {own}")));
        work.extend([&names.guard, &names.checks, &names.busy].map(|procedure| drop_procedure(procedure)));
        let mut statements = self.frame(Part::Finish, false, &conditions)?.begin;
        statements.extend(work);
        Ok(Step {
            name: "finish".into(),
            purpose: "Removes the old tables and the triggers. After this there is no way back: execute it when nobody needs the \
                      old keys any more, after days rather than minutes."
                .into(),
            statements,
            undo: Vec::new(),
            locks: "Metadata locks of all tables for an instant each, and one row lock that each write of a client needs: a second at most, \
                    then the step lets clients pass, and tries again. Dropping a large table may occupy the disk for a while."
                .into(),
            duration: None,
            stop: "Stop the client, and execute the file again.".into(),
        })
    }
}
