//! A TCP proxy between a program and its PostgreSQL server, which cuts connections after a number of bytes.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::proxy::forward;

/// A proxy on a free port of 127.0.0.1. Its threads end with their connections.
pub struct CutProxy {
    url: String,
    rest: Arc<AtomicUsize>,
}

impl CutProxy {
    /// Starts a proxy for the database at this URL, which has to name a host and a port.
    pub fn start(database: &str) -> CutProxy {
        let (user, rest) = database.split_once('@').unwrap();
        let (server, name) = rest.split_once('/').unwrap();
        let server: SocketAddr = server.replace("localhost", "127.0.0.1").parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{user}@{}/{name}", listener.local_addr().unwrap());
        let rest = Arc::new(AtomicUsize::new(usize::MAX));
        let shared = Arc::clone(&rest);
        std::thread::spawn(move || {
            for client in listener.incoming() {
                connect(
                    client.unwrap(),
                    TcpStream::connect(server).unwrap(),
                    &shared,
                );
            }
        });
        CutProxy { url, rest }
    }

    /// The URL of the database behind the proxy.
    pub fn url(&self) -> String {
        self.url.clone()
    }

    /// Passes so many bytes of the programs on to the server from now on, and cuts the connection then.
    pub fn cut_after(&self, bytes: usize) {
        self.rest.store(bytes, Ordering::SeqCst);
    }
}

fn connect(client: TcpStream, server: TcpStream, rest: &Arc<AtomicUsize>) {
    use std::io::Write;

    let (from_client, from_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let rest = Arc::clone(rest);
    std::thread::spawn(move || {
        forward(from_client, server, |bytes, server| {
            let left = rest.load(Ordering::SeqCst);
            let passed = bytes.len().min(left);
            rest.store(left - passed, Ordering::SeqCst);
            server.write_all(&bytes[..passed])?;
            if passed == bytes.len() {
                Ok(())
            } else {
                Err(std::io::ErrorKind::Other.into())
            }
        });
    });
    std::thread::spawn(move || {
        forward(from_server, client, |bytes, client| client.write_all(bytes));
    });
}
