//! The name of a server, which tells its log lines and metrics from those of other servers.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

use rustix::system::uname;
use thiserror::Error;

/// The longest name, in characters. Host names are shorter.
const MAX_LENGTH: usize = 128;

/// The name of a server: letters, digits and `.`, `_`, `-`, `:`, so that no format has to escape it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerName(String);

/// Why a text is not the name of a server.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("write 1 to 128 letters, digits or any of . _ - : as in web-1")]
pub struct ServerNameError;

impl ServerName {
    /// The name of a server without one of its own: the host's name and the port. If the system is to choose the port, the
    /// number of the process takes its place.
    pub fn of_process(listen: SocketAddr) -> ServerName {
        let host = uname().nodename().to_string_lossy().into_owned();
        ServerName::derive(&host, listen.port(), std::process::id())
    }

    fn derive(host: &str, port: u16, process: u32) -> ServerName {
        let known = |it: char| if is_allowed(it) { it } else { '-' };
        let host: String = host.chars().take(MAX_LENGTH - 11).map(known).collect();
        ServerName(match port {
            0 => format!("{host}-{process}"),
            port => format!("{host}:{port}"),
        })
    }

    /// The name as a text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ServerName {
    type Err = ServerNameError;

    fn from_str(text: &str) -> Result<ServerName, ServerNameError> {
        let is_valid = (1..=MAX_LENGTH).contains(&text.len()) && text.chars().all(is_allowed);
        is_valid
            .then(|| ServerName(text.to_owned()))
            .ok_or(ServerNameError)
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_allowed(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '.' | '_' | '-' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_needs_no_escapes_in_any_format() {
        for (text, is_valid) in [
            ("web-1", true),
            ("petstore-7f9c:8080", true),
            ("a.b_c", true),
            ("", false),
            ("web 1", false),
            ("web\"1", false),
            ("wéb", false),
            ("a\nb", false),
        ] {
            assert_eq!(text.parse::<ServerName>().is_ok(), is_valid, "{text:?}");
        }
        assert!("a".repeat(129).parse::<ServerName>().is_err());
    }

    #[test]
    fn name_without_a_choice_is_of_host_and_port_or_process() {
        for (host, port, expected) in [
            ("web-1", 8080, "web-1:8080"),
            ("web-1", 0, "web-1-4711"),
            ("my host\n", 80, "my-host-:80"),
        ] {
            let name = ServerName::derive(host, port, 4711);
            assert_eq!(name.as_str(), expected);
        }
        let longest = ServerName::derive(&"a".repeat(300), 0, u32::MAX);
        assert_eq!(longest.as_str().parse(), Ok(longest.clone()));
    }
}
