//! Files in whichever order, and changes by others between any two of them: a file does its work, or says what is missing. What it
//! refuses it has not begun, and no acknowledged row is lost.

mod bytes;
mod changes;
mod dumps;
pub mod hidden;
mod load;
mod locks;
pub mod monitor;
mod order;
mod others;
mod sides;
mod spelling;
mod summer;
pub mod world;

macro_rules! on_both {
    ($name:ident, $file:ident::$of:ident) => {
        mod $name {
            #[test]
            fn mysql() {
                super::$file::$of(&super::world::Servers::start(idgen_server::Database::MySql));
            }

            #[test]
            fn mariadb() {
                super::$file::$of(&super::world::Servers::start(idgen_server::Database::MariaDb));
            }
        }
    };
}

on_both!(in_any_order, order::in_any_order);
on_both!(changes_by_others, changes::changes_by_others);
on_both!(locks_of_others, locks::locks_of_others);
on_both!(spellings, spelling::spellings);
on_both!(the_side_that_is_not_in_use, sides::the_side_that_is_not_in_use);
on_both!(tables_and_rights_of_others, others::tables_and_rights_of_others);

#[test]
fn the_hour_that_comes_twice_on_mysql() {
    summer::the_hour_that_comes_twice(idgen_server::Database::MySql);
}

#[test]
fn the_hour_that_comes_twice_on_mariadb() {
    summer::the_hour_that_comes_twice(idgen_server::Database::MariaDb);
}
