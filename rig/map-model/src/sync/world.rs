//! The state of the model.

use crate::sync::change::{DEVICES, Marks, Message, ROWS, Scope};
use crate::sync::outbox::Outbox;
use crate::sync::server::Server;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    pub(super) devices: [Outbox; DEVICES],
    pub(super) server: Server,
    /// The messages on their way, in no order.
    pub(super) network: Vec<Message>,
    pub(super) server_backup: Option<Server>,
    pub(super) device_backup: Option<Outbox>,
    /// The server was restored, and the devices have not sent everything again.
    pub(super) server_restored: bool,
    pub(super) device_restored: bool,
    /// The newest number of each row of which the server has said that it is refused or blocked.
    pub(super) said_no: [u8; ROWS],
}

impl World {
    pub(super) fn begin() -> World {
        World {
            devices: [Outbox::default(), Outbox::default()],
            server: Server::default(),
            network: Vec::new(),
            server_backup: None,
            device_backup: None,
            server_restored: false,
            device_restored: false,
            said_no: [0; ROWS],
        }
    }

    /// The mark that a device draws now. It differs where copies are checked, which keeps the states of the others fewer.
    pub(super) fn mark(&self, scope: Scope, device: usize) -> u8 {
        1 + u8::from(scope == Scope::Copied && device == 0 && self.device_restored)
    }

    /// States that differ in the order of messages count once, and those that differ in what the checker judges only copies by.
    pub(super) fn canonical(mut self, scope: Scope) -> World {
        if scope != Scope::Copied {
            self.devices.iter_mut().flat_map(|device| device.entries.iter_mut().flatten()).for_each(
                |entry| {
                    entry.follows = Marks::default();
                },
            );
            for message in &mut self.network {
                let follows = match message {
                    Message::Batch(_, batch) => batch.iter_mut().collect::<Vec<_>>(),
                    Message::Answer(_, outcomes) => outcomes.iter_mut().map(|(change, _)| change).collect(),
                };
                follows.into_iter().for_each(|change| change.follows = Marks::default());
            }
        }
        self.network.sort_unstable();
        self
    }
}
