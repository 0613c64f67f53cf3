//! The state that all connections of an adversary share: the rules, the counts of statements, and earlier results.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::answer::Outcome;
use super::class::classes;
use super::rule::{Alteration, Changed, Recorded, Rule, change, kind};

#[derive(Debug)]
pub(super) struct Shared {
    /// The name of the schema in quotes, for which classes have `schema`.
    schema: String,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    watching: bool,
    rules: Vec<(Rule, bool)>,
    counts: HashMap<String, usize>,
    recorded: Vec<Recorded>,
    /// The last two different results of each class.
    earlier: HashMap<String, Vec<Outcome>>,
}

/// A statement on its way.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    class: String,
    /// The number of statements of its class that came before, if it is watched.
    place: Option<usize>,
}

impl Shared {
    pub(super) fn new(schema: &str) -> Shared {
        Shared { schema: format!("`{schema}`"), state: Mutex::default() }
    }

    /// The classes of the statements of a text.
    pub(super) fn classes(&self, text: &str) -> Vec<String> {
        classes(text).iter().map(|class| class.replace(&self.schema, "`schema`")).collect()
    }

    pub(super) fn watch(&self, watching: bool) {
        self.state().watching = watching;
    }

    pub(super) fn set_rules(&self, rules: Vec<Rule>) {
        self.state().rules = rules.into_iter().map(|rule| (rule, false)).collect();
    }

    pub(super) fn applied(&self) -> Vec<bool> {
        self.state().rules.iter().map(|(_, applied)| *applied).collect()
    }

    pub(super) fn recorded(&self) -> Vec<Recorded> {
        self.state().recorded.clone()
    }

    /// Counts statements that a client sends together. `None` if they must not reach the server.
    pub(super) fn send(&self, classes: Vec<String>) -> Option<Vec<Sent>> {
        let mut state = self.state();
        let mut lost = false;
        let mut sent = Vec::with_capacity(classes.len());
        for class in classes {
            let mut place = None;
            if state.watching {
                let count = state.counts.entry(class.clone()).or_default();
                place = Some(*count);
                *count += 1;
            }
            let statement = Sent { class, place };
            if let Some((rule, applied)) = state.rule_of(&statement)
                && rule.alteration == Alteration::StatementLost
            {
                (*applied, lost) = (true, true);
            }
            sent.push(statement);
        }
        (!lost).then_some(sent)
    }

    /// Records a result, and gives what becomes of it; `None` if it stays as it is.
    pub(super) fn receive(&self, statement: &Sent, outcome: &Outcome) -> Option<Changed> {
        let mut state = self.state();
        if let Some(place) = statement.place {
            let recorded = Recorded { class: statement.class.clone(), place, result: kind(outcome) };
            state.recorded.push(recorded);
        }
        let earlier = state.earlier.entry(statement.class.clone()).or_default();
        let old = earlier.iter().rev().find(|old| *old != outcome).cloned();
        earlier.retain(|old| old != outcome);
        earlier.push(outcome.clone());
        if earlier.len() > 2 {
            earlier.remove(0);
        }
        let (rule, applied) = state.rule_of(statement)?;
        let changed = change(rule.alteration, outcome, old.as_ref())?;
        *applied = true;
        Some(changed)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn rule_of(&mut self, statement: &Sent) -> Option<(&Rule, &mut bool)> {
        let place = statement.place?;
        let hit = |rule: &Rule| rule.class == statement.class && rule.skip == place;
        self.rules.iter_mut().find(|(rule, _)| hit(rule)).map(|(rule, applied)| (&*rule, applied))
    }
}
