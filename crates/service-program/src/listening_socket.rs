//! Sets options of the public listening socket. dropshot gives no access to it; but the process can duplicate its own
//! descriptor, and options that are set on the socket later hold for each connection that it accepts from then on.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::time::Duration;

use rustix::fd::AsFd;
use rustix::net::{listen, sockopt};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

/// How many connections may wait to be accepted; the standard library sets 128. The system has a limit, too.
const QUEUE: i32 = 4096;

/// How long a connection may be silent before the client's system is asked whether it still exists.
const IDLE: Duration = Duration::from_secs(60);

/// The time between two such questions.
const INTERVAL: Duration = Duration::from_secs(15);

/// How long sent data may be neither acknowledged nor taken, and such a question unanswered, in milliseconds.
const USER_TIMEOUT: u32 = 30_000;

/// Lets the operating system close connections whose client has vanished or takes no data, send small parts of a response
/// at once, and let more connections wait: those of the listening sockets of this process on this port.
///
/// # Errors
///
/// If there is no such socket, or the operating system refuses. Some containers forbid `pidfd_getfd`.
pub(crate) fn prepare_listening_socket(port: u16) -> io::Result<()> {
    let links = listening_sockets(port)?;
    let process = pidfd_open(getpid(), PidfdFlags::empty())?;
    let mut found = false;
    for file in fs::read_dir("/proc/self/fd")? {
        let file = file?;
        // A file may be closed meanwhile, but a listening socket is not. No other file is duplicated: to close a second
        // descriptor of a database would release its locks.
        let link = fs::read_link(file.path()).unwrap_or_default();
        let Some(number) = file.file_name().to_str().and_then(|it| it.parse().ok()) else {
            continue;
        };
        if link.to_str().is_some_and(|it| links.contains(it)) {
            set_options(&pidfd_getfd(&process, number, PidfdGetfdFlags::empty())?)?;
            found = true;
        }
    }
    if found {
        Ok(())
    } else {
        Err(io::ErrorKind::NotFound.into())
    }
}

fn set_options(socket: impl AsFd) -> io::Result<()> {
    // Otherwise the last part of a handshake waits 40 milliseconds for the client to acknowledge the first.
    sockopt::set_tcp_nodelay(&socket, true)?;
    sockopt::set_socket_keepalive(&socket, true)?;
    sockopt::set_tcp_keepidle(&socket, IDLE)?;
    sockopt::set_tcp_keepintvl(&socket, INTERVAL)?;
    sockopt::set_tcp_user_timeout(&socket, USER_TIMEOUT)?;
    // Again: that changes the queue only.
    listen(&socket, QUEUE)?;
    Ok(())
}

/// All sockets that listen on a port, also those of other processes, as links to them read.
fn listening_sockets(port: u16) -> io::Result<HashSet<String>> {
    const LISTEN: &str = "0A";
    let mut tables = fs::read_to_string("/proc/net/tcp")?;
    // Absent where IPv6 is off.
    tables += &fs::read_to_string("/proc/net/tcp6").unwrap_or_default();
    let port = format!(":{port:04X}");
    let rows = tables
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let listening = rows.filter(|row| row.len() > 9 && row[1].ends_with(&port) && row[3] == LISTEN);
    Ok(listening
        .map(|row| format!("socket:[{}]", row[9]))
        .collect())
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn accepted_connections_have_the_limits_of_the_listening_socket() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = TcpListener::bind(address).unwrap();
            let address = listener.local_addr().unwrap();
            prepare_listening_socket(address.port()).unwrap();
            let _client = TcpStream::connect(address).unwrap();
            let (accepted, _) = listener.accept().unwrap();
            assert!(sockopt::tcp_nodelay(&accepted).unwrap());
            assert!(sockopt::socket_keepalive(&accepted).unwrap());
            assert_eq!(sockopt::tcp_keepidle(&accepted).unwrap(), IDLE);
            assert_eq!(sockopt::tcp_keepintvl(&accepted).unwrap(), INTERVAL);
            assert_eq!(sockopt::tcp_user_timeout(&accepted).unwrap(), USER_TIMEOUT);
        }
    }

    #[test]
    fn more_connections_than_128_can_wait_to_be_accepted() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        prepare_listening_socket(address.port()).unwrap();
        // Without a place in the queue, it would be repeated until the timeout.
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(5));
        let waiting: Vec<_> = (0..300).map(connect).collect::<Result<_, _>>().unwrap();
        assert_eq!(waiting.len(), 300);
    }

    #[test]
    fn port_without_a_listening_socket_is_not_found() {
        let error = prepare_listening_socket(0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
