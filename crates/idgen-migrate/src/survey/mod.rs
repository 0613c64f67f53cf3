//! Reads the keys of a live database: which columns hold ids, of which kinds, what the keys cost, and what is dangerous.
//!
//! [`survey`] connects to MySQL, MariaDB, PostgreSQL or SQLite and only reads. Each statement has a time limit, and the
//! rows of a table are read from a few ranges of its primary key, never all of them. What a sample does not contain, the
//! survey does not see: it says how many rows it read.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("shop.db");
//! # let connection = rusqlite::Connection::open(&path)?;
//! # connection.execute_batch("CREATE TABLE orders (id TEXT PRIMARY KEY) WITHOUT ROWID;
//! #     INSERT INTO orders VALUES ('6ccd780c-baba-4026-9564-5b8c656024db');")?;
//! # let url = format!("sqlite:{}", path.display());
//! let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
//! let survey = runtime.block_on(idgen_migrate::survey::survey(&url, &idgen_migrate::survey::Options::default()))?;
//! let column = &survey.tables[0].columns[0];
//! assert_eq!((column.column.as_str(), column.kinds[0].kind), ("id", idgen_migrate::survey::Kind::V4));
//! assert!(survey.findings.is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What the library offers
//!
//! | to | use |
//! |---|---|
//! | survey a database | [`survey`] with [`Options`]; it returns a [`Survey`] |
//! | read columns, kinds of ids, and bytes of keys | [`TableReport`], [`ColumnReport`], [`KindShare`], [`Cost`] |
//! | read what is dangerous, with the statement that shows the rows | [`Finding`] |
//! | read where new rows arrived during a second look | [`Watched`] |
//! | add predictions of a model of your own | [`Survey::questions`], which returns [`Question`]s, and [`Survey::add_predictions`] |
//! | print it | [`Survey`] displays as text and is serializable; [`Survey::sections`] are its tables as data |
//!
//! No value of a row appears in the result or in an error, unless [`Options::show_values`] is set.

mod catalog;
mod judge;
mod options;
mod read;
mod report;
mod run;
mod schema;
mod sections;
mod session;
mod sql;
mod terminal;

pub use judge::arrival::{Arrival, ArrivalBy};
pub use judge::changes::{Change, Order, Predicted, Prediction, Question};
pub use judge::columns::FoundBy;
pub use judge::costs::{Cost, FillFrom};
pub use judge::dangers::{Code, Finding, Level};
pub use judge::kinds::Kind;
pub use options::{NewIds, Options};
pub use read::watch::Watched;
pub use report::{ColumnReport, KindShare, Survey, TableReport};
pub use run::survey;
pub use sections::Section;
pub use session::{Engine, Statement};
