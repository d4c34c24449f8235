//! Accepts connections.

use std::io::{self, ErrorKind};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dropspec_gate::Service;
use dropspec_gate::gate::Entry;
use dropspec_gate::metrics::ConnectionRefusal;
use parking_lot::RwLock;
use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use super::connection::Protocols;
use super::connections::Connections;
use super::socket;

/// How often connections that wait too long are looked for.
const WATCH_INTERVAL: Duration = Duration::from_millis(250);

/// The pause after a connection could not be accepted, as files have run out.
const PAUSE: Duration = Duration::from_millis(100);

/// The TLS configuration for new connections; `None` for plain HTTP.
pub(super) type Tls = Arc<RwLock<Option<Arc<ServerConfig>>>>;

/// What a new connection needs.
pub(super) struct Acceptor<S: Service> {
    protocols: Arc<Protocols<S>>,
    tls: Tls,
    connections: Arc<Connections>,
}

impl<S: Service> Acceptor<S> {
    pub(super) fn new(entry: Entry<S>, tls: Tls, connections: Arc<Connections>) -> Acceptor<S> {
        Acceptor {
            protocols: Arc::new(Protocols::new(entry)),
            tls,
            connections,
        }
    }

    /// Accepts connections until `stopped` is done, and then those that wait already.
    pub(super) async fn run(self, listener: TcpListener, mut stopped: oneshot::Receiver<()>) {
        let mut watch = tokio::time::interval(WATCH_INTERVAL);
        loop {
            tokio::select! {
                accepted = listener.accept() => {
                    if let Err(error) = self.serve(accepted) {
                        self.connections.refusals.count(ConnectionRefusal::NotAccepted, error);
                        tokio::time::sleep(PAUSE).await;
                    }
                }
                _ = watch.tick() => {
                    let now = Instant::now();
                    self.connections.close_overdue(now);
                    self.connections.refusals.report(now);
                }
                _ = &mut stopped => break,
            }
        }
        socket::refuse_new(&listener);
        // tokio asks the system only when it was told of a connection.
        if let Ok(listener) = listener.into_std() {
            while let Ok((stream, peer)) = listener.accept() {
                let stream = stream
                    .set_nonblocking(true)
                    .and_then(|()| TcpStream::from_std(stream));
                let _ = self.serve(stream.map(|stream| (stream, peer)));
            }
        }
    }

    /// Serves a connection in a task of its own.
    ///
    /// # Errors
    ///
    /// If there is no connection, and not because its client has left.
    fn serve(&self, accepted: io::Result<(TcpStream, SocketAddr)>) -> io::Result<()> {
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                return match error.kind() {
                    ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset => Ok(()),
                    _ => Err(error),
                };
            }
        };
        let tls = self.tls.read().clone();
        if let Some(connection) = self.connections.admit(peer.ip(), tls.is_some()) {
            let place = Arc::clone(&connection.place);
            let protocols = Arc::clone(&self.protocols);
            let task = tokio::spawn(protocols.serve(stream, peer, tls, connection));
            // It is set once.
            let _ = place.task.set(task.abort_handle());
        }
        Ok(())
    }
}
