//! Kinds of ids in columns that tables have had for long: text of 22, 26 or 36 characters, and types of one database. They are
//! not in the list of strategies, but can be named: `advise` compares them for a table that has such a column.

use super::{Column, IdKind, Strategy};

/// The strategies. Their names are a kind and a column.
pub static IN_COLUMNS: [Strategy; 16] = [
    Strategy {
        name: "v7-varchar36",
        title: "v7, VARCHAR 36",
        ids: IdKind::V7,
        column: Column::VarText36,
        explains: "milliseconds first, monotonic within them, VARCHAR 36",
    },
    Strategy {
        name: "fixed-varchar36",
        title: "fixed, VARCHAR 36",
        ids: IdKind::FixedPrefix,
        column: Column::VarText36,
        explains: "a fixed prefix of ones, then time and counter, VARCHAR 36",
    },
    Strategy {
        name: "minute-varchar36",
        title: "minute, VARCHAR 36",
        ids: IdKind::MinuteRandom,
        column: Column::VarText36,
        explains: "keyed permutation of minutes, then random, VARCHAR 36",
    },
    Strategy {
        name: "v7-varbinary36",
        title: "v7, VARBINARY 36",
        ids: IdKind::V7,
        column: Column::VarBinary36,
        explains: "milliseconds first, monotonic within them, VARBINARY 36",
    },
    Strategy {
        name: "fixed-varbinary36",
        title: "fixed, VARBINARY 36",
        ids: IdKind::FixedPrefix,
        column: Column::VarBinary36,
        explains: "a fixed prefix of ones, then time and counter, VARBINARY 36",
    },
    Strategy {
        name: "minute-varbinary36",
        title: "minute, VARBINARY 36",
        ids: IdKind::MinuteRandom,
        column: Column::VarBinary36,
        explains: "keyed permutation of minutes, then random, VARBINARY 36",
    },
    Strategy {
        name: "v7-base64",
        title: "v7, base64 22",
        ids: IdKind::V7,
        column: Column::Base64,
        explains: "milliseconds first, monotonic within them, base64 22",
    },
    Strategy {
        name: "minute-base64",
        title: "minute, base64 22",
        ids: IdKind::MinuteRandom,
        column: Column::Base64,
        explains: "keyed permutation of minutes, then random, base64 22",
    },
    Strategy {
        name: "v7-text26",
        title: "v7, text 26",
        ids: IdKind::V7,
        column: Column::Base32,
        explains: "milliseconds first, monotonic within them: as 26 characters of base32",
    },
    Strategy {
        name: "fixed-text26",
        title: "fixed, text 26",
        ids: IdKind::FixedPrefix,
        column: Column::Base32,
        explains: "a fixed prefix of ones, then time and counter: as 26 characters of base32",
    },
    Strategy {
        name: "minute-text26",
        title: "minute, text 26",
        ids: IdKind::MinuteRandom,
        column: Column::Base32,
        explains: "keyed permutation of minutes, then random: as 26 characters of base32",
    },
    Strategy {
        name: "v4-text26",
        title: "v4, text 26",
        ids: IdKind::V4,
        column: Column::Base32,
        explains: "random: as 26 characters of base32",
    },
    Strategy {
        name: "v7-bytea",
        title: "v7, bytea",
        ids: IdKind::V7,
        column: Column::Bytea,
        explains: "milliseconds first, monotonic within them: in PostgreSQL's type bytea",
    },
    Strategy {
        name: "fixed-bytea",
        title: "fixed, bytea",
        ids: IdKind::FixedPrefix,
        column: Column::Bytea,
        explains: "a fixed prefix of ones, then time and counter: in PostgreSQL's type bytea",
    },
    Strategy {
        name: "minute-bytea",
        title: "minute, bytea",
        ids: IdKind::MinuteRandom,
        column: Column::Bytea,
        explains: "keyed permutation of minutes, then random: in PostgreSQL's type bytea",
    },
    Strategy {
        name: "fixed-uuid",
        title: "fixed, UUID type",
        ids: IdKind::FixedPrefix,
        column: Column::Uuid,
        explains: "a fixed prefix of ones, then time and counter: in MariaDB's type UUID",
    },
];
