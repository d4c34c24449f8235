//! The public listener: accepts connections, bounds what they take, and hands their requests to the gate.
//!
//! dropshot's own accept loop bounds nothing: neither the number of connections, nor the time of a TLS handshake and of the
//! first byte, nor the size of a head. It has no place for a listener of ours, either; see the crate `dropspec-request-context`.

mod accept;
mod connection;
mod connections;
mod limits;
mod place;
mod refusals;
pub(crate) mod socket;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use dropspec_gate::gate::Entry;
use dropspec_gate::{Gate, Service};
use ipnet::IpNet;
use parking_lot::RwLock;
use rustls::ServerConfig;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use self::accept::{Acceptor, Tls};
use self::connections::Connections;
pub use self::limits::ConnectionLimits;
use self::refusals::Refusals;

/// For how long a request may still come on a kept connection after the stop began.
const LAST_CHANCE: Duration = Duration::from_millis(250);

/// A running listener. Dropped, it closes all of its connections.
pub struct Listener {
    address: SocketAddr,
    tls: Tls,
    connections: Arc<Connections>,
    /// Its end stops the task that accepts connections.
    accepting: Option<(oneshot::Sender<()>, JoinHandle<()>)>,
}

impl Listener {
    /// Listens on an address, and serves each request by the gate. Connections of the networks `trusted` are limited in all
    /// only.
    ///
    /// # Errors
    ///
    /// If the address is not free, or dropshot does not make its state.
    pub fn start<S: Service>(
        address: SocketAddr,
        tls: Option<ServerConfig>,
        limits: ConnectionLimits,
        trusted: Vec<IpNet>,
        gate: &Arc<Gate<S>>,
    ) -> Result<Listener> {
        let entry = Entry::new(gate).context("cannot get the state of a server from dropshot")?;
        let listening = || format!("cannot listen on {address}");
        let socket = socket::listen(address).with_context(listening)?;
        let socket = TcpListener::from_std(socket).with_context(listening)?;
        let address = socket.local_addr().with_context(listening)?;
        let refusals = Refusals::new(gate.metrics.refused_connections.clone(), gate.log().clone());
        let connections = Arc::new(Connections::new(limits, trusted, refusals));
        let tls = Arc::new(RwLock::new(tls.map(Arc::new)));
        let acceptor = Acceptor::new(entry, Arc::clone(&tls), Arc::clone(&connections));
        let (stop, stopped) = oneshot::channel();
        let task = tokio::spawn(acceptor.run(socket, stopped));
        Ok(Listener {
            address,
            tls,
            connections,
            accepting: Some((stop, task)),
        })
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn has_tls(&self) -> bool {
        let tls = self.tls.read();
        tls.is_some()
    }

    /// Uses another certificate for new connections.
    pub(crate) fn replace_tls(&self, tls: ServerConfig) {
        let mut current = self.tls.write();
        *current = Some(Arc::new(tls));
    }

    /// Lets clients go elsewhere: from now on each response over HTTP/1 says that its connection ends, and HTTP/2 connections
    /// are told to open no more streams (GOAWAY). New connections are still accepted. Idle HTTP/1 connections stay open, as
    /// a request may be on its way.
    pub(crate) fn drain(&self) {
        self.connections.drain();
    }

    /// Accepts no more connections but those that wait already, and waits for the last responses. A connection that is idle is
    /// closed when its last chance for a request has passed.
    pub async fn stop(&mut self) {
        self.drain();
        if let Some((stop, task)) = self.accepting.take() {
            drop(stop);
            // It ends at once.
            let _ = task.await;
        }
        let Connections {
            open, responses, ..
        } = &*self.connections;
        tokio::select! {
            () = open.wait_until_none() => {}
            () = tokio::time::sleep(LAST_CHANCE) => {}
        }
        self.connections.finish();
        // A connection with half a head has no request, and does not end by itself.
        tokio::select! {
            () = open.wait_until_none() => {}
            () = responses.wait_until_quiet() => {}
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.connections.close_all();
    }
}
