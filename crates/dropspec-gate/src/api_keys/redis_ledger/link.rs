//! The connection to an engine: made in the background, watched, and made again when it has broken. Until then calls fail at
//! once.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use dropspec_rate_limit::{Notice, parse_notice};
use redis::cluster::ClusterClient;
use redis::{
    AsyncConnectionConfig, Client, ErrorKind, ProtocolVersion, PushInfo, PushKind, RedisError,
    RedisResult, TlsCertificates, Value,
};
use tokio::sync::{Notify, mpsc, watch};

use super::address::RedisAddress;
use super::clock::RedisClock;
use super::connection::Connection;

/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a call may take. A request waits for the ledger a little longer.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(1);

/// The time between two checks of the connection, which also read the engine's clock.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The time between two attempts to connect.
const RECONNECT_DELAY: Duration = Duration::from_millis(200);

/// How often a cluster's node is asked again after it was busy or has moved a slot.
const CLUSTER_RETRIES: u32 = 3;

/// The notices that wait for the limiter. Further ones are lost, and it learns that some are.
const MAX_NOTICES: usize = 4096;

/// The state of the connection.
#[derive(Clone)]
enum State {
    /// The first attempt to connect is under way.
    Connecting,
    Up(Connection),
    Down(Arc<RedisError>),
}

/// The connection to an engine, kept up by a task.
pub(super) struct Link {
    pub(super) address: RedisAddress,
    /// The certificates (PEM) that are trusted instead of those of the system.
    root_certificates: Option<Vec<u8>>,
    /// The channel of notices, and the name of this server in them.
    pub(super) channel: String,
    pub(super) server: String,
    state: watch::Sender<State>,
    /// Why the engine cannot be used; `None` if the last calls succeeded.
    fault: watch::Sender<Option<Arc<RedisError>>>,
    /// The calls that have failed since the last check.
    failures: AtomicU64,
    /// Asks for a check at once.
    check: Notify,
    connections: AtomicU64,
    pub(super) clock: RedisClock,
    notices: mpsc::Sender<Notice>,
}

impl Link {
    /// Creates a link that is not connected yet, and the notices that come by it.
    pub(super) fn new(
        address: RedisAddress,
        root_certificates: Option<Vec<u8>>,
        channel: String,
        server: String,
        clock: RedisClock,
    ) -> (Link, mpsc::Receiver<Notice>) {
        let (notices, receiver) = mpsc::channel(MAX_NOTICES);
        let link = Link {
            address,
            root_certificates,
            channel,
            server,
            state: watch::Sender::new(State::Connecting),
            fault: watch::Sender::new(None),
            failures: AtomicU64::new(0),
            check: Notify::new(),
            connections: AtomicU64::new(0),
            clock,
            notices,
        };
        (link, receiver)
    }

    /// The number of connections made so far.
    pub(super) fn connections(&self) -> u64 {
        self.connections.load(Ordering::Relaxed)
    }

    /// Why the engine cannot be used, and each change of it.
    pub(super) fn watch_fault(&self) -> watch::Receiver<Option<Arc<RedisError>>> {
        self.fault.subscribe()
    }

    /// The connection, once the first attempt to connect has ended.
    ///
    /// # Errors
    ///
    /// If there is none now.
    pub(super) async fn connection(&self) -> Result<Connection, Arc<RedisError>> {
        let mut state = self.state.subscribe();
        let decided = state.wait_for(|it| !matches!(it, State::Connecting));
        match decided.await.as_deref() {
            Ok(State::Up(connection)) => Ok(connection.clone()),
            Ok(State::Down(error)) => Err(Arc::clone(error)),
            // The link owns the sender.
            Ok(State::Connecting) | Err(_) => Err(Arc::new(timed_out())),
        }
    }

