//! The content of `states.json`: texts of state files.

use idgen::source::{FileState, Saved, State};
use idgen::{Kind, Node};
use serde_json::{Value, json};

pub fn vectors() -> Value {
    json!({ "written": written(), "damaged": damaged() })
}

fn text_of(saved: &Saved) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ids.state");
    FileState::open(&path).expect("a file").save(saved).expect("it is saved");
    std::fs::read_to_string(path).expect("it is there")
}

fn written() -> Vec<Value> {
    let node = Some(Node::new([0x9f, 0x6b, 0xde, 0xce, 0xd8, 0x46]));
    let states = [
        (Kind::V7, 0, None),
        (Kind::V7, 1_795_262_400_123 << 32 | 5, None),
        (Kind::V1, 17_952_624_001_234_567 << 32 | 0xFFFF_FFFF, node),
        (Kind::Short, u128::from(u64::MAX), node),
        (Kind::Ulid, u128::MAX, None),
    ];
    let vector = |(kind, position, node)| {
        let text = text_of(&Saved { kind, position, node });
        let node = node.map(|node| node.to_string());
        json!({ "kind": kind.name(), "position": position.to_string(), "node": node, "text": text })
    };
    states.into_iter().map(vector).collect()
}

/// Texts that are no state, so that a generator refuses them instead of starting over.
fn damaged() -> Vec<Value> {
    let good = text_of(&Saved { kind: Kind::V7, position: 1_795_262_400_123 << 32 | 5, node: None });
    let texts = [
        String::new(),
        "\n".into(),
        good.trim_end().into(),
        good.replace("state 1", "state 2"),
        good.replace("kind v7", "kind v6"),
        good.replace("position 7", "position 8"),
        good.replace('\n', "\r\n"),
        format!("{good}\n"),
        format!(" {good}"),
        good.replace("check ", "check"),
        good[..good.len() / 2].into(),
    ];
    texts.into_iter().filter(|text| is_refused(text)).map(|text| json!({ "text": text })).collect()
}

fn is_refused(text: &str) -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ids.state");
    std::fs::write(&path, text).expect("it is written");
    FileState::open(&path).expect("a file").load().is_err()
}
