//! The flag `--admin-listen`: where the panel is.

use std::net::{SocketAddr, ToSocketAddrs};

/// The flag `--admin-listen`, which the server and the commands that ask it share.
#[derive(Debug, clap::Args)]
pub(super) struct PanelArgument {
    /// Address and port of the panel: the page of the operator, /healthz, /readyz and /metrics. Do not expose it to the public
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8079",
        value_parser = parse_address
    )]
    pub(super) admin_listen: SocketAddr,
}

/// Parses an address and a port. Of the addresses of a name it is the first of IPv4, or the first if there is none.
///
/// # Errors
///
/// What to write, if the text has no port, or the name no address.
pub fn parse_address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let name = text.rsplit_once(':').filter(|(name, port)| {
        !name.is_empty() && !name.contains(':') && port.parse::<u16>().is_ok()
    });
    let (name, _) = name.ok_or(
        "write an address and a port, such as 127.0.0.1:8080, [::1]:8080 or localhost:8080",
    )?;
    let found = text.to_socket_addrs();
    let found = found.map_err(|error| {
        format!("the name {name} has no address ({error}); write an IP address and a port, such as 127.0.0.1:8080")
    })?;
    let first = found.min_by_key(SocketAddr::is_ipv6);
    first.ok_or_else(|| format!("the name {name} has no address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_is_one_of_ip_or_of_a_name_with_a_port() {
        for (text, expected) in [
            ("127.0.0.1:0", Ok("127.0.0.1:0")),
            ("[::1]:8080", Ok("[::1]:8080")),
            ("localhost:8080", Ok("127.0.0.1:8080")),
            ("localhost", Err("write an address and a port")),
            ("localhost:http", Err("write an address and a port")),
            (":8080", Err("write an address and a port")),
            ("::1:8080", Err("write an address and a port")),
            (
                "no-such-host.invalid:80",
                Err("the name no-such-host.invalid has no address ("),
            ),
        ] {
            match (parse_address(text).map(|it| it.to_string()), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(found), Err(expected)) => assert!(found.starts_with(expected), "{found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
