//! Counts connections that the listener refused, or closed before a request.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

/// Why a connection was refused, or closed before a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionRefusal {
    /// Its TLS handshake failed, or took too long.
    Handshake,
    /// Its first head took too long.
    NoHead,
    /// Its address had too many.
    AddressLimit,
    /// There were too many in all.
    Limit,
    /// The system could not accept it: open files have run out.
    NotAccepted,
}

/// The connections that were refused, by the reason. Clones share their values.
#[derive(Clone, Debug)]
pub struct RefusedConnections(Family<Labels, Counter>);

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Labels {
    reason: &'static str,
}

impl RefusedConnections {
    /// Counts one.
    pub fn count(&self, refusal: ConnectionRefusal) {
        let reason = refusal.as_str();
        self.0.get_or_create(&Labels { reason }).inc();
    }

    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "connections_refused",
            "Connections refused, or closed before a request, by the reason",
            self.0.clone(),
        );
    }
}

/// All at zero, so that the first is an increase.
impl Default for RefusedConnections {
    fn default() -> RefusedConnections {
        let family = Family::<Labels, Counter>::default();
        for reason in ConnectionRefusal::ALL.map(ConnectionRefusal::as_str) {
            drop(family.get_or_create(&Labels { reason }));
        }
        RefusedConnections(family)
    }
}

impl ConnectionRefusal {
    /// All, in the order of their numbers.
    pub const ALL: [ConnectionRefusal; 5] = [
        ConnectionRefusal::Handshake,
        ConnectionRefusal::NoHead,
        ConnectionRefusal::AddressLimit,
        ConnectionRefusal::Limit,
        ConnectionRefusal::NotAccepted,
    ];

    /// Its name in metrics and log lines.
    pub fn as_str(self) -> &'static str {
        match self {
            ConnectionRefusal::Handshake => "handshake",
            ConnectionRefusal::NoHead => "no_head",
            ConnectionRefusal::AddressLimit => "address_limit",
            ConnectionRefusal::Limit => "limit",
            ConnectionRefusal::NotAccepted => "not_accepted",
        }
    }
}
