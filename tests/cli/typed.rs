//! Typed and sealed ids, ids of other generators, and versions that follow from what is given.

use crate::{failure, lines, lines_of, noted, output, vectors};

const TEXT: &str = "user_01h455vb4pex5vsknk084sn02q";
const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

#[test]
fn typed_ids_are_made_and_converted() {
    let made = lines(&["new", "typed", "--type", "user", "-n", "3"]);
    assert!(made.iter().all(|id| id.starts_with("user_01") && id.len() == 31), "{made:?}");
    assert_eq!(lines(&["convert", "--to", "typed", "--type", "user", ID]), [TEXT]);
    assert_eq!(lines(&["convert", "--to", "typed", "--type", "", ID]), [&TEXT[5..]]);
    assert_eq!(lines(&["convert", "--to", "hyphenated", TEXT]), [ID]);
    let json = &lines(&["new", "typed", "--type", "user", "--json"])[0];
    assert!(json.contains(r#""kind":"v7""#) && json.contains(r#""format":"typed""#), "{json}");
    for case in vectors("typeid.json")["valid"].as_array().unwrap() {
        let [text, prefix, id] = ["typeid", "prefix", "uuid"].map(|name| case[name].as_str().unwrap());
        assert_eq!(lines(&["convert", "--to", "typed", "--type", prefix, id]), [text]);
        assert_eq!(lines(&["convert", "--to", "hyphenated", text]), [id]);
    }
    for (args, code, says) in [
        (&["new", "typed"][..], 2, "add --type, such as --type user"),
        (&["new", "v7", "--type", "User"], 2, "found 'U' at offset 0"),
        (&["new", "short", "--type", "user"], 2, "which have no form typed, only int"),
        (&["new", "v7", "--type", "user", "-f", "simple"], 2, "only the format typed shows a type"),
        (&["convert", "--to", "typed", ID], 2, "add --type"),
        (&["convert", "--to", "int", "--type", "user", ID], 2, "--type is for --to typed"),
        (&["convert", "--to", "typed", "--type", "order", TEXT], 1, "not an id with the prefix \"order\""),
        (&["convert", "--to", "int", "user_01h455vb4pexivsknk084sn02q"], 1, "found 'i' at offset 17"),
    ] {
        let (found, error) = failure(args, "");
        assert!(found == code && error.contains(says), "{args:?}: {error}");
    }
}

#[test]
fn sealed_ids_of_a_type_open_with_its_key_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seal.key");
    std::fs::write(&path, "a secret of at least 16 bytes\n").unwrap();
    let key = path.to_str().unwrap();
    let seal =
        |prefix, id| lines(&["convert", "--seal", key, "--to", "typed", "--type", prefix, id]).concat();
    let sealed = seal("user", "42");
    assert_eq!(sealed, "user_3m4we5sqk3g809yj64bdp1xkhe");
    assert_ne!(seal("order", "42")[6..], sealed[5..]);
    assert_eq!(lines(&["convert", "--open", key, "--to", "int", &sealed]), ["42"]);
    let ids = output(&["new", "v7", "-n", "50"], "");
    let texts = output(&["convert", "--seal", key, "--to", "typed", "--type", "user"], &*ids);
    assert_eq!(output(&["convert", "--open", key, "--to", "hyphenated"], texts), ids);
    for (text, to, code, says) in [
        (&*sealed.replace("user", "order"), "int", 1, "no key of this type sealed"),
        (&*sealed.replace("3m4", "3m5"), "int", 1, "no key of this type sealed"),
        (&*sealed, "hyphenated", 2, "write it with --to int"),
    ] {
        let (found, error) = failure(&["convert", "--open", key, "--to", to, text], "");
        assert!(found == code && error.contains(says), "{text}: {error}");
    }
}

#[test]
fn inspect_reads_ids_of_other_generators() {
    let seen = lines(&["inspect", TEXT]).join("\n");
    assert!(seen.contains("type            user") && seen.contains("2023-06-30T03:34:18.518Z"), "{seen}");
    let number = lines(&["inspect", "175928847299117063"]);
    let place = |words: &str| number.iter().position(|line| line.contains(words)).unwrap();
    assert!(place("2016-04-30T11:18:25.796Z: Snowflake of Discord") < place("2012-03-03"), "{number:#?}");
    assert!(place("Sonyflake") < place("1971-04-20"), "{number:#?}");
    for vector in vectors("inspections.json")["foreign_texts"].as_array().unwrap() {
        let (text, readings) = (vector["text"].as_str().unwrap(), vector["readings"].as_array().unwrap());
        if let Some(first) = readings.first().filter(|first| first["kind"] != "typeid") {
            let json = lines(&["inspect", "--json", "--", text]).concat();
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            assert_eq!((&json["kind"], &json["readings"]), (&first["kind"], &vector["readings"]));
        }
    }
    // The version 4 919108f7-52d1-4320-9bac-f847db4148a8 in the bytes of .NET and of MongoDB's old Java driver.
    for text in ["f7089191-d152-2043-9bac-f847db4148a8", "2043d152-f708-9191-a848-41db47f8ac9b"] {
        let seen = lines(&["inspect", text]).join("\n");
        assert!(seen.contains("or a UUID       919108f7-52d1-4320-9bac-f847db4148a8"), "{seen}");
    }
}

#[test]
fn versions_3_5_and_8_follow_from_what_is_given() {
    // The examples of RFC 9562, appendices A.2 and A.4.
    for (version, id) in
        [("v3", "5df41881-3aed-3515-88a7-2f4a814cf09e"), ("v5", "2ed6657d-e927-568b-95e1-2665a8aea6a2")]
    {
        assert_eq!(lines(&["new", version, "--namespace", "dns", "--name", "www.example.com"]), [id]);
    }
    let bytes = "00112233445566778899aabbccddeeff";
    assert_eq!(lines(&["new", "v8", "--bytes", bytes]), ["00112233-4455-8677-8899-aabbccddeeff"]);
    let (out, _) = noted(&["new", "v5", "--namespace", "dns", "--name", "python.org", "-f", "simple"], "");
    assert_eq!(lines_of(out), ["886313e13b8a53729b900c9aee199e5d"]);
    for (args, says) in [
        (&["new", "v5"][..], "v5 needs a namespace and a name"),
        (&["new", "v5", "--namespace", "web", "--name", "a"], "dns, url, oid or x500"),
        (&["new", "v8"], "v8 needs its bytes"),
        (&["new", "v7", "--name", "a"], "choose v5, v3 or v8"),
        (&["new", "v5", "--namespace", "dns", "--name", "a", "-n", "2"], "v5 is one id"),
    ] {
        let (code, error) = failure(args, "");
        assert!(code == 2 && error.contains(says), "{args:?}: {error}");
    }
}
