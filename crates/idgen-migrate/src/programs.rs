//! Views, routines, events and triggers of MySQL and MariaDB, and what an account cannot see of them. `information_schema` leaves that out
//! without an error, so each kind is asked for among the privileges.

use std::collections::BTreeSet;

use idgen_database::catalog::Grants;

/// Something that has statements of its own.
#[derive(Debug)]
pub(crate) struct Program {
    /// `view`, `procedure`, `function`, `event` or `trigger`.
    pub(crate) kind: String,
    pub(crate) schema: String,
    pub(crate) name: String,
    /// The table of a trigger; empty for others.
    pub(crate) table: String,
    /// Empty if the account may not see it.
    pub(crate) text: String,
}

impl Program {
    pub(crate) fn of_row(row: Vec<String>) -> Option<Program> {
        let [kind, schema, name, table, text] = row.try_into().ok()?;
        Some(Program { kind, schema, name, table, text })
    }

    /// The kind and the name, after the schema if that is not this one.
    pub(crate) fn shown(&self, here: &str) -> String {
        match self.schema == here {
            true => format!("{} {}", self.kind, self.name),
            false => format!("{} {}.{}", self.kind, self.schema, self.name),
        }
    }

    /// Returns true if the text contains this name as a word, ignoring case.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let (text, name) = (self.text.to_lowercase(), name.to_lowercase());
        let is_of_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let is_whole = |(at, found): (usize, &str)| {
            let before = text[..at].chars().next_back();
            let after = text[at + found.len()..].chars().next();
            !before.is_some_and(is_of_word) && !after.is_some_and(is_of_word)
        };
        // Within quotes, a quote is written twice.
        [name.replace('`', "``"), name].iter().any(|name| text.match_indices(name.as_str()).any(is_whole))
    }

    /// Returns true if the text may be about a table of this schema: a program of another schema must name the schema, too.
    pub(crate) fn may_use(&self, schema: &str, table: &str) -> bool {
        self.mentions(table) && (self.schema.eq_ignore_ascii_case(schema) || self.mentions(schema))
    }
}

/// The programs that a server shows to an account, and the account's privileges, from which follows what else there may be.
pub(crate) struct Sight<'a> {
    pub(crate) grants: &'a Grants,
    pub(crate) is_mysql: bool,
    pub(crate) programs: &'a [Program],
}

/// Programs of some schemas that an account does not see.
#[derive(Default)]
pub(crate) struct Missing {
    /// The kinds as words of a sentence, or single views and routines whose texts are hidden.
    pub(crate) what: Vec<String>,
    pub(crate) schemas: BTreeSet<String>,
    /// The missing privileges.
    privileges: Vec<&'static str>,
}

impl Sight<'_> {
    /// Returns true if the account sees the names of all schemas.
    pub(crate) fn sees_schemas(&self) -> bool {
        ["SELECT", "SHOW DATABASES"].iter().any(|privilege| self.grants.has_everywhere(privilege))
    }

    /// Returns true if the account sees that the tables of a schema have triggers.
    pub(crate) fn sees_triggers(&self, schema: &str) -> bool {
        self.grants.has_on_schema("TRIGGER", schema)
    }

    fn reads_routines(&self, schema: &str) -> bool {
        match self.is_mysql {
            true => ["SHOW_ROUTINE", "SELECT"].iter().any(|privilege| self.grants.has_everywhere(privilege)),
            false => {
                self.grants.has_on_table("SELECT", "mysql", "proc")
                    || self.grants.has_on_schema("SHOW CREATE ROUTINE", schema)
            }
        }
    }

    /// Returns what the account does not see of the programs of these schemas; `None` if it sees all. Names are shown as from this schema.
    pub(crate) fn missing(&self, schemas: &[String], here: &str) -> Option<Missing> {
        let mut missing = Missing::default();
        let has = |privilege: &str, schema: &str| self.grants.has_on_schema(privilege, schema);
        let hidden = |schema: &str, is_kind: &dyn Fn(&str) -> bool| -> Vec<String> {
            let of = |one: &&Program| one.schema == *schema && one.text.is_empty() && is_kind(&one.kind);
            self.programs.iter().filter(of).map(|one| format!("the {}", one.shown(here))).collect()
        };
        for schema in schemas {
            let views = hidden(schema, &|kind| kind == "view");
            let lists_views = has("SELECT", schema) || has("SHOW VIEW", schema);
            missing.add(schema, "the views", "SHOW VIEW", lists_views, views);
            let routines = hidden(schema, &|kind| matches!(kind, "procedure" | "function"));
            let lists_routines =
                self.reads_routines(schema) || has("EXECUTE", schema) || has("ALTER ROUTINE", schema);
            missing.add(schema, "the routines", self.of_routines(), lists_routines, routines);
            missing.add(schema, "the events", "EVENT", has("EVENT", schema), Vec::new());
            missing.add(schema, "the triggers", "TRIGGER", self.sees_triggers(schema), Vec::new());
        }
        (!missing.schemas.is_empty()).then_some(missing)
    }

    fn of_routines(&self) -> &'static str {
        if self.is_mysql { "SHOW_ROUTINE" } else { "SELECT on mysql.proc" }
    }
}

impl Missing {
    fn add(
        &mut self,
        schema: &str,
        kind: &str,
        privilege: &'static str,
        is_listed: bool,
        hidden: Vec<String>,
    ) {
        if is_listed && hidden.is_empty() {
            return;
        }
        let what = if is_listed { hidden } else { vec![kind.to_owned()] };
        for one in what {
            if !self.what.contains(&one) {
                self.what.push(one);
            }
        }
        if !self.privileges.contains(&privilege) {
            self.privileges.push(privilege);
        }
        self.schemas.insert(schema.to_owned());
    }

