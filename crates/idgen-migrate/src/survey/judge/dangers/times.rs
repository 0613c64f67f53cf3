//! Dangers that the times and the bytes of ids show.

use super::{Code, Context, Finding, Level};
use crate::survey::judge::arrival::Arrival;
use crate::survey::judge::kinds::Kind;
use crate::survey::schema::Class;
use crate::survey::session::Engine;
use crate::survey::sql;

/// One column, and version 1 both plain and swapped: each order reads as other ids, and sorts apart.
pub(super) fn both_byte_orders(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    let (plain, swapped) = (ids.count(Kind::V1), ids.count(Kind::V1Swapped));
    if plain == 0 || swapped == 0 || (plain + swapped) * 10 < ids.parsed.len() {
        return None;
    }
    let digits = sql::digits(engine, column);
    // The version is the first digit of a swapped id, and the thirteenth of a plain one.
    let (rare, condition) = if swapped <= plain {
        (Kind::V1Swapped, format!("{digits} LIKE '1%' AND {digits} NOT LIKE '____________1%'"))
    } else {
        (Kind::V1, format!("{digits} LIKE '____________1%'"))
    };
    let places =
        (0..ids.readings.len()).filter(|&at| ids.readings[at].certain && ids.readings[at].kind == rare);
    let what =
        format!("version 1 in both byte orders: {plain} plain, {swapped} swapped as by UUID_TO_BIN(id, 1)");
    let finding = context.finding(Level::Danger, Code::BothByteOrders, what);
    let statement = context.statement(&format!("WHERE {condition}"));
    let remedy = "find the program that writes the other order, and convert its rows and all references to them; idgen \
                  convert --from swapped reads one order, --from binary the other";
    Some(Finding { statement, remedy: remedy.to_owned(), examples: context.examples(places), ..finding })
}

/// MariaDB stores versions 1 to 5 with the last group first. Random ids have no order that this could change.
pub(super) fn mariadb_uuid_order(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    if engine != Engine::MariaDb || column.class != Class::Uuid || ids.count(Kind::V1) == 0 {
        return None;
    }
    let is_old = |at: &usize| ids.readings[*at].certain && ids.readings[*at].kind == Kind::V1;
    let places: Vec<usize> = (0..ids.readings.len()).filter(is_old).collect();
    let of = sql::name(engine, &column.name);
    let what = format!(
        "{} of {} ids are of version 1, which MariaDB's type UUID sorts by their last group first: in another order than \
         their text, BINARY(16) and other databases have, and apart from versions 6 to 8",
        places.len(),
        ids.parsed.len()
    );
    let finding = context.finding(Level::Danger, Code::MariadbUuidOrder, what);
    let condition = format!("WHERE SUBSTR(CAST({of} AS CHAR), 15, 1) = '1'");
    let statement = context.statement(&condition);
    let remedy = "use BINARY(16) if programs page by id or merge with another database; write version 7 from now on if only \
                  the order of inserts matters";
    Some(Finding { statement, remedy: remedy.to_owned(), examples: context.examples(places), ..finding })
}

/// New ids that begin with the time sort before random ones, of which few begin with such a small number.
pub(super) fn new_before_old(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    let is_new = |kind| matches!(kind, Kind::V7 | Kind::Ulid | Kind::V6);
    let is_old = |kind: Kind| matches!(kind, Kind::V4 | Kind::V1 | Kind::OtherUuid | Kind::Other128);
    let new = ids.readings.iter().filter(|reading| reading.certain && is_new(reading.kind)).count();
    let old = ids.readings.iter().filter(|reading| is_old(reading.kind)).count();
    let all = ids.readings.len();
    if new * 100 < all
        || old * 100 < all
        || new < 2
        || ids.behind_newest <= 0.15
        || !context.table.is_led(ids.column)
    {
        return None;
    }
    let both = format!("{new} of {all} ids begin with their time and {old} do not");
    let (level, what) = match ids.arrival {
        Arrival::Scattered => (
            Level::Warning,
            format!(
                "{both}, also of the newest rows: these arrive at one place and everywhere else, in no order"
            ),
        ),
        _ => (
            Level::Danger,
            format!(
                "{both}: {:.0} % of the ids that were read sort behind the newest ones, so new rows are inserted before the \
                 old ones",
                ids.behind_newest * 100.0
            ),
        ),
    };
    let finding = context.finding(level, Code::NewBeforeOld, what);
    let digits = sql::digits(engine, column);
    let statement = format!(
        "SELECT SUBSTR({digits}, 13, 1) AS version, COUNT(*), MIN({digits}), MAX({digits}) FROM {} GROUP BY 1",
        sql::table(engine, context.table)
    );
    let remedy = if ids.arrival == Arrival::Scattered {
        "find the program that still makes ids of the other kind, because each of its rows changes a page of its own; order by a \
         column of time where a program pages by id, or expects the newest last"
    } else if engine == Engine::Postgres {
        "a page in the middle of an index is split in two halves here, so the index grows faster than with random keys: \
         generate ids for the right edge (idgen new fixed-prefix), or rebuild the index once most keys are new"
    } else {
        "inserts are still together at one place, and pages fill well, if no program makes ids of the other kind any more; but \
         a program that pages by id, or expects the newest last, sees the new rows first. Generate ids for the right edge (idgen new fixed-prefix), or order by a \
         column of time"
    };
    Some(Finding { statement, remedy: remedy.to_owned(), ..finding })
}

/// Clocks of computers differ by seconds; a local time instead of UTC is wrong by an hour at least.
const TOLERANCE_MS: i64 = 30 * 60 * 1_000;

/// The kinds whose times can be compared with now: those of one epoch, which a program takes from its clock. Integers may be times
/// of something else.
fn has_clock(kind: Kind) -> bool {
    use Kind::{Cuid, Ksuid, ObjectId, TypeId, Ulid, V1, V1Swapped, V6, V7, Xid};
    matches!(kind, V1 | V1Swapped | V6 | V7 | Ulid | TypeId | ObjectId | Xid | Ksuid | Cuid)
}

/// Ids whose time has not come.
pub(super) fn future(context: &Context<'_>) -> Option<Finding> {
    let (engine, column, ids) = (context.engine, context.column, context.ids);
    let limit = context.now.saturating_add(TOLERANCE_MS);
    let is_future = |at: &usize| {
        has_clock(ids.readings[*at].kind) && ids.readings[*at].time.is_some_and(|time| time > limit)
    };
    let places: Vec<usize> = (0..ids.readings.len()).filter(is_future).collect();
    if places.is_empty() {
        return None;
    }
    let what = format!(
        "{} of {} ids have a time that is more than 30 minutes in the future: newer ids sort before them until then",
        places.len(),
        ids.parsed.len()
    );
    let finding = context.finding(Level::Danger, Code::FutureTime, what);
    let order = if ids.readings[places[0]].kind == Kind::V1 {
        let digits = sql::digits(engine, column);
        let parts =
            [(14, 3), (9, 4), (1, 8)].map(|(from, count)| format!("SUBSTR({digits}, {from}, {count})"));
        if engine.speaks_mysql() { format!("CONCAT({})", parts.join(", ")) } else { parts.join(" || ") }
    } else {
        sql::name(engine, &column.name)
    };
    let statement = context.statement(&format!("ORDER BY {order} DESC LIMIT 100"));
    let remedy = "correct the clock or the time zone of the program that makes them, and find out whether its ids are otherwise \
                  right with idgen check --live";
    Some(Finding { statement, remedy: remedy.to_owned(), examples: context.examples(places), ..finding })
}
