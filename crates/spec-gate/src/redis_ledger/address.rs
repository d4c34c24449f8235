//! The address of an engine: that of the flag `--limits`.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion};
use thiserror::Error;

/// The address of a Redis or Valkey, or the addresses of nodes of one cluster, with their credentials.
#[derive(Clone)]
pub struct RedisAddress(Vec<ConnectionInfo>);

/// Why a text is not the address of an engine.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum RedisAddressError {
    /// It is not a URL, or one of another scheme.
    #[error(
        "write redis://HOST, or rediss://HOST with TLS, as in rediss://user:password@limits.example:6379/0; \
         several with commas for a cluster"
    )]
    Invalid,
    /// A part of the URL cannot be used.
    #[error("{0}")]
    Part(String),
    /// Addresses of a cluster name a database, of which a cluster has one.
    #[error("a cluster has only the database 0; leave out the number at the end of the address")]
    DatabaseOfCluster,
}

impl RedisAddress {
    /// The nodes: one, or several of a cluster.
    pub(super) fn nodes(&self) -> &[ConnectionInfo] {
        &self.0
    }

    /// The number of the database.
    pub(super) fn database(&self) -> i64 {
        self.0.first().map_or(0, |node| node.redis_settings().db())
    }
}

impl FromStr for RedisAddress {
    type Err = RedisAddressError;

    fn from_str(text: &str) -> Result<RedisAddress, RedisAddressError> {
        let nodes = text
            .split(',')
            .map(parse_node)
            .collect::<Result<Vec<_>, _>>()?;
        let names_database = |node: &ConnectionInfo| node.redis_settings().db() != 0;
        match nodes.len() > 1 && nodes.iter().any(names_database) {
            true => Err(RedisAddressError::DatabaseOfCluster),
            false => Ok(RedisAddress(nodes)),
        }
    }
}

fn parse_node(text: &str) -> Result<ConnectionInfo, RedisAddressError> {
    let text = text.trim();
    let rest = ["redis://", "rediss://"]
        .iter()
        .find_map(|it| text.strip_prefix(it));
    // What follows the credentials.
    let host = rest.and_then(|rest| rest.rsplit('@').next());
    if host.is_none_or(|host| host.is_empty() || host.starts_with(['/', '?', '#', ':'])) {
        return Err(RedisAddressError::Invalid);
    }
    let node = text.into_connection_info().map_err(|error| {
        // Its detail may repeat the password.
        RedisAddressError::Part(format!("the address cannot be used: {}", error.category()))
    })?;
    if let ConnectionAddr::TcpTls { insecure: true, .. } = node.addr() {
        let message = "the address turns off the verification of the certificate (#insecure)";
        return Err(RedisAddressError::Part(message.to_owned()));
    }
    // Notices of other servers come in this version of the protocol.
    let settings = node.redis_settings().clone();
    Ok(node.set_redis_settings(settings.set_protocol(ProtocolVersion::RESP3)))
}

/// The hosts and ports, without credentials.
impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, node) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{}", node.addr())?;
        }
        Ok(())
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisAddress({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_one_engine_or_nodes_of_a_cluster() {
        for (text, expected) in [
            ("redis://localhost", Some("localhost:6379")),
            (
                "rediss://user:secret@limits.example:6380/3",
                Some("limits.example:6380"),
            ),
            ("redis://[::1]:7000", Some("::1:7000")),
            ("redis://a:7000,redis://b:7001", Some("a:7000,b:7001")),
            ("redis://a:7000, redis://b:7001", Some("a:7000,b:7001")),
            ("redis://a/1,redis://b", None),
            ("redis://", None),
            ("redis://:secret@a", Some("a:6379")),
            ("redis://:6379", None),
            ("redis://:secret@", None),
            ("redis:///tmp/socket", None),
            ("redis://a,b", None),
            ("redis://a,", None),
            ("redis://a:port", None),
            ("redis://a/name", None),
            ("rediss://a/#insecure", None),
            ("postgres://a", None),
            ("localhost:6379", None),
            ("", None),
        ] {
            let address = text.parse::<RedisAddress>();
            let shown = address.as_ref().ok().map(ToString::to_string);
            assert_eq!(shown.as_deref(), expected, "{text}: {address:?}");
        }
    }

    #[test]
    fn credentials_are_not_shown() {
        let address: RedisAddress = "redis://user:secret@a".parse().unwrap();
        assert!(!format!("{address} {address:?}").contains("secret"));
        let error = "redis://user:secret@a:port"
            .parse::<RedisAddress>()
            .unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
