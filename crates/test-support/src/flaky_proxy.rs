//! A proxy that breaks connections at random.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, copy};
use tokio::net::{TcpListener, TcpStream};

/// More bytes than a connection of these tests carries.
const UNLIMITED: u64 = 1 << 20;

/// Maximum number of bytes before a cut: about the size of one request or one response.
const MAX_CUT: u64 = 600;

/// A TCP proxy that closes two of three connections after some bytes, in the request or in the response.
pub struct FlakyProxy {
    address: SocketAddr,
    cuts: Arc<AtomicUsize>,
}

impl FlakyProxy {
    /// Starts a proxy for a server; the seed decides where it cuts.
    pub async fn start(server: SocketAddr, seed: u64) -> FlakyProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cuts = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&cuts);
        let mut random = fastrand::Rng::with_seed(seed);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let cut = random.u64(0..MAX_CUT);
                let (up, down) = match random.u8(0..3) {
                    0 => (cut, UNLIMITED),
                    1 => (UNLIMITED, cut),
                    _ => (UNLIMITED, UNLIMITED),
                };
                tokio::spawn(forward(client, server, up, down, Arc::clone(&counter)));
            }
        });
        FlakyProxy { address, cuts }
    }

    /// The URL of the proxy, for clients.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were cut so far.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::Relaxed)
    }
}

/// Forwards at most `up` bytes to the server and `down` bytes to the client, then closes both connections.
async fn forward(
    mut client: TcpStream,
    server: SocketAddr,
    up: u64,
    down: u64,
    cuts: Arc<AtomicUsize>,
) {
    let Ok(mut server) = TcpStream::connect(server).await else {
        return;
    };
    let (from_client, to_client) = client.split();
    let (from_server, to_server) = server.split();
    let was_cut = tokio::select! {
        copied = copy_bytes(from_client, to_server, up) => copied == up,
        copied = copy_bytes(from_server, to_client, down) => copied == down,
    };
    if was_cut {
        cuts.fetch_add(1, Ordering::Relaxed);
    }
}

async fn copy_bytes(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    bytes: u64,
) -> u64 {
    copy(&mut from.take(bytes), &mut to).await.unwrap_or(0)
}
