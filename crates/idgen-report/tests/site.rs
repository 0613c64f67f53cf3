//! The site of the recorded runs: each figure is computed again from the text of the records, by another path.
#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use idgen_record::METRICS;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results")
}

/// The text without tags and escapes.
fn plain(html: &str) -> String {
    let mut text = String::new();
    for (at, part) in html.split('<').enumerate() {
        text += if at == 0 { part } else { part.split_once('>').map_or("", |(_, text)| text) };
    }
    for (escape, letter) in [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")]
    {
        text = text.replace(escape, letter);
    }
    text
}

/// Returns each text that follows `from`, up to the next `to` or the end.
fn between<'a>(text: &'a str, from: &'a str, to: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(from).skip(1).map(move |rest| rest.split(to).next().unwrap())
}

fn cells(row: &str) -> Vec<String> {
    let cells = row
        .split("<t")
        .filter(|cell| cell.starts_with("d>") || cell.starts_with("d ") || cell.starts_with("h "));
    cells.map(|cell| plain(cell.split_once('>').unwrap().1)).collect()
}

/// A number as the page writes it, and half of its last digit.
fn number(text: &str) -> Option<(f64, f64)> {
    let digits = text.replace(',', "");
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    Some((digits.parse().ok()?, 0.5 * 10_f64.powi(-(decimals as i32))))
}

/// Returns whether this text is the value, rounded to the digits that it shows.
fn shows(text: &str, value: f64) -> bool {
    number(text)
        .is_some_and(|(shown, half)| (shown - value).abs() <= half * (1.0 + 1e-9) + 1e-9 * value.abs())
}

/// A figure of a run in the record, as the page shows it: shares in percent, times in milliseconds.
fn value(run: &Value, name: &str) -> Option<f64> {
    let of = |part: &str, name: &str| run[part][name].as_f64();
    let kinds = [("insert_", "insert"), ("read_random_", "read-random")];
    let found = match name {
        "key_share" => Some(of("totals", "key_bytes_per_row")? / of("totals", "bytes_per_row")?),
        _ => None,
    };
    let of_kind = || {
        let (short, kind) = kinds.iter().find(|(short, _)| name.starts_with(short))?;
        run["operations"]["kinds"][kind][name.strip_prefix(short)?].as_f64()
    };
    let operations = || of("operations", name.strip_prefix("operations_")?);
    let found = found
        .or_else(|| of("totals", name))
        .or_else(operations)
        .or_else(of_kind)
        .or_else(|| of("latency", name))?;
    Some(match name {
        _ if name.ends_with("_micros") => found / 1_000.0,
        "fill_mean" | "fill_p10" | "key_share" => 100.0 * found,
        _ if name.ends_with("hit_rate") => 100.0 * found,
        _ => found,
    })
}

/// The figure in each run of a strategy; `None` where one of them does not have it.
fn values(run: &Value, name: &str) -> Option<Vec<f64>> {
    let repeats = run["repeats"].as_array().filter(|repeats| !repeats.is_empty());
    repeats.map_or_else(
        || Some(vec![value(run, name)?]),
        |repeats| repeats.iter().map(|one| value(one, name)).collect(),
    )
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) / 2.0
}

fn range(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::MAX, f64::MIN), |(least, most), value| (value.min(least), value.max(most)))
}

/// The share of all divisions of the values into two samples whose rank sums are as far from the middle.
fn p(a: &[f64], b: &[f64]) -> f64 {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let count = |test: &dyn Fn(f64) -> bool| all.iter().filter(|other| test(**other)).count() as f64;
    let ranks: Vec<f64> = all
        .iter()
        .map(|one| count(&|other| other < *one) + (count(&|other| other == *one) + 1.0) / 2.0)
        .collect();
    let far = |sum: f64| (sum - a.len() as f64 * (all.len() + 1) as f64 / 2.0).abs();
    let found = far(ranks[..a.len()].iter().sum());
    let (mut as_far, mut divisions) = (0_u64, 0_u64);
    let mut stack = vec![(0, 0, 0.0)];
    while let Some((at, chosen, sum)) = stack.pop() {
        if chosen == a.len() {
            divisions += 1;
            as_far += u64::from(far(sum) >= found - 1e-9);
        } else if at < all.len() {
            stack.extend([(at + 1, chosen, sum), (at + 1, chosen + 1, sum + ranks[at])]);
        }
    }
    as_far as f64 / divisions as f64
}

