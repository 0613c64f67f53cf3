//! The page that stands alone, and the maps of pages on it.

use super::*;

#[test]
fn the_page_stands_alone_and_escapes_what_it_shows() {
    let mut results = results(MANY);
    results.interrupted = true;
    results.failures.push(Failure { strategy: "v9".into(), error: "<script>".into() });
    let page = html(&results).unwrap();
    for (wanted, times) in [
        ("<svg", 6 + 2 * MANY),
        ("role=\"img\"", 6 + 2 * MANY),
        ("<title>", 1 + 6 + 2 * MANY),
        ("idgen lab run --rows 4000", 1),
        ("were interrupted", 1),
    ] {
        assert_eq!(page.matches(wanted).count(), times, "{wanted}");
    }
    // A browser runs the script with this hash and no other: a message is shown as it is.
    let (_, script) = page.split_once("<script>").unwrap();
    let (script, rest) = script.split_once("</script>").unwrap();
    let hash = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        <sha2::Sha256 as sha2::Digest>::digest(script),
    );
    assert_eq!(
        crate::formats::html::SCRIPT_HASH,
        format!("sha256-{hash}"),
        "page.js was changed: this is its hash"
    );
    assert!(page.contains(&format!("script-src '{}'", crate::formats::html::SCRIPT_HASH)));
    assert!(!rest.contains("<script") && page.matches("<script").count() == 1, "a message is shown as it is");
    // Names of XML's own are no requests.
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!without_names.contains(outside), "{outside}");
    }
}

#[test]
fn one_run_compares_nothing() {
    assert!(html(&results(1)).unwrap().contains("cannot be compared"));
}

#[test]
fn maps_of_pages_are_drawn_where_there_are_files() {
    let results = with_files(3);
    let page = html(&results).unwrap();
    assert_eq!(page.matches("How full each page is").count(), 3);
    assert!(page.contains("25 % changed in the last tenth of the run"), "for those who do not see it");
    assert!(page.contains("Each square is a page of"));
    assert!(!page.contains("two thirds"), "how full the pages are is what the maps show");
    assert_eq!(read(&json(&results).unwrap()).unwrap(), results);

    let mut damaged = with_files(1);
    damaged.runs[0].trees[0].file.as_mut().unwrap().recency = "012?".into();
    let error = read(&json(&damaged).unwrap()).unwrap_err();
    assert!(error.to_string().contains("damaged"), "{error}");
}

/// A map's two indexes lie in one file: its pages are shown once, both indexes in words.
#[test]
fn a_file_of_two_trees_is_drawn_once() {
    let mut results = with_files(1);
    let rows = results.runs[0].trees[0].clone();
    for (role, leaf_pages) in [(Role::Pairs, 21), (Role::Map, 47)] {
        results.runs[0].trees.push(TreeFigures { role, leaf_pages, ..rows.clone() });
    }
    let page = html(&results).unwrap();
    assert_eq!(page.matches("How full each page is").count(), 2);
    assert_eq!(page.matches(": the map and its pairs: fill, and time of the last change").count(), 1);
    assert!(page.contains("; 21 leaves of its pairs: ") && page.contains("; 47 leaves of the map: "));
}

/// On a server, pages read and written are also those of its own files.
#[test]
fn captions_say_whose_pages_are_counted() {
    let whole = "Pages that the whole server read because they were not in its cache";
    let server = results(1);
    let embedded =
        Results { engine: EngineInfo { name: "SQLite".into(), ..server.engine.clone() }, ..server.clone() };
    for (results, of_server) in [(&server, true), (&embedded, false)] {
        assert_eq!(results.engine.is_embedded(), !of_server);
        for text in [html(results).unwrap(), markdown(results).unwrap()] {
            assert_eq!(text.contains(whole), of_server, "{text}");
            assert_eq!(text.contains("they were no longer in the cache"), !of_server, "{text}");
        }
    }
}
