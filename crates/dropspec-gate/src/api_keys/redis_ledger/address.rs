//! The address of an engine: that of the flag `--limits`.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use redis::{ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion};
use thiserror::Error;

/// The parameter of an address that names a file of certificates, as that of a PostgreSQL URL does.
const ROOT_CERTIFICATES: &str = "sslrootcert";

/// The address of a Redis or Valkey, or the addresses of nodes of one cluster, with their credentials.
#[derive(Clone)]
pub struct RedisAddress {
    nodes: Vec<ConnectionInfo>,
    root_certificates: Option<PathBuf>,
}

/// Why a text is not the address of an engine. It does not contain a password.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct RedisAddressError(String);

fn refused<T>(reason: impl Into<String>) -> Result<T, RedisAddressError> {
    Err(RedisAddressError(reason.into()))
}

impl RedisAddress {
    /// The nodes: one, or several of a cluster.
    pub(super) fn nodes(&self) -> &[ConnectionInfo] {
        &self.nodes
    }

    /// The file of certificates (PEM) that are trusted instead of those of the system.
    pub(super) fn root_certificates(&self) -> Option<&Path> {
        self.root_certificates.as_deref()
    }

    /// The number of the database.
    pub(super) fn database(&self) -> i64 {
        self.nodes
            .first()
            .map_or(0, |node| node.redis_settings().db())
    }
}

impl FromStr for RedisAddress {
    type Err = RedisAddressError;

    fn from_str(text: &str) -> Result<RedisAddress, RedisAddressError> {
        let (mut nodes, mut files) = (Vec::new(), Vec::new());
        for text in text.split(',') {
            let (node, file) = parse_node(text)?;
            nodes.push(node);
            files.extend(file);
        }
        files.dedup();
        if files.len() > 1 {
            return refused(
                "the addresses of a cluster name different files for sslrootcert; write the same one",
            );
        }
        let names_database = |node: &ConnectionInfo| node.redis_settings().db() != 0;
        if nodes.len() > 1 && nodes.iter().any(names_database) {
            refused(
                "a cluster has only the database 0; leave out the number at the end of the address",
            )
        } else {
            Ok(RedisAddress {
                nodes,
                root_certificates: files.pop(),
            })
        }
    }
}

/// Parses an address, and the file of certificates that it names.
fn parse_node(text: &str) -> Result<(ConnectionInfo, Option<PathBuf>), RedisAddressError> {
    let (text, parameters) = match text.trim().split_once('?') {
        Some((text, parameters)) => (text, parameters),
        None => (text.trim(), ""),
    };
    if has_split_credentials(text) {
        return refused(
            "a character of the user or the password separates parts of a URL; write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25",
        );
    }
    let file = parse_parameters(parameters)?;
    if file.is_some() && text.starts_with("redis://") {
        return refused("sslrootcert has no effect with redis://; write rediss://");
    }
    let rest = ["redis://", "rediss://"]
        .iter()
        .find_map(|it| text.strip_prefix(it));
    // What follows the credentials.
    let host = rest.and_then(|rest| rest.rsplit('@').next());
    if host.is_none_or(|host| host.is_empty() || host.starts_with(['/', '?', '#', ':'])) {
        return refused(
            "write redis://HOST, or rediss://HOST with TLS, as in rediss://user:password@limits.example:6379/0; \
             several with commas for a cluster",
        );
    }
    let node = text.into_connection_info().map_err(|error| {
        // Its detail may repeat the password.
        RedisAddressError(format!("the address cannot be used: {}", error.category()))
    })?;
    if let ConnectionAddr::TcpTls { insecure: true, .. } = node.addr() {
        return refused("the address turns off the verification of the certificate (#insecure)");
    }
    // Notices of other servers come in this version of the protocol.
    let settings = node.redis_settings().clone();
    let node = node.set_redis_settings(settings.set_protocol(ProtocolVersion::RESP3));
    Ok((node, file))
}

/// Whether there is no user before the host, but behind it. What is a part of the password then would be taken for the host, and
/// shown.
fn has_split_credentials(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let end = rest.find(['/', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    !host.contains('@') && path.contains('@')
}

fn parse_parameters(parameters: &str) -> Result<Option<PathBuf>, RedisAddressError> {
    let mut file = None;
    // A plus sign is no space in a URL, other than in a form.
    let parameters = parameters.replace('+', "%2B");
    for (name, value) in form_urlencoded::parse(parameters.as_bytes()) {
        if name != ROOT_CERTIFICATES {
            return refused(
                "the address has another parameter than sslrootcert=FILE; leave it out",
            );
        }
        file = Some(PathBuf::from(value.into_owned()));
    }
    Ok(file)
}

/// The hosts and ports, without credentials.
impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, node) in self.nodes.iter().enumerate() {
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
            // Its password is `12#34`.
            ("redis://user:12#34@a", None),
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
    fn file_of_certificates_is_a_parameter_of_addresses_with_tls() {
        for (text, expected) in [
            ("rediss://a", Ok(None)),
            (
                "rediss://a/1?sslrootcert=/etc/my%20ca.pem",
                Ok(Some("/etc/my ca.pem")),
            ),
            (
                "rediss://a?sslrootcert=ca.pem,rediss://b?sslrootcert=ca.pem",
                Ok(Some("ca.pem")),
            ),
            (
                "rediss://a?sslrootcert=ca.pem,rediss://b?sslrootcert=other.pem",
                Err("different files"),
            ),
            ("redis://a?sslrootcert=ca.pem", Err("no effect")),
            ("rediss://a?sslrootcerts=ca.pem", Err("another parameter")),
        ] {
            match (text.parse::<RedisAddress>(), expected) {
                (Ok(address), Ok(file)) => {
                    assert_eq!(address.root_certificates(), file.map(Path::new), "{text}");
                }
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
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