fn written(p: f64) -> String {
    match p {
        p if p < 0.001 => "< 0.001".to_owned(),
        p if p < 0.01 => format!("{p:.4}"),
        p if p < 0.1 => format!("{p:.3}"),
        p => format!("{p:.2}"),
    }
}

/// The table of one figure against the record.
fn check_figure(name: &str, table: &str, record: &Value, place: &str) -> usize {
    let named: Vec<(&Value, Vec<f64>)> =
        record["runs"].as_array().unwrap().iter().filter_map(|run| Some((run, values(run, name)?))).collect();
    let head = cells(between(table, "<thead>", "</thead>").next().unwrap());
    let at = |title: &str| head.iter().position(|head| head == title);
    let rows: Vec<&str> = between(table.split("<tbody>").nth(1).unwrap(), "<tr", "</tr>").collect();
    let rows = &rows[..named.len()];
    let best = |title: &str, run: &Value| match title {
        "times the first" => {
            named.iter().find(|(other, _)| other["load"] == run["load"]).map(|(_, values)| values)
        }
        _ => {
            let medians = named.iter().map(|(_, values)| values);
            let lower = METRICS
                .iter()
                .any(|metric| metric.name == name && metric.better == idgen_record::Better::Lower);
            medians.min_by(|a, b| {
                let (a, b) = if lower { (a, b) } else { (b, a) };
                median(a).total_cmp(&median(b))
            })
        }
    };
    for (row, (run, values)) in rows.iter().zip(&named) {
        let cells = cells(row);
        let fault = || format!("{place}, {name}: {cells:?} against {values:?}");
        let title =
            if run["load"].is_object() { &run["strategy"]["name"] } else { &run["strategy"]["title"] };
        assert_eq!(cells[0], title.as_str().unwrap(), "{}", fault());
        let middle = at("median").or(at("value")).unwrap();
        assert!(shows(&cells[middle], median(values)), "{}", fault());
        let (least, most) = range(values);
        if let Some(at) = at("smallest\u{2013}largest") {
            let (from, to) = cells[at].split_once('\u{2013}').unwrap_or((&cells[at], &cells[at]));
            assert!(shows(from, least) && shows(to, most), "{}", fault());
        }
        if let Some(at) = at("the runs, in their order") {
            let shown: Vec<&str> = cells[at].split("; ").collect();
            assert_eq!(shown.len(), values.len(), "{}", fault());
            assert!(shown.iter().zip(values).all(|(text, value)| shows(text, *value)), "{}", fault());
        }
        for title in ["times the best", "times the first"] {
            let Some(column) = at(title) else { continue };
            let base = best(title, run).unwrap();
            if cells[column].is_empty() {
                assert!((median(base) - median(values)).abs() < 1e-9, "{}", fault());
                continue;
            }
            let apart = range(base).1 < least || most < range(base).0;
            let ratio = median(values) / median(base);
            match cells[column].as_str() {
                "no difference" => {
                    let noise = METRICS.iter().find(|metric| metric.name == name).unwrap().noise;
                    let spread = |values: &[f64]| range(values).1 / range(values).0.max(1e-9);
                    let within = ratio.max(1.0 / ratio) <= spread(values).max(spread(base));
                    let alone =
                        values.len() == 1 && ratio.max(1.0 / ratio) <= 1.0 / (1.0 - noise.share) + 1e-9;
                    // A floor is a number that an idle database reaches, too.
                    assert!(!apart || within || alone || noise.floor > 0.0, "{}", fault());
                }
                "differs" => assert!(apart, "{}", fault()),
                times => assert!(apart && shows(times, ratio), "{}", fault()),
            }
            if let Some(tested) = at("p") {
                let expected =
                    if values.len().min(base.len()) > 1 { written(p(values, base)) } else { String::new() };
                assert_eq!(cells[tested], expected, "{}", fault());
            }
        }
        // The points, from left to right as the values are.
        let points: Vec<f64> = between(row.split("class=\"runs\"").nth(1).unwrap(), "M", " ")
            .map(|x| x.parse().unwrap())
            .take(values.len())
            .collect();
        assert_eq!(row.matches("h0").count(), values.len(), "{}", fault());
        for (x, value) in points.iter().zip(values) {
            for (other_x, other) in points.iter().zip(values) {
                assert!(value >= other || x <= other_x, "{}: {points:?}", fault());
            }
        }
    }
    rows.len()
}

