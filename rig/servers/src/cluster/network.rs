//! Private Docker networks with fixed addresses.

use crate::docker::docker;
use crate::error::Error;

/// Another program may take a subnet between our two checks.
const ATTEMPTS: u32 = 10;

/// A network within this machine. Its members keep their addresses when they are disconnected and reconnected, as
/// machines in a rack do.
#[derive(Debug)]
pub(crate) struct Network {
    name: String,
    // The first three bytes of a /24, such as `172.20.3`.
    prefix: String,
}

impl Network {
    pub(crate) fn create(name: &str, label: &str) -> Result<Network, Error> {
        let failed = |error| Error::new(format!("cannot make the Docker network {name}: {error}"));
        let mut attempt = 1;
        loop {
            // Docker knows which subnets are free on this machine, but assigns fixed addresses only on a network
            // with a named subnet. So Docker chooses one, and the network is created again with that.
            docker(&["network", "create", "--internal", "--label", label, name]).map_err(failed)?;
            let subnet =
                docker(&["network", "inspect", "--format", "{{(index .IPAM.Config 0).Subnet}}", name])
                    .map_err(failed)?;
            docker(&["network", "rm", name]).map_err(failed)?;
            let base = subnet.split('/').next().unwrap_or_default();
            let prefix = base.rsplit_once('.').map_or("", |(prefix, _)| prefix).to_owned();
            let subnet = format!("{prefix}.0/24");
            let made =
                docker(&["network", "create", "--internal", "--label", label, "--subnet", &subnet, name]);
            match made {
                Ok(_) => return Ok(Network { name: name.to_owned(), prefix }),
                Err(_) if attempt < ATTEMPTS => attempt += 1,
                Err(error) => return Err(failed(error)),
            }
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The address of the member with this number, from 0.
    pub(crate) fn address(&self, member: usize) -> String {
        format!("{}.{}", self.prefix, 11 + member)
    }

    /// All addresses, as `172.20.3.0/24`.
    pub(crate) fn subnet(&self) -> String {
        format!("{}.0/24", self.prefix)
    }

    pub(crate) fn connect(&self, container: &str, address: &str) -> Result<(), Error> {
        docker(&["network", "connect", "--ip", address, &self.name, container])
            .map(drop)
            .map_err(|error| Error::new(format!("cannot connect {container} to {}: {error}", self.name)))
    }

    pub(crate) fn disconnect(&self, container: &str) -> Result<(), Error> {
        docker(&["network", "disconnect", &self.name, container])
            .map(drop)
            .map_err(|error| Error::new(format!("cannot disconnect {container} from {}: {error}", self.name)))
    }
}
