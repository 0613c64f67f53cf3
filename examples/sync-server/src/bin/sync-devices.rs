//! `sync-devices [URL]` runs two devices that make rows, and send them to the server.

use std::process::ExitCode;

use idgen_sync_server::device::Device;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:8034".to_owned());
    let token = std::env::var("SYNC_TOKEN").map_err(|_| "set SYNC_TOKEN to the token of the server")?;
    for name in ["phone", "tablet"] {
        let path = std::env::temp_dir().join(format!("idgen-sync-{name}.sqlite"));
        let mut device = Device::open(&path)?;
        let list = device.add_list(&format!("shopping on the {name}"))?;
        for title in ["milk", "bread", "tea"] {
            let item = device.add_item(list, title)?;
            if title == "bread" {
                device.check_off(item)?;
                device.add_note(item, idgen::short().into())?;
            }
        }
        let made = device.left()?.0;
        let refused = |error| {
            format!(
                "{url} did not take the changes ({error}); they stay in {}. Start the server, or set SYNC_TOKEN to its \
                 token if the status is 401",
                path.display()
            )
        };
        while device.send(&url, &token).map_err(refused)? {}
        println!("{name}: {made} changes sent; its rows are in {}", path.display());
    }
    Ok(())
}
