//! A TCP proxy between a program and its PostgreSQL server, which can lose the answer to a commit.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a client sends to commit: a simple query (`Q`) with its length and its text.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";

/// A proxy on a free port of 127.0.0.1. Its threads end with their connections.
pub struct CommitProxy {
    port: u16,
    /// How many commits lose their answers from now on.
    cuts: Arc<AtomicUsize>,
}

impl CommitProxy {
    /// Starts a proxy for the server at this port.
    pub fn start(server: u16) -> CommitProxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cuts = Arc::new(AtomicUsize::new(0));
        let shared = Arc::clone(&cuts);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let (client, cuts) = (client.unwrap(), Arc::clone(&shared));
                let server = TcpStream::connect(SocketAddr::from(([127, 0, 0, 1], server)));
                // The client sees that nobody answers.
                let Ok(server) = server else { continue };
                connect(client, server, cuts);
            }
        });
        CommitProxy { port, cuts }
    }

    /// The URL of a database behind the proxy.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// Passes the next commit on to the server, and cuts the connection before its answer arrives.
    pub fn lose_next_commit_answer(&self) {
        self.cuts.store(1, Ordering::SeqCst);
    }

    /// Does so with every commit from now on.
    pub fn lose_commit_answers(&self) {
        self.cuts.store(usize::MAX, Ordering::SeqCst);
    }
}

fn connect(client: TcpStream, server: TcpStream, cuts: Arc<AtomicUsize>) {
    let (from_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let to_client = client.try_clone().unwrap();
    std::thread::spawn(move || {
        forward(from_client, server, |bytes, server| {
            let is_commit = bytes.windows(COMMIT.len()).any(|it| it == COMMIT);
            let take = |left: usize| left.checked_sub(1);
            if is_commit
                && cuts
                    .fetch_update(Ordering::SeqCst, Ordering::SeqCst, take)
                    .is_ok()
            {
                // The client is cut off before the server can answer, and the server still reads the commit.
                to_client.shutdown(Shutdown::Both)?;
                server.write_all(bytes)?;
                return Err(std::io::ErrorKind::Other.into());
            }
            server.write_all(bytes)
        });
    });
    std::thread::spawn(move || {
        forward(from_server, client, |bytes, client| client.write_all(bytes))
    });
}

/// Forwards bytes until a side closes or `write` fails; then both are closed.
fn forward(
    mut from: TcpStream,
    mut to: TcpStream,
    mut write: impl FnMut(&[u8], &mut TcpStream) -> std::io::Result<()>,
) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if write(&buffer[..length], &mut to).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Write);
}