    /// Notes that a call has failed.
    pub(super) fn note_failure(&self, error: &Arc<RedisError>) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.set_fault(Some(error));
        if !matches!(error.kind(), ErrorKind::Server(_)) {
            self.check.notify_one();
        }
    }

    /// Connects, and connects again whenever the connection breaks.
    pub(super) async fn keep_connected(&self) {
        loop {
            let error = match self.connect().await {
                Ok((connection, pushes)) => {
                    // While there was no connection, notices were lost.
                    if self.connections.fetch_add(1, Ordering::Relaxed) > 0 {
                        self.notify_limiter(Notice::Missed);
                    }
                    self.state.send_replace(State::Up(connection.clone()));
                    self.watch(connection, pushes).await
                }
                Err(error) => error,
            };
            let error = Arc::new(error);
            self.set_fault(Some(&error));
            self.state.send_replace(State::Down(error));
            tokio::time::sleep(RECONNECT_DELAY).await;
        }
    }

    async fn connect(&self) -> RedisResult<(Connection, mpsc::Receiver<PushInfo>)> {
        let (sender, pushes) = mpsc::channel(MAX_NOTICES);
        let push = move |push: PushInfo| sender.try_send(push);
        let connect = async {
            match self.address.nodes() {
                [node] => {
                    let config = AsyncConnectionConfig::new()
                        .set_connection_timeout(Some(CONNECT_TIMEOUT))
                        .set_response_timeout(Some(CALL_TIMEOUT))
                        .set_push_sender(push);
                    let client = match self.certificates() {
                        Some(certificates) => Client::build_with_tls(node.clone(), certificates)?,
                        None => Client::open(node.clone())?,
                    };
                    let connected = client.get_multiplexed_async_connection_with_config(&config);
                    let mut connection = connected.await?;
                    connection.subscribe(&self.channel).await?;
                    Ok(Connection::Single(connection))
                }
                nodes => {
                    let mut builder = ClusterClient::builder(nodes.to_vec())
                        .use_protocol(ProtocolVersion::RESP3)
                        .connection_timeout(CONNECT_TIMEOUT)
                        .response_timeout(CALL_TIMEOUT)
                        .overall_response_timeout(Some(CALL_TIMEOUT))
                        .retries(CLUSTER_RETRIES)
                        .push_sender(push);
                    if let Some(certificates) = self.certificates() {
                        builder = builder.certs(certificates);
                    }
                    let client = builder.build()?;
                    let mut connection = client.get_async_connection().await?;
                    connection.subscribe(&self.channel).await?;
                    Ok(Connection::Cluster(connection))
                }
            }
        };
        let connected = tokio::time::timeout(2 * CONNECT_TIMEOUT, connect).await;
        let mut connection = connected.unwrap_or_else(|_| Err(timed_out()))?;
        self.clock.read(&mut connection).await?;
        Ok((connection, pushes))
    }

    fn certificates(&self) -> Option<TlsCertificates> {
        let certificates = self.root_certificates.clone()?;
        Some(TlsCertificates {
            client_tls: None,
            root_cert: Some(certificates),
        })
    }

    /// Watches a connection until it breaks, and returns why.
    async fn watch(
        &self,
        mut connection: Connection,
        mut pushes: mpsc::Receiver<PushInfo>,
    ) -> RedisError {
        let mut interval = tokio::time::interval(CHECK_INTERVAL);
        interval.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                push = pushes.recv() => match push {
                    // A cluster connects to a node again by itself.
                    Some(push) if push.kind == PushKind::Disconnection => match connection {
                        Connection::Single(_) => return disconnected(),
                        Connection::Cluster(_) => self.notify_limiter(Notice::Missed),
                    },
                    Some(push) => self.take(&push),
                    None => return disconnected(),
                },
                _ = interval.tick() => {
                    if let Err(error) = self.clock.read(&mut connection).await {
                        return error;
                    }
                    if self.failures.swap(0, Ordering::Relaxed) == 0 {
                        self.set_fault(None);
                    }
                }
                () = self.check.notified() => {
                    if let Err(error) = self.clock.read(&mut connection).await {
                        return error;
                    }
                }
            }
        }
    }

    fn take(&self, push: &PushInfo) {
        if let (PushKind::Message, [_, Value::BulkString(text)]) = (&push.kind, &push.data[..])
            && let Ok(text) = str::from_utf8(text)
            && let Some(notice) = parse_notice(text, &self.server)
        {
            self.notify_limiter(notice);
        }
    }

    /// Passes a notice on to the limiter. If too many wait, this one is lost: who asks for a lease asks again, and a ban is
    /// learned with the next lease.
    fn notify_limiter(&self, notice: Notice) {
        let _ = self.notices.try_send(notice);
    }

    /// Sets the fault. Another one in its place is no change: the engine cannot be used.
    fn set_fault(&self, error: Option<&Arc<RedisError>>) {
        self.fault.send_if_modified(|fault| {
            let changes = fault.is_some() != error.is_some();
            *fault = error.cloned();
            changes
        });
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Link({}, {})", self.server, self.address)
    }
}

fn disconnected() -> RedisError {
    RedisError::from(std::io::Error::from(std::io::ErrorKind::ConnectionReset))
}

pub(super) fn timed_out() -> RedisError {
    RedisError::from(std::io::Error::from(std::io::ErrorKind::TimedOut))
}
