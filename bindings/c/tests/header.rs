//! The header is written from the source.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_root_or_default(folder);
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_config(config)
        .with_crate(folder)
        .generate()
        .expect("the source is readable")
        .write(&mut header);
    let header = String::from_utf8(header).expect("UTF-8");
    let file = folder.join("include/idgen.h");
    if std::env::var_os("IDGEN_WRITE_HEADER").is_some() {
        std::fs::write(&file, &header).expect("it is written");
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == header,
        "include/idgen.h is outdated: write it with IDGEN_WRITE_HEADER=1 cargo test --test header"
    );
}
