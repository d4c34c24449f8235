//! A way to the server on which connections break at random.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, copy};
use tokio::net::{TcpListener, TcpStream};

/// More than a connection of these tests ever carries.
const EVERYTHING: u64 = 1 << 20;

/// About as much as one request or one answer.
const LITTLE: u64 = 600;

/// A TCP proxy that closes two of three connections after some bytes, in the request or in the answer.
pub struct Cutter {
    address: SocketAddr,
    cuts: Arc<AtomicUsize>,
}

impl Cutter {
    /// Stands before the server, cutting in the order that the seed gives.
    pub async fn start(server: SocketAddr, seed: u64) -> Cutter {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cuts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&cuts);
        let mut random = fastrand::Rng::with_seed(seed);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let some = random.u64(0..LITTLE);
                let (up, down) = match random.u8(0..3) {
                    0 => (some, EVERYTHING),
                    1 => (EVERYTHING, some),
                    _ => (EVERYTHING, EVERYTHING),
                };
                tokio::spawn(carry(client, server, up, down, Arc::clone(&counted)));
            }
        });
        Cutter { address, cuts }
    }

    /// Where clients connect.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// How many connections were cut so far.
    pub fn cuts(&self) -> usize {
        self.cuts.load(Ordering::Relaxed)
    }
}

/// Carries so many bytes up and so many down, then drops both ends.
async fn carry(
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
        carried = some(from_client, to_server, up) => carried == up,
        carried = some(from_server, to_client, down) => carried == down,
    };
    if was_cut {
        cuts.fetch_add(1, Ordering::Relaxed);
    }
}

async fn some(from: impl AsyncRead + Unpin, mut to: impl AsyncWrite + Unpin, bytes: u64) -> u64 {
    copy(&mut from.take(bytes), &mut to).await.unwrap_or(0)
}
