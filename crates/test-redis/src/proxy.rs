//! A TCP proxy that breaks connections as networks do, whatever goes over them.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What the proxy does with connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Forwards everything.
    Forward,
    /// Forwards everything so much later, in each direction.
    Delay(Duration),
    /// Closes all connections, and accepts none.
    Cut,
    /// Keeps connections open, and forwards nothing.
    Stall,
    /// Forwards requests, and drops replies: the engine does what nobody learns.
    DropReplies,
    /// Forwards half of the bytes of each piece, then closes the connection.
    Halve,
}

/// A TCP proxy before an engine.
pub struct TestProxy {
    address: SocketAddr,
    mode: watch::Sender<Mode>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Requests,
    Replies,
}

impl TestProxy {
    /// Starts a proxy before the engine at this port of the machine. It forwards.
    pub async fn start(port: u16) -> TestProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mode = watch::Sender::new(Mode::Forward);
        let modes = mode.subscribe();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *modes.borrow() == Mode::Cut {
                    continue;
                }
                tokio::spawn(forward(client, port, modes.clone()));
            }
        });
        TestProxy { address, mode }
    }

    /// The address of the proxy.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address of the proxy, as that of a Redis.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Changes what the proxy does, with the connections that are open as well.
    pub fn set(&self, mode: Mode) {
        self.mode.send_replace(mode);
    }
}

async fn forward(client: TcpStream, port: u16, modes: watch::Receiver<Mode>) {
    let Ok(server) = TcpStream::connect(("127.0.0.1", port)).await else {
        return;
    };
    let _ = (client.set_nodelay(true), server.set_nodelay(true));
    let (client_reader, client_writer) = client.into_split();
    let (server_reader, server_writer) = server.into_split();
    let mut cut = modes.clone();
    tokio::select! {
        () = copy(client_reader, server_writer, Direction::Requests, modes.clone()) => {}
        () = copy(server_reader, client_writer, Direction::Replies, modes.clone()) => {}
        _ = cut.wait_for(|mode| *mode == Mode::Cut) => {}
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    direction: Direction,
    modes: watch::Receiver<Mode>,
) {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = match from.read(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(length) => length,
        };
        let mode = *modes.borrow();
        let piece = match (mode, direction) {
            (Mode::DropReplies, Direction::Replies) | (Mode::Stall, _) => &[],
            (Mode::Halve, _) => &buffer[..length / 2],
            _ => &buffer[..length],
        };
        if let Mode::Delay(delay) = mode {
            tokio::time::sleep(delay).await;
        }
        if to.write_all(piece).await.is_err() || mode == Mode::Halve {
            return;
        }
    }
}
