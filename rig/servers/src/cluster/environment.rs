//! The environment of every cluster: two networks, containers on both, and their cleanup.

use crate::cluster::network::Network;
use crate::docker::{command, docker, output};
use crate::error::Error;
use crate::keeper::Keeper;
use crate::memory;

/// Removes the containers, then the networks, of one cluster.
const CLEAR: &str = r#"
for container in $(docker ps --all --quiet --filter label="$1"); do
  docker rm --force --volumes "$container"
done
for network in $(docker network ls --quiet --filter label="$1"); do
  docker network rm "$network"
done"#;

/// The networks of a cluster and its containers.
#[derive(Debug)]
pub(crate) struct Environment {
    name: String,
    label: String,
    /// The network on which clients reach the nodes.
    front: Network,
    /// The network on which the nodes reach each other.
    back: Network,
    _keeper: Keeper,
}

/// A container on both networks.
#[derive(Debug)]
pub(crate) struct Machine {
    container: String,
    pub(crate) front: String,
    pub(crate) back: String,
}

impl Environment {
    pub(crate) fn new(kind: &str) -> Result<Environment, Error> {
        let name = format!("idgen-{kind}-{}", &uuid::Uuid::new_v4().simple().to_string()[..12]);
        let label = format!("idgen-cluster={name}");
        // Created first, so that a failure after this leaves no container or network behind.
        let keeper = Keeper::spawn(CLEAR, &[&label]).map_err(|error| {
            Error::new(format!("cannot run sh, which removes containers at the end: {error}"))
        })?;
        let front = Network::create(&format!("{name}-front"), &label)?;
        let back = Network::create(&format!("{name}-back"), &label)?;
        Ok(Environment { name, label, front, back, _keeper: keeper })
    }

    /// The address that the machine of this number has, or will have, among its peers.
    pub(crate) fn peer_address(&self, number: usize) -> String {
        self.back.address(number)
    }

    /// The network of the peers, as `172.20.3.0/24`.
    pub(crate) fn peer_subnet(&self) -> String {
        self.back.subnet()
    }

    /// Starts a machine that runs `script` with `arguments` as `$1`, `$2` ...
    pub(crate) fn machine(
        &self,
        number: usize,
        image: &str,
        password: &str,
        script: &str,
        arguments: &[String],
    ) -> Result<Machine, Error> {
        let machine = Machine {
            container: format!("{}-{number}", self.name),
            front: self.front.address(number),
            back: self.back.address(number),
        };
        let mut create = command();
        create.args([
            "create",
            "--name",
            &machine.container,
            "--label",
            "idgen-server",
            "--label",
            &self.label,
        ]);
        create.args(memory::options(memory::for_pool(memory::DEFAULT_POOL_MIB)));
        create.args(["--network", self.front.name(), "--ip", &machine.front]);
        // Without a value, docker takes the variable from its own environment, so it is not visible in process lists.
        create.args(["--env", "MYSQL_ROOT_PASSWORD"]).env("MYSQL_ROOT_PASSWORD", password);
        create.args(["--entrypoint", "sh", image, "-c", script, "sh"]).args(arguments);
        output(&mut create)
            .map_err(|error| Error::new(format!("cannot make a container of {image}: {error}")))?;
        self.back.connect(&machine.container, &machine.back)?;
        machine.start()?;
        Ok(machine)
    }

    /// Disconnects a machine from the network of its peers. Clients can still reach it.
    pub(crate) fn cut_from_peers(&self, machine: &Machine) -> Result<(), Error> {
        self.back.disconnect(&machine.container)
    }

    /// Disconnects a machine from every network: open connections to it get no more answers.
    pub(crate) fn cut_off(&self, machine: &Machine) -> Result<(), Error> {
        self.front.disconnect(&machine.container)?;
        self.back.disconnect(&machine.container)
    }

    /// Connects a machine to the networks that it was disconnected from.
    pub(crate) fn reconnect(&self, machine: &Machine) -> Result<(), Error> {
        let format = "{{range $name, $_ := .NetworkSettings.Networks}}{{$name}} {{end}}";
        let joined = docker(&["inspect", "--format", format, &machine.container]).map_err(Error::new)?;
        for (network, address) in [(&self.front, &machine.front), (&self.back, &machine.back)] {
            if !joined.split_whitespace().any(|name| name == network.name()) {
                network.connect(&machine.container, address)?;
            }
        }
        Ok(())
    }
}

impl Machine {
    /// Kills a machine with SIGKILL, which simulates a power failure.
    pub(crate) fn kill(&self) -> Result<(), Error> {
        self.docker(&["kill", "--signal", "KILL", &self.container])?;
        // `kill` returns once the signal is sent.
        self.docker(&["wait", &self.container])
    }

    pub(crate) fn start(&self) -> Result<(), Error> {
        self.docker(&["start", &self.container])
    }

    pub(crate) fn runs(&self) -> bool {
        docker(&["inspect", "--format", "{{.State.Running}}", &self.container])
            .is_ok_and(|text| text == "true")
    }

    /// The end of the machine's log.
    pub(crate) fn log(&self) -> String {
        let logs = command().args(["logs", "--tail", "25", &self.container]).output();
        let log = logs.map(|logs| {
            let text = [logs.stdout, logs.stderr].concat();
            String::from_utf8_lossy(&text).trim().to_owned()
        });
        memory::exceeded(&self.container) + &log.unwrap_or_default()
    }

    fn docker(&self, arguments: &[&str]) -> Result<(), Error> {
        docker(arguments)
            .map(drop)
            .map_err(|error| Error::new(format!("docker {} failed: {error}", arguments.join(" "))))
    }
}
