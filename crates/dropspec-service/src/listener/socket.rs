//! The listening socket. Its options hold for each connection that it accepts.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use socket2::{Domain, SockRef, Socket, TcpKeepalive, Type};

/// How many connections may wait to be accepted; the standard library sets 128. The system has a limit, too.
const QUEUE: i32 = 4096;

/// How long a connection may be silent before the client's system is asked whether it still exists.
const IDLE: Duration = Duration::from_secs(60);

/// The time between two such questions.
const INTERVAL: Duration = Duration::from_secs(15);

/// How long sent data may be neither acknowledged nor taken, and such a question unanswered.
#[cfg(target_os = "linux")]
const USER_TIMEOUT: Duration = Duration::from_secs(30);

/// Listens on an address. The operating system closes connections whose client has vanished or takes no data, and sends small
/// parts of a response at once.
pub(crate) fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    // As the standard library: a new server may follow an old one whose connections are not forgotten yet.
    socket.set_reuse_address(true)?;
    // Otherwise the last part of a handshake waits 40 milliseconds for the client to acknowledge the first.
    socket.set_tcp_nodelay(true)?;
    let keepalive = TcpKeepalive::new().with_time(IDLE).with_interval(INTERVAL);
    socket.set_tcp_keepalive(&keepalive)?;
    #[cfg(target_os = "linux")]
    socket.set_tcp_user_timeout(Some(USER_TIMEOUT))?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(QUEUE)?;
    Ok(socket.into())
}

/// Lets no more connections into the queue of a listening socket, so that it can be emptied and closed without a connection
/// that is reset. A client whose packets are not answered repeats them, and is then refused: nothing of it is lost.
#[cfg(target_os = "linux")]
pub(super) fn refuse_new(listener: &tokio::net::TcpListener) {
    // `BPF_RET | BPF_K` with the length 0: no packet passes.
    let drop_all = socket2::SockFilter::new(0x06, 0, 0, 0);
    // Without the filter, a connection that comes at the same time is reset.
    let _ = SockRef::from(listener).attach_filter(&[drop_all]);
}

/// Other systems have no such filter.
#[cfg(not(target_os = "linux"))]
pub(super) fn refuse_new(_: &tokio::net::TcpListener) {}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    use super::*;

    #[test]
    fn accepted_connections_have_the_limits_of_the_listening_socket() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let listener = listen(address.parse().unwrap()).unwrap();
            listener.set_nonblocking(false).unwrap();
            let _client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            let (accepted, _) = listener.accept().unwrap();
            let accepted = SockRef::from(&accepted);
            assert!(accepted.tcp_nodelay().unwrap());
            assert!(accepted.keepalive().unwrap());
            assert_eq!(accepted.tcp_keepalive_time().unwrap(), IDLE);
            assert_eq!(accepted.tcp_keepalive_interval().unwrap(), INTERVAL);
            assert_eq!(accepted.tcp_user_timeout().unwrap(), Some(USER_TIMEOUT));
        }
    }

    #[test]
    fn more_connections_than_128_can_wait_to_be_accepted() {
        let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        // Without a place in the queue, it would be repeated until the timeout.
        let connect = |_| TcpStream::connect_timeout(&address, Duration::from_secs(5));
        let waiting: Vec<_> = (0..300).map(connect).collect::<Result<_, _>>().unwrap();
        assert_eq!(waiting.len(), 300);
    }

    #[tokio::test]
    async fn waiting_connections_stay_when_no_more_come() {
        let listener = listen(([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.local_addr().unwrap();
        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
        let _waiting = TcpStream::connect(address).unwrap();
        refuse_new(&listener);
        let next = TcpStream::connect_timeout(&address, Duration::from_millis(50));
        assert!(next.is_err());
        let listener = listener.into_std().unwrap();
        assert!(listener.accept().is_ok());
        assert_eq!(
            listener.accept().unwrap_err().kind(),
            io::ErrorKind::WouldBlock
        );
    }
}
