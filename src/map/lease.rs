//! `idgen map lease`: numbers of devices for 64-bit ids.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use clap::Subcommand;
use idgen_mysql::{DeviceLeases, Lease, UuidMap};
use uuid::Uuid;

use super::Connection;
use crate::number;
use crate::output::Output;
use crate::values;

/// Lease the 16-bit numbers of devices, so that no two devices make the same 64-bit id.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Create the table of leases, or check the existing one. The map must be installed.
    Install(Common),
    /// Lease a number for a device, or make the lease that it has longer.
    Take(Take),
    /// Make a lease longer. It is an error if the device does not hold the number any more.
    Renew(Renew),
    /// End a lease early, at the time of the last id that the device made with it.
    Release(Release),
    /// End the lease of a device that will never answer again, now.
    Expire(Device),
    /// Print all leases.
    List(Common),
}

#[derive(clap::Args)]
struct Common {
    #[command(flatten)]
    connection: Connection,
    /// How long a number rests after its lease, before another device can get it. All clients of a map should use the
    /// same.
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u64>(0..=u64::MAX), default_value_t = 86_400)]
    margin_secs: u64,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Device {
    #[command(flatten)]
    common: Common,
    /// The UUID of the device, which its installation of the app drew once.
    #[arg(value_name = "DEVICE")]
    device: Uuid,
}

#[derive(clap::Args)]
struct Take {
    #[command(flatten)]
    device: Device,
    /// For how long the number is leased.
    #[arg(long, value_name = "SECONDS", value_parser = number::whole::<u64>(1..=u64::MAX), default_value_t = 2_592_000)]
    secs: u64,
}

#[derive(clap::Args)]
struct Held {
    /// The number of the lease.
    #[arg(long, value_name = "NUMBER", value_parser = number::whole::<u16>(0..=65_535))]
    number: u16,
    /// The term of the lease.
    #[arg(long, value_name = "TERM", value_parser = number::whole::<u64>(1..=u64::MAX))]
    term: u64,
}

#[derive(clap::Args)]
struct Renew {
    #[command(flatten)]
    take: Take,
    #[command(flatten)]
    held: Held,
}

#[derive(clap::Args)]
struct Release {
    #[command(flatten)]
    device: Device,
    #[command(flatten)]
    held: Held,
    /// The time of the last id that the device made, such as 2026-11-25T07:00:00Z; the beginning of the lease if it made
    /// none.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment)]
    last: idgen::Timestamp,
}

/// Runs the subcommand.
pub async fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.command {
        Command::Install(common) => {
            let (map, leases) = common.open().await?;
            leases.install().await?;
            print(&map, "The table of leases is installed.").await
        }
        Command::Take(Take { device, secs }) => {
            let (map, leases) = device.common.open().await?;
            let lease = leases.clone().duration(Duration::from_secs(secs)).lease(device.device).await?;
            print(&map, show(&leases, &lease, device.common.json)).await
        }
        Command::Renew(Renew { take: Take { device, secs }, held }) => {
            let (map, leases) = device.common.open().await?;
            let longer = leases.clone().duration(Duration::from_secs(secs));
            let lease = longer.renew(device.device, held.number, held.term).await?;
            print(&map, show(&leases, &lease, device.common.json)).await
        }
        Command::Release(Release { device, held, last }) => {
            let (map, leases) = device.common.open().await?;
            let released = leases.release(device.device, held.number, held.term, last).await?;
            let said = match (device.common.json, released) {
                (true, _) => serde_json::json!({ "released": released }).to_string(),
                (false, true) => "The lease is released.".to_owned(),
                (false, false) => "There was nothing to release: the lease has ended.".to_owned(),
            };
            print(&map, said).await
        }
        Command::Expire(device) => {
            let (map, leases) = device.common.open().await?;
            let said = match leases.expire(device.device).await? {
                Some(lease) => show(&leases, &lease, device.common.json),
                None if device.common.json => "null".to_owned(),
                None => "The device has no lease.".to_owned(),
            };
            print(&map, said).await
        }
        Command::List(common) => {
            let (map, leases) = common.open().await?;
            let (now, all) = leases.list().await?;
            let mut out = Output::open();
            for lease in &all {
                writeln!(out, "{}", show(&leases, lease, common.json))?;
            }
            if all.is_empty() && !common.json {
                writeln!(out, "No number is leased. The time of the server is {now}.")?;
            }
            out.finish()?;
            map.close().await?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

impl Common {
    async fn open(&self) -> anyhow::Result<(UuidMap, DeviceLeases)> {
        let map = self.connection.open().await?;
        let leases = map.device_leases().margin(Duration::from_secs(self.margin_secs));
        Ok((map, leases))
    }
}

fn show(leases: &DeviceLeases, lease: &Lease, json: bool) -> String {
    let (from, to, free_at) = (lease.not_before(), lease.not_after(), leases.free_at(lease));
    let (device, number, term) = (lease.device(), lease.number(), lease.term());
    if !json {
        return format!("{number} term {term} of {device} from {from} to {to}, free at {free_at}");
    }
    serde_json::json!({
        "device": device.to_string(),
        "number": number,
        "term": term,
        "not_before": from.to_string(),
        "not_after": to.to_string(),
        "free_at": free_at.to_string(),
    })
    .to_string()
}

async fn print(map: &UuidMap, said: impl std::fmt::Display) -> anyhow::Result<ExitCode> {
    let mut out = Output::open();
    writeln!(out, "{said}")?;
    out.finish()?;
    map.close().await?;
    Ok(ExitCode::SUCCESS)
}
