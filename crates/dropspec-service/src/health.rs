//! The command `health`: asks the panel of a running server, for container engines and service managers, which know no HTTP.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::panel_argument::PanelArgument;
use crate::command::with_printing_context;

/// How long to wait for a connection, and for each part of the answer. The panel checks the database for up to six seconds.
const TIMEOUT: Duration = Duration::from_secs(7);

/// Longer than every answer of the panel to a health check.
const MAX_ANSWER: u64 = 16 * 1024;

/// Ask a running server whether it can serve requests. Exit code 0 if it can, 2 if not.
///
/// Prints what the panel answers. For the health check of a container, which has no other program.
#[derive(Debug, clap::Args)]
pub(super) struct Health {
    #[command(flatten)]
    panel: PanelArgument,

    /// Ask only whether the process responds (/healthz), and not whether its database can be read (/readyz)
    #[arg(long)]
    alive: bool,
}

impl Health {
    /// Prints the answer of the panel.
    pub(super) fn run(self) -> Result<()> {
        let address = reachable(self.panel.admin_listen);
        let path = if self.alive { "/healthz" } else { "/readyz" };
        let answer = get(address, path)
            .with_context(|| format!("the panel at {address} does not answer"))?;
        match parse(&answer) {
            Some((200, text)) => with_printing_context(io::stdout().write_all(text.as_bytes())),
            Some((status, text)) => {
                bail!("http://{address}{path} is {status}: {}", text.trim_end())
            }
            None => bail!("what listens on {address} is not the panel of a server"),
        }
    }
}

/// The address at which a listener is reached that may listen on all addresses of its machine.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}

fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_write_timeout(Some(TIMEOUT))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    stream.take(MAX_ANSWER).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The status and the body of an HTTP response that ends with its connection.
fn parse(answer: &str) -> Option<(u16, &str)> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?;
    Some((status.parse().ok()?, body))
}
