//! The sources of a node: randomness, or the network card.

use crate::error::Result;
use crate::node::Node;
use crate::source::entropy::Entropy;

impl Node {
    /// 47 random bits, with the multicast bit set.
    ///
    /// # Errors
    /// Those of the entropy.
    pub fn random(entropy: &mut (impl Entropy + ?Sized)) -> Result<Self> {
        let mut bytes = [0; 6];
        entropy.fill(&mut bytes)?;
        bytes[0] |= 1;
        Ok(Node::new(bytes))
    }

    /// The hardware address of the first network card. It is read once, which takes tens of microseconds.
    ///
    /// This function needs the feature `mac`. Everyone who sees an id can read from it which machine generated it. The default is a random node.
    ///
    /// # Errors
    /// If the system shows no network card.
    #[cfg(feature = "mac")]
    pub fn mac() -> Result<Self> {
        use crate::error::{Error, Kind, Words};
        static MAC: std::sync::OnceLock<Node> = std::sync::OnceLock::new();
        if let Some(node) = MAC.get() {
            return Ok(*node);
        }
        let problem = match card::address() {
            Ok(Some(address)) => return Ok(*MAC.get_or_init(|| Node::new(address))),
            Ok(None) => Words::of("the system shows no network card"),
            Err(error) => Words::of(error),
        };
        Err(Error::new(Kind::Node { detail: problem }))
    }
}

/// Linux shows its cards as files (sysfs-class-net), so that no other crate is needed. The first one has the lowest number, as with `getifaddrs`.
#[cfg(all(feature = "mac", target_os = "linux"))]
mod card {
    use crate::node::Node;
    use std::{fs, io, vec::Vec};

    pub(super) fn address() -> io::Result<Option<[u8; 6]>> {
        let mut cards = Vec::new();
        for card in fs::read_dir("/sys/class/net")? {
            let card = card?.path();
            let read = |file| fs::read_to_string(card.join(file)).unwrap_or_default();
            let (number, address) = (read("ifindex"), read("address"));
            // A tunnel has an address of another length, and a card that was just removed has none.
            if let (Ok(number), Ok(node)) = (number.trim().parse::<u32>(), address.trim().parse::<Node>()) {
                cards.push((number, node.bytes()));
            }
        }
        // The loopback has only zeros.
        Ok(cards.into_iter().filter(|(_, address)| *address != [0; 6]).min().map(|(_, address)| address))
    }
}

/// The card that the system shows first.
#[cfg(all(feature = "mac", idgen_cards))]
mod card {
    pub(super) fn address() -> Result<Option<[u8; 6]>, mac_address::MacAddressError> {
        Ok(mac_address::get_mac_address()?.map(|address| address.bytes()))
    }
}

/// Other systems, such as iOS and WebAssembly, do not show their cards to programs.
#[cfg(all(feature = "mac", not(any(idgen_cards, target_os = "linux"))))]
mod card {
    pub(super) fn address() -> Result<Option<[u8; 6]>, core::convert::Infallible> {
        Ok(None)
    }
}

#[cfg(all(test, feature = "mac"))]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn the_card_is_read_once() {
        // On a machine without a network card, the function must return an error instead of inventing an address.
        match (Node::mac(), Node::mac()) {
            (Ok(first), Ok(second)) => assert_eq!(first, second),
            (Err(error), Err(_)) => assert!(error.to_string().contains("no hardware address")),
            (first, second) => panic!("{first:?} then {second:?}"),
        }
    }
}