/// The tables below `All figures`, of which each cell is `median (smallest–largest)` with the digits that the spread supports.
fn check_tables(entry: &str, record: &Value, place: &str) -> usize {
    let all = entry.split("<summary>All figures</summary>").nth(1).unwrap_or_default();
    let all = all.split("<summary>").next().unwrap();
    let runs = record["runs"].as_array().unwrap();
    let mut checked = 0;
    for table in between(all, "<thead>", "</table>") {
        let (head, body) = table.split_once("</thead>").unwrap();
        let head = cells(head);
        for row in between(body, "<tr>", "</tr>").map(cells) {
            let Some(run) = runs.iter().find(|run| run["strategy"]["title"] == row[0]) else { continue };
            for (title, cell) in head.iter().zip(&row).skip(1) {
                let titled = METRICS.iter().filter(|metric| metric.title == *title);
                let mut known = titled.filter_map(|metric| values(run, metric.name));
                let Some(values) = known.next().filter(|_| record["settings"].is_null()) else { continue };
                let (least, most) = range(&values);
                let near = |text: &str, value: f64| {
                    let (shown, half) = number(text).unwrap();
                    // Two digits of the spread are shown, and at least the first one of the value.
                    let first = if value.abs() < (most - least) / 10.0 { value.abs() / 2.0 } else { 0.0 };
                    let step = half.max(0.06 * (most - least)).max(0.06 * value.abs()).max(first);
                    assert!(
                        (shown - value).abs() <= step * (1.0 + 1e-9),
                        "{place}, {title}: {cell} against {values:?}"
                    );
                };
                let (middle, ends) = cell.split_once(" (").unwrap_or((cell, ""));
                near(middle, median(&values));
                if let Some((from, to)) = ends.trim_end_matches(')').split_once('\u{2013}') {
                    near(from, least);
                    near(to, most);
                }
                checked += 1;
            }
        }
    }
    checked
}

/// The lines of an answer that compare two strategies by a figure, in which medians are rounded to two digits or more.
fn check_findings(entry: &str, record: &Value, place: &str) -> usize {
    let answer = between(entry, "<div class=\"answer\">", "</div>").next().unwrap_or_default();
    let (mut pair, mut checked) = (Vec::new(), 0);
    for line in answer.lines().flat_map(|line| line.split("<li>")).map(plain) {
        if line.contains("\u{201d} compared with \u{201c}") {
            pair = between(&line, "\u{201c}", "\u{201d}").map(str::to_owned).collect();
        }
        let Some((title, rest)) = line.split_once(": ").filter(|_| pair.len() == 2) else { continue };
        let runs = record["runs"].as_array().unwrap();
        let of = |name: &str, title: &str| {
            let run = runs.iter().find(|run| run["strategy"]["title"] == title)?;
            Some(median(&values(run, name)?))
        };
        // Two figures may have one title; a record has one of them.
        let both = |name: &str| Some([of(name, &pair[0])?, of(name, &pair[1])?]);
        let mut titled = METRICS.iter().filter(|metric| metric.title == title && rest.contains(" against "));
        let Some(medians) = titled.find_map(|metric| both(metric.name)) else { continue };
        let (a, b) = rest.split_once(" against ").unwrap();
        let first = |text: &str| text.split([' ', ';']).next().unwrap().trim_end_matches(',').to_owned();
        for (text, value) in [(first(a), medians[0]), (first(b), medians[1])] {
            let (shown, half) = number(&text).unwrap();
            assert!((shown - value).abs() <= half.max(0.06 * value.abs()), "{place}: {line}: {value}");
        }
        checked += 1;
    }
    checked
}