    /// The names of the schemas, of which a sentence has room for some.
    pub(crate) fn of_schemas(&self) -> String {
        names_of_schemas(&self.schemas)
    }

    /// The missing privileges.
    pub(crate) fn privileges(&self) -> String {
        and(self.privileges.iter().map(|privilege| (*privilege).to_owned()).collect())
    }

    /// The programs that the account cannot see without these privileges, as a list in words.
    pub(crate) fn what(&self) -> String {
        and(self.what.clone())
    }

    /// The statements that grant what is missing.
    pub(crate) fn grants(&self, name: impl Fn(&str) -> String) -> String {
        let of_schemas = |privilege: &&&str| !matches!(**privilege, "SHOW_ROUTINE" | "SELECT on mysql.proc");
        let on_schema: Vec<&str> = self.privileges.iter().filter(of_schemas).copied().collect();
        let mut statements = Vec::new();
        if !on_schema.is_empty() {
            let place = match self.schemas.iter().collect::<Vec<_>>()[..] {
                [only] => format!("{}.*", name(only)),
                _ => "*.*".to_owned(),
            };
            statements.push(format!("GRANT {} ON {place} TO …", on_schema.join(", ")));
        }
        for privilege in self.privileges.iter().filter(|privilege| !of_schemas(privilege)) {
            statements.push(match *privilege {
                "SHOW_ROUTINE" => "GRANT SHOW_ROUTINE ON *.* TO …".to_owned(),
                _ => "GRANT SELECT ON mysql.proc TO …".to_owned(),
            });
        }
        statements.join("; ")
    }
}

/// The names of schemas, of which a sentence has room for some.
pub(crate) fn names_of_schemas(schemas: &BTreeSet<String>) -> String {
    const MOST: usize = 20;
    let word = if schemas.len() == 1 { "schema" } else { "schemas" };
    let names: Vec<_> = schemas.iter().take(MOST).map(String::as_str).collect();
    let more = match schemas.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("the {word} {}{more}", names.join(", "))
}

/// Words of a sentence.
fn and(mut words: Vec<String>) -> String {
    let last = words.pop().unwrap_or_default();
    match words.is_empty() {
        true => last,
        false => format!("{} and {last}", words.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(kind: &str, schema: &str, name: &str, text: &str) -> Program {
        let row = [kind, schema, name, "", text].map(str::to_owned).to_vec();
        Program::of_row(row).unwrap()
    }

    fn grants<const N: usize>(rows: [&str; N]) -> Grants {
        Grants::of_rows(&rows.map(|row| vec![row.to_owned()]))
    }

    #[test]
    fn names_are_whole_words_in_any_quotes() {
        let view =
            program("view", "rep", "mine", "select `O`.`id` from `my-shop`.`odd``orders` `O` where n$ > 1");
        assert!(view.mentions("my-shop") && view.mentions("odd`orders") && view.mentions("o"));
        assert!(!view.mentions("orders_") && !view.mentions("n") && !view.mentions("sho"));
        assert!(view.may_use("my-shop", "odd`orders") && !view.may_use("shop_", "odd`orders"));
        assert!(view.may_use("rep", "odd`orders"));
        assert_eq!((view.shown("rep"), view.shown("shop")), ("view mine".into(), "view rep.mine".into()));
    }

    #[test]
    fn what_is_hidden_is_named_with_its_privilege() {
        let programs = [program("view", "shop", "v", "")];
        let reader = grants(["GRANT SELECT ON `shop`.* TO `a`@`%`"]);
        let sight = |grants, is_mysql| Sight { grants, is_mysql, programs: &programs };
        let missing = sight(&reader, true).missing(&["shop".to_owned()], "shop").unwrap();
        assert_eq!(missing.what(), "the view v, the routines, the events and the triggers");
        assert_eq!(missing.privileges(), "SHOW VIEW, SHOW_ROUTINE, EVENT and TRIGGER");
        assert_eq!(
            missing.grants(|name| format!("`{name}`")),
            "GRANT SHOW VIEW, EVENT, TRIGGER ON `shop`.* TO …; GRANT SHOW_ROUTINE ON *.* TO …"
        );
        let missing = sight(&reader, false).missing(&["shop".to_owned(), "rep".to_owned()], "shop").unwrap();
        assert_eq!(missing.what(), "the view v, the routines, the events, the triggers and the views");
        assert!(missing.grants(str::to_owned).ends_with("ON *.* TO …; GRANT SELECT ON mysql.proc TO …"));
        assert_eq!(missing.of_schemas(), "the schemas rep, shop");
    }

    #[test]
    fn an_account_that_sees_all_misses_nothing() {
        let all = grants(["GRANT SELECT, SHOW VIEW, EVENT, TRIGGER ON *.* TO `a`@`%`"]);
        let sight = Sight { grants: &all, is_mysql: true, programs: &[] };
        assert!(sight.missing(&["shop".to_owned()], "shop").is_none() && sight.sees_schemas());
        let here = grants(["GRANT ALL PRIVILEGES ON `shop`.* TO `a`@`%`"]);
        let sight = Sight { grants: &here, is_mysql: false, programs: &[] };
        assert!(sight.missing(&["shop".to_owned()], "shop").is_none() && !sight.sees_schemas());
        assert!(sight.missing(&["rep".to_owned()], "shop").is_some());
    }
}
