//! Compares what `simulate` and `advise` predict for 200 loads with what they predicted when the file beside this one was
//! written, so that a change of the code that should change no figure changes none.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod loads;

use std::fmt::Write as _;

use btree_model::{Server, TreeState};
use idgen_lab::advise::{IdsFrom, advise, advise_postgres, advise_sqlite};
use idgen_lab::forecast::{
    Load, PostgresLoad, SqliteLoad, predict, predict_postgres, predict_sqlite, server,
};
use idgen_record::Database;
use loads::{Planned, loads};

/// What was predicted, one line per load and question.
const KEPT: &str = include_str!("kept.tsv");

/// Five digits: the figures of a model are whole numbers and their ratios.
fn digits(line: &mut String, figures: &[f64]) {
    for figure in figures {
        write!(line, " {figure:.4e}").unwrap();
    }
}

fn tree(line: &mut String, tree: &TreeState) {
    write!(line, "\t{} {}", tree.rows, tree.leaf_pages).unwrap();
    digits(line, &[tree.fill.mean, tree.fill.p10, tree.page_bytes_per_row]);
}

fn postgres(of: &Planned) -> PostgresLoad {
    let Planned { rows, row_bytes, rate, writers, checkpoint_secs, existing, .. } = *of;
    PostgresLoad { rows, row_bytes, rate, writers, checkpoint_secs, existing }
}

fn sqlite(of: &Planned) -> SqliteLoad {
    let Planned { rows, row_bytes, rate, writers, page_bytes, commit_rows, existing, .. } = *of;
    SqliteLoad {
        rows,
        row_bytes,
        rate,
        writers,
        page_bytes,
        cache_bytes: of.pool_bytes,
        commit_rows,
        existing,
    }
}

fn innodb(of: &Planned) -> Load {
    let Planned { rows, row_bytes, rate, id_rate, writers, commit_rows, existing, .. } = *of;
    let server = Server { device_iops: of.iops, ..server(of.database, of.pool_bytes).unwrap() };
    Load { rows, row_bytes, rate, id_rate, writers, commit_rows, server, existing }
}

fn simulated(of: &Planned, texts: &mut String) -> idgen_lab::Result<String> {
    of.strategy.check(of.database)?;
    let mut line = String::new();
    match of.database {
        Database::Postgres => {
            let forecast = predict_postgres(of.strategy, &postgres(of))?;
            writeln!(texts, "{forecast}").unwrap();
            tree(&mut line, &forecast.index);
            digits(&mut line, &[forecast.heap_bytes_per_row]);
            for place in [0, forecast.stretches.len() / 2, forecast.stretches.len() - 1] {
                let part = forecast.stretches[place];
                write!(line, "\t{}", part.rows).unwrap();
                digits(&mut line, &[part.splits_per_1k, part.leaves_per_1k]);
                digits(
                    &mut line,
                    &[part.log_bytes_per_row, part.index_log_bytes_per_row, part.images_per_1k],
                );
            }
        }
        database => {
            let (windows, state, record_bytes, text) = if database == Database::Sqlite {
                let forecast = predict_sqlite(of.strategy, &sqlite(of))?;
                let text = forecast.to_string();
                (forecast.windows, forecast.tree, forecast.record_bytes, text)
            } else {
                let forecast = predict(of.strategy, &innodb(of))?;
                let text = forecast.to_string();
                (forecast.windows, forecast.tree, forecast.record_bytes, text)
            };
            writeln!(texts, "{text}").unwrap();
            tree(&mut line, &state);
            write!(line, " {record_bytes}").unwrap();
            for place in [0, windows.len() / 2, windows.len() - 1] {
                let part = windows[place];
                write!(line, "\t{}", part.rows).unwrap();
                digits(&mut line, &[part.splits_per_1k, part.distinct_leaves_per_1k]);
                digits(&mut line, &[part.reads_per_1k, part.writes_per_1k, part.created_per_1k]);
            }
        }
    }
    Ok(line)
}

fn advised(of: &Planned, from: IdsFrom, texts: &mut String) -> idgen_lab::Result<String> {
    let mut line = String::new();
    let chosen = |line: &mut String, chosen: [Option<&str>; 3], scale: u64| {
        write!(line, "\t{} {scale}", chosen.map(|one| one.unwrap_or("-")).join(" ")).unwrap();
    };
    match of.database {
        Database::Postgres => {
            let advice = advise_postgres(&postgres(of), from)?;
            writeln!(texts, "{advice}").unwrap();
            chosen(&mut line, [Some(advice.recommended), advice.from_server, advice.hiding], advice.scale);
            for one in &advice.candidates {
                write!(line, "\t{}", one.strategy).unwrap();
                digits(
                    &mut line,
                    &[one.index_bytes, one.heap_bytes, one.fill, one.log_bytes_per_row, one.images_per_1k],
                );
            }
        }
        database => {
            let (choice, scale, candidates, text) = if database == Database::Sqlite {
                let advice = advise_sqlite(&sqlite(of), from)?;
                let text = advice.to_string();
                (
                    [Some(advice.recommended), advice.from_server, advice.hiding],
                    advice.scale,
                    advice.candidates,
                    text,
                )
            } else {
                let advice = advise(&innodb(of), from)?;
                let text = advice.to_string();
                (
                    [Some(advice.recommended), advice.from_server, advice.hiding],
                    advice.scale,
                    advice.candidates,
                    text,
                )
            };
            writeln!(texts, "{text}").unwrap();
            chosen(&mut line, choice, scale);
            for one in &candidates {
                write!(line, "\t{}", one.strategy).unwrap();
                digits(
                    &mut line,
                    &[
                        one.table_bytes,
                        one.fill,
                        one.reads_per_1k,
                        one.writes_per_1k,
                        one.device_pages_per_sec,
                    ],
                );
            }
        }
    }
    Ok(line)
}

#[test]
fn two_hundred_loads_are_predicted_as_before() {
    let mut found = String::new();
    let mut texts = String::new();
    for (number, load) in loads().iter().enumerate() {
        let from = [IdsFrom::Either, IdsFrom::Clients, IdsFrom::Either, IdsFrom::Either, IdsFrom::Server]
            [number % 5];
        let mut say = |question: &str, answer: idgen_lab::Result<String>| {
            let answer = answer.unwrap_or_else(|error| {
                writeln!(texts, "{number} {question}: {error}").unwrap();
                "\trefused".to_owned()
            });
            writeln!(found, "{number}\t{question} {} {}{answer}", load.database.id(), load.strategy.name)
                .unwrap();
        };
        let mut text = String::new();
        // The large loads are for advice.
        if load.rows < 1_000_000 {
            say("simulate", simulated(load, &mut text));
        }
        say("advise", advised(load, from, &mut text));
        texts += &text;
    }
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/forecasts.tsv");
    std::fs::write(path, &found).unwrap();
    std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/forecasts.txt"), &texts).unwrap();
    let changed: Vec<_> = found.lines().zip(KEPT.lines()).filter(|(found, kept)| found != kept).collect();
    assert!(
        changed.is_empty(),
        "{} lines changed, all are in {path}: {:#?}",
        changed.len(),
        &changed[..changed.len().min(3)]
    );
    assert_eq!(found.lines().count(), KEPT.lines().count(), "{path}");
}
