//! A server in a container.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::certificates::{self, Certificates};
use crate::docker::{command, docker, output};
use crate::error::Error;
use crate::keeper::Keeper;
use crate::settings::Settings;
use crate::{log, memory, software};
use idgen_database::Database;

/// The folder of the certificates inside of a container.
const FOLDER: &str = "/idgen-certificates";

/// A running container.
#[derive(Debug)]
pub(crate) struct Container {
    database: Database,
    name: String,
    // Removes the container and its volume.
    _keeper: Keeper,
}

/// True where a container engine answers.
pub(crate) fn engine_answers() -> bool {
    docker(&["version", "--format", "{{.Server.Version}}"]).is_ok()
}

/// The image to use: the user's, else the one that the setup script builds.
///
/// # Errors
/// The error of [`software::image`].
pub(crate) fn image(database: Database) -> Result<String, Error> {
    let own = software::image(database)?;
    let named = std::env::var(software::variable(database, "IMAGE")).ok().filter(|name| !name.is_empty());
    Ok(named.unwrap_or_else(|| own.to_owned()))
}

/// True where the image is on this machine; one that the user named is pulled first.
pub(crate) fn image_is_here(database: Database) -> bool {
    let (Ok(own), Ok(image)) = (software::image(database), image(database)) else {
        return false;
    };
    docker(&["image", "inspect", &image]).is_ok() || (image != own && docker(&["pull", "-q", &image]).is_ok())
}

impl Container {
    pub(crate) fn start(
        database: Database,
        settings: &Settings,
        certificates: Option<&Certificates>,
        password: &str,
        port: u16,
    ) -> Result<Container, Error> {
        let image = image(database)?;
        let name = format!("idgen-{}-{}", database.id(), uuid::Uuid::new_v4().simple());
        // The cleanup is set up before the container exists, so that no failure in between leaves one behind.
        let keeper = Keeper::spawn(r#"docker rm --force --volumes "$1""#, &[&name])
            .map_err(|error| Error::new(format!("cannot run sh, which removes containers: {error}")))?;
        let mut run = command();
        run.args(["create", "--name", &name, "--label", "idgen-server"]);
        // The host's network on Linux: the port stays the same over a restart, and no proxy slows what is
        // measured. Elsewhere containers run in a virtual machine, and the port is forwarded.
        if cfg!(target_os = "linux") {
            run.args(["--network", "host"]);
        } else {
            run.args(["--publish", &format!("127.0.0.1:{port}:{port}")]);
        }
        // Without a value, docker takes the variable from its own environment: it shows in no process list.
        let variable = if database.speaks_mysql() { "MYSQL_ROOT_PASSWORD" } else { "POSTGRES_PASSWORD" };
        run.args(["--env", variable]).env(variable, password);
        if database == Database::Postgres {
            // On SIGTERM it would wait until all clients have disconnected.
            run.args(["--stop-signal", "SIGINT"]);
        }
        if let Some((read, write)) = settings.iops_limits() {
            let disk = engine_disk()?;
            run.arg(format!("--device-read-iops={}:{read}", disk.display()));
            run.arg(format!("--device-write-iops={}:{write}", disk.display()));
        }
        run.args(settings.memory_limit().map(memory::options).into_iter().flatten());
        run.args(
            settings.time_zone().into_iter().flat_map(|zone| ["--env".to_owned(), format!("TZ={zone}")]),
        );
        run.arg(&image);
        let address = if cfg!(target_os = "linux") { "127.0.0.1" } else { "*" };
        run.args(listening(database, address, port)).args(settings.arguments(database));
        if certificates.is_some() {
            run.args(certificates::options(FOLDER));
        }
        let failed = |error| Error::new(format!("cannot start a container of {image}: {error}"));
        output(&mut run).map_err(failed)?;
        if let Some(certificates) = certificates {
            let from = certificates.folder();
            docker(&["cp", &from.to_string_lossy(), &format!("{name}:{FOLDER}")]).map_err(failed)?;
        }
        docker(&["start", &name]).map_err(failed)?;
        Ok(Container { database, name, _keeper: keeper })
    }

    /// Sends SIGKILL to the server.
    pub(crate) fn kill(&self) -> Result<(), Error> {
        self.docker(&["kill", "--signal", "KILL", &self.name])?;
        // `kill` returns once the signal is sent.
        self.docker(&["wait", &self.name])
    }

    /// Stops the server cleanly; after a minute it is killed.
    pub(crate) fn stop(&self) -> Result<(), Error> {
        self.docker(&["stop", "--time", "60", &self.name])
    }

    pub(crate) fn start_again(&self) -> Result<(), Error> {
        self.docker(&["start", &self.name])
    }

    pub(crate) fn runs(&self) -> bool {
        docker(&["inspect", "--format", "{{.State.Running}}", &self.name]).is_ok_and(|text| text == "true")
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn process_id(&self) -> Option<u32> {
        docker(&["inspect", "--format", "{{.State.Pid}}", &self.name]).ok()?.parse().ok()
    }

    /// The errors in the last part of the server's log, and its end.
    pub(crate) fn log(&self) -> String {
        let logs = command().args(["logs", "--tail", "500", &self.name]).output();
        let log = logs.map(|logs| log::excerpt(&String::from_utf8_lossy(&logs.stderr)));
        memory::exceeded(&self.name) + &log.unwrap_or_default()
    }

    pub(crate) fn copy_data_file(&self, relative: &str, to: &Path) -> Result<(), Error> {
        let data = if self.database.speaks_mysql() { "/var/lib/mysql" } else { "/var/lib/postgresql/data" };
        self.docker(&["cp", &format!("{}:{data}/{relative}", self.name), &to.to_string_lossy()])
    }

    fn docker(&self, arguments: &[&str]) -> Result<(), Error> {
        docker(arguments)
            .map(drop)
            .map_err(|error| Error::new(format!("docker {} failed: {error}", arguments[0])))
    }
}

/// The server's options for where it listens.
fn listening(database: Database, address: &str, port: u16) -> Vec<String> {
    if !database.speaks_mysql() {
        return vec![format!("-cport={port}"), format!("-clisten_addresses={address}")];
    }
    let mut options = vec![format!("--port={port}"), format!("--bind-address={address}")];
    if database == Database::MySql {
        options.push("--mysqlx=OFF".to_owned());
    }
    options.push("--skip-name-resolve".to_owned());
    options
}

/// The block device that holds the engine's data, for its throttles.
pub(crate) fn engine_disk() -> Result<PathBuf, Error> {
    let root = docker(&["info", "--format", "{{.DockerRootDir}}"]).map_err(Error::new)?;
    let unknown = |why: String| {
        Error::new(format!("cannot limit IOPS: the disk of {root} cannot be determined ({why})"))
    };
    let device = fs::metadata(&root).map_err(|error| unknown(error.to_string()))?.dev();
    // The kernel's split of dev_t into major and minor numbers, see makedev(3).
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & !0xff;
    let mut node = fs::canonicalize(format!("/sys/dev/block/{major}:{minor}"))
        .map_err(|error| unknown(format!("device {major}:{minor}: {error}")))?;
    // Throttles work on whole disks.
    if node.join("partition").exists() {
        node.pop();
    }
    let name = node.file_name().ok_or_else(|| unknown("a device without a name".to_owned()))?;
    Ok(Path::new("/dev").join(name))
}