#[test]
fn every_figure_of_the_site_follows_from_the_records() {
    let home = tempfile::tempdir().unwrap();
    let site = home.path().join("site");
    let written = idgen_report::site(&root(), &site).unwrap();
    let page = fs::read_to_string(site.join("index.html")).unwrap();
    let mut records: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in fs::read_to_string(site.join("SHA256SUMS")).unwrap().lines() {
        let (sum, link) = line.split_once("  ").unwrap();
        let bytes = fs::read(site.join(link)).unwrap();
        assert_eq!(bytes, fs::read(root().join(link.strip_prefix("records/").unwrap())).unwrap(), "{link}");
        let found: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert!(sum == found && page.contains(sum), "{link}");
        let mut text = String::new();
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
        let values = match link.ends_with(".jsonl.gz") {
            true => text.lines().map(|line| serde_json::from_str(line).unwrap()).collect(),
            false => vec![serde_json::from_str(&text).unwrap()],
        };
        records.insert(link.to_owned(), values);
    }
    let all: usize = records.values().map(Vec::len).sum();
    assert_eq!(written.records, all);

    let (mut entries, mut rows, mut findings, mut cells, mut runs) = (0, 0, 0, 0, 0);
    for entry in page.split("<details id=\"").skip(1) {
        let place = entry.split('"').next().unwrap();
        let source = entry.split("<th scope=\"row\">Record</th>").nth(1).unwrap();
        let link = between(source, "<a href=\"", "\"").next().unwrap();
        let line = between(source, "</a>", "</td>").next().unwrap();
        let line = line.strip_prefix(", line ").map_or(1, |line| line.parse::<usize>().unwrap());
        // Each record is taken out, so that it cannot come twice.
        let record = records.get_mut(link).unwrap()[line - 1].take();
        assert!(record.is_object(), "{link}, line {line} stands twice");
        let command = between(entry, "Command</th><td><code>", "</code>").next().unwrap();
        assert_eq!(plain(command), record["command"].as_str().unwrap(), "{place}");
        runs += record["runs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["repeats"].as_array().map_or(1, Vec::len))
            .sum::<usize>();
        let figures: Vec<_> = between(entry, "<div data-figure=\"", "</table>").collect();
        assert!(!figures.is_empty(), "{place}");
        for figure in figures {
            let name = figure.split('"').next().unwrap();
            rows += check_figure(name, figure, &record, place);
        }
        findings += check_findings(entry, &record, place);
        cells += check_tables(entry, &record, place);
        entries += 1;
    }
    assert_eq!((entries, runs), (all, written.runs));
    assert!(records.values().flatten().all(Value::is_null), "a record is not on the page");
    assert!(
        rows > 5_000 && findings > 300 && cells > 10_000,
        "{rows} rows, {findings} findings, {cells} cells"
    );

    // Each link leads to a file, or to a place in the page.
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    between(&page, " id=\"", "\"").for_each(|place| *places.entry(place).or_default() += 1);
    assert!(places.values().all(|times| *times == 1), "an id stands twice");
    for link in between(&page, "href=\"", "\"") {
        let is_there =
            link.strip_prefix('#').map_or_else(|| site.join(link).is_file(), |id| places.contains_key(id));
        assert!(is_there, "{link}");
    }
}
