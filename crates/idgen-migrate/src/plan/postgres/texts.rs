//! The descriptions of the steps.

/// The description of a step; its statements are in the template.
pub(super) struct Text {
    pub(super) name: &'static str,
    pub(super) template: &'static str,
    pub(super) purpose: &'static str,
    pub(super) locks: &'static str,
    pub(super) stop: &'static str,
}

const SHORT: &str = "ACCESS EXCLUSIVE on all tables for milliseconds. It waits at most 300 ms for all of them together, releases all \
    locks if one is not free, says who holds it, and tries again after 0.5, 1, 2, … at most 30 seconds, 20 times. While it waits, others wait \
    too. Before, it waits for SHARE UPDATE EXCLUSIVE, which no reader or writer waits for: autovacuum gives way to it after deadlock_timeout.";
const ANYWHERE: &str = "Stop the client, or end its session; execute the file again.";

pub(super) const CHECK: Text = Text {
    name: "check",
    template: "check.sql",
    purpose: "Reads all rows and changes nothing. It fails if there are values that are no UUIDs, one id in two spellings, or \
        rows that refer to nothing, with the statement that shows the rows.",
    locks: "None that another session waits for.",
    stop: ANYWHERE,
};
pub(super) const PREPARE: Text = Text {
    name: "prepare",
    template: "prepare.sql",
    purpose: "Adds empty columns of type uuid beside the old ones, and a schema with the progress of the copy. Clients see the new \
        columns from here on: `SELECT *` returns them, COPY FROM without a list of columns fails (\"missing data for column\"), COPY TO without one writes \
        them, and INSERT INTO … SELECT * into a table of before fails (\"more expressions than target columns\"), so name the columns in these before \
        this step. An INSERT of values without a list of columns leaves them out until the switch. Prepared statements that return whole rows get \"cached plan must not change result type\", at each execution until they are prepared again, and functions that \
        return the rows of a table by a list of columns fail.",
    locks: SHORT,
    stop: ANYWHERE,
};
pub(super) const TRIGGERS: Text = Text {
    name: "triggers",
    template: "triggers.sql",
    purpose: "From now on each new and changed row has both keys, also if it comes by COPY, ON CONFLICT or a cascade. A key \
        that is no UUID is refused from here on.",
    locks: SHORT,
    stop: ANYWHERE,
};
pub(super) const BACKFILL: Text = Text {
    name: "backfill",
    template: "backfill.sql",
    purpose: "Fills the new columns of the rows that are there, in chunks of 64 blocks (512 KiB) of the table's file, each in a \
        transaction of its own. It waits while replicas lag or many sessions are active: UPDATE the settings in the schema of \
        the plan to change that, also while it runs. All rows are written once more, so the tables grow until VACUUM has run.",
    locks: "Rows of one chunk at a time. It gives way to other sessions after 500 ms, before a deadlock is detected.",
    stop: "Stop the client, or end its session; execute the file again, and it continues.",
};
pub(super) const INDEXES: Text = Text {
    name: "indexes",
    template: "indexes.sql",
    purpose: "Builds an index on the new columns for each one on the old columns, while clients read and write.",
    locks: "SHARE UPDATE EXCLUSIVE: no other change of the table's structure, and no VACUUM, at the same time. It waits for \
        transactions that are open.",
    stop: "Stop the client, or end its session; execute the file again. An index that was not complete is built again.",
};
pub(super) const CONSTRAINTS: Text = Text {
    name: "constraints",
    template: "constraints.sql",
    purpose: "Adds the foreign keys of the new columns, that they are not null, and that the new key of each row is its old one, first for \
        new rows. The foreign keys are then validated. From here on a row whose two keys differ cannot be written, even while triggers are off.",
    locks: SHORT,
    stop: ANYWHERE,
};
pub(super) const VERIFY: Text = Text {
    name: "verify",
    template: "verify.sql",
    purpose: "Compares the new with the old key of each row: it validates the constraint that they are the same, which proves it for all \
        later changes, too. It makes statistics for the new columns, and compares everything that is attached to the keys with what the plan was \
        made for.",
    locks: "None that another session waits for.",
    stop: "Stop the client, or end its session; execute the file again. It begins again.",
};
pub(super) const TEXT: Text = Text {
    name: "text",
    template: "text.sql",
    purpose: "Gives the old texts a name of their own, for readers that are not changed yet. It stays after the last step.",
    locks: SHORT,
    stop: ANYWHERE,
};
pub(super) const SWITCH: Text = Text {
    name: "switch",
    template: "switch.sql",
    purpose: "The new columns take the names, keys, defaults and indexes of the old ones. The old columns stay current under \
        names that end in _old. Prepared statements, also those that a driver prepares by itself, fail at each execution until they are prepared \
        again: if they compare or write a key, because their parameters have the type of before (\"operator does not exist: uuid = …\"), and if \
        they return one (\"cached plan must not change result type\"). So let clients connect again after such an error. The names that end in _new stay as empty columns, for clients that have read the list of columns before and \
        insert into all of them: these must leave the columns of the plan out before the last step (README.md).",
    locks: SHORT,
    stop: "Stop the client, or end its session: nothing is changed unless all is. Execute the file again. After its way back, \
        execute the files from `indexes` on again before the next switch.",
};
pub(super) const FINISH: Text = Text {
    name: "finish",
    template: "finish.sql",
    purpose: "Drops the old columns and all objects of the plan. Execute it when nobody wants to go back: after it, nobody can. \
        The proof that no row is lost is the constraint that its old and its new key are the same: the file asks for it. \
        The space of the old columns is free after the tables are written anew, as VACUUM FULL or pg_repack do.",
    locks: SHORT,
    stop: ANYWHERE,
};

pub(super) const DEFAULT: Text = Text {
    name: "default",
    template: "default.sql",
    purpose: "New rows without an id get one of version 7 from the server. Rows that are there keep their ids.",
    locks: SHORT,
    stop: ANYWHERE,
};
