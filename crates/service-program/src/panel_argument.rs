//! The flag `--admin-listen`: where the panel is.

use std::net::SocketAddr;

/// The flag `--admin-listen`, which the server and the commands that ask it share.
#[derive(Debug, clap::Args)]
pub(super) struct PanelArgument {
    /// Address and port of the panel: the page of the operator, /healthz, /readyz and /metrics. Do not expose it to the public
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:9090",
        value_parser = parse_address
    )]
    pub(super) admin_listen: SocketAddr,
}

/// Parses an IP address and a port.
pub(super) fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "write an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080".to_owned()
    })
}
