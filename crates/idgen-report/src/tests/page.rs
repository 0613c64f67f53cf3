//! The page that stands alone, and the maps of pages on it.

use std::collections::BTreeSet;

use super::*;

#[test]
fn the_page_stands_alone_and_escapes_what_it_shows() {
    let mut results = results(MANY);
    results.interrupted = true;
    results.failures.push(Failure { strategy: "v9".into(), error: "<script>".into() });
    let page = html(&results).unwrap();
    for (wanted, times) in [
        ("<svg", 5 + 2 * MANY),
        ("role=\"img\"", 5 + 2 * MANY),
        ("<title>", 1 + 5 + 2 * MANY),
        ("idgen lab run --rows 4000", 1),
        ("were interrupted", 1),
    ] {
        assert_eq!(page.matches(wanted).count(), times, "{wanted}");
    }
    // A browser runs the script with this hash and no other: a message is shown as it is.
    hashed(&page, &[crate::formats::html::SCRIPT_HASH]);
    // Names of XML's own are no requests.
    let without_names = page.replace("http://www.w3.org/2000/svg", "");
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!without_names.contains(outside), "{outside}");
    }
}

/// The page allows its own scripts, which have these hashes, and has no others.
fn hashed(page: &str, hashes: &[&str]) {
    let scripts: Vec<_> =
        page.split("<script>").skip(1).map(|rest| rest.split_once("</script>").unwrap().0).collect();
    assert_eq!((page.matches("<script").count(), scripts.len()), (hashes.len(), hashes.len()));
    for (script, hash) in scripts.into_iter().zip(hashes) {
        let digest = <sha2::Sha256 as sha2::Digest>::digest(script);
        let found = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, digest);
        assert_eq!(*hash, format!("sha256-{found}"), "a script was changed: this is its hash");
    }
    let allowed: Vec<_> = hashes.iter().map(|hash| format!("'{hash}'")).collect();
    assert!(page.contains(&format!("script-src {}\"", allowed.join(" "))));
}

/// A site has one script more, and also shows what is in a record as it is.
#[test]
fn a_site_stands_alone_and_is_not_half_written() {
    let home = tempfile::tempdir().unwrap();
    let (from, to) = (home.path().join("runs"), home.path().join("site"));
    let mut hostile = results(3);
    hostile.command = "<script>alert(1)</script>".into();
    save(&hostile, &from.join("a")).unwrap();
    save(&results(1), &from.join("b")).unwrap();
    assert_eq!(site(&from, &to).unwrap(), Site { records: 2, runs: 4 });
    let page = fs::read_to_string(to.join("index.html")).unwrap();
    let scripts = [crate::formats::html::SCRIPT_HASH, crate::formats::html::FILTERS_HASH];
    hashed(&page, &scripts);
    assert!(page.contains("<a href=\"records/a/results.json\">") && page.contains("not known: the record"));
    assert!(!page.contains("http://") && !page.contains("NaN"), "{page}");

    let names = || {
        let entries = fs::read_dir(home.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
    };
    let refused = |from: &Path, to: &Path, said: &str| {
        let before = names();
        let error = site(from, to).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(names(), before, "{error}");
    };
    // Only files that `site` wrote are replaced.
    fs::remove_dir_all(from.join("b")).unwrap();
    assert_eq!(site(&from, &to).unwrap().records, 1);
    assert!(!to.join("records/b").exists());
    fs::write(to.join("records/notes.txt"), "mine").unwrap();
    refused(&from, &to, "notes.txt, which idgen lab site did not write: choose another directory");
    fs::remove_file(to.join("records/notes.txt")).unwrap();
    fs::write(home.path().join("file"), "mine").unwrap();
    refused(&from, &home.path().join("file"), "a file or a link");
    refused(&from, &from.join("site"), "choose a directory for the site that is not within");
    refused(&to, home.path(), "nor around it");
    refused(&from.join("a/results.json"), &home.path().join("new"), "is a file: name the directory");
    refused(&home.path().join("absent"), &home.path().join("new"), "absent");
    fs::create_dir(home.path().join("empty")).unwrap();
    refused(&home.path().join("empty"), &home.path().join("new"), "empty has no records");
    // A record that cannot be read leaves the earlier site as it was.
    fs::create_dir(from.join("c")).unwrap();
    fs::write(from.join("c/results.json"), "{").unwrap();
    refused(&from, &to, "c/results.json");
    assert!(fs::read_to_string(to.join("index.html")).unwrap().contains("alert(1)"));
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

/// Tests that captions say that a server's page counts include its own files.
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
