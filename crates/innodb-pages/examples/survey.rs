//! Prints how full the indexes of a tablespace file are: `cargo run --example survey -- orders.ibd`.

use innodb_pages::{Options, Survey, Tablespace};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os().nth(1).ok_or("name a file, such as orders.ibd")?;
    let survey = Survey::of(&Tablespace::open(path, Options::default())?.scan()?);
    println!("{} pages of {} bytes, {} free", survey.pages, survey.format.page_size, survey.free_pages);
    for index in &survey.indexes {
        let name = index.name.as_deref().unwrap_or("(name not in the file)");
        println!("index {} {name}: {} records on {} pages", index.id, index.records, index.pages);
        for level in index.levels.iter().rev() {
            println!("  level {}: {} pages, fill {:.1} %", level.level, level.pages, 100.0 * level.fill.mean);
        }
    }
    Ok(())
}
