//! A server of one test's own, with all that a test needs to speak to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use http::{Method, Request};
use petstore_client::Client;
use petstore_server::auth::{Access, Terms};
use petstore_server::config::{self, Config, LogFormat, LogLevel};
use petstore_server::rate_limit::Limits;
use petstore_server::server::Server;
use petstore_server::store::{EngineConfig, Store};
use serde_json::Value;
use tempfile::TempDir;
use tokio::task::JoinSet;

use crate::proxy::Proxy;
use crate::{Answer, Caller, TestClock, TestKey, Witness, key, wire};

/// How many connections a storm comes over.
const CONNECTIONS: usize = 64;

/// More than any test sends.
const PLENTY: Limits = Limits {
    per_minute: 1_000_000_000,
    per_day: 1_000_000_000,
};

/// A real server on a free port over a new database, and a client for it.
///
/// Whoever calls it without saying as whom is its owner, whose key may do everything and as often as it likes. Every
/// answer is seen by a [`Witness`]; when the app is dropped, the test fails for whatever the witness found.
pub struct TestApp {
    /// The generated client, with the owner's key.
    pub client: Client,
    /// The clock of the server.
    pub clock: Arc<TestClock>,
    owner: TestKey,
    server: Server,
    witness: Arc<Witness>,
    proxy: Proxy,
    directory: TempDir,
}

impl TestApp {
    /// Starts a server as it is by default.
    pub async fn start() -> TestApp {
        TestApp::start_with(|_| {}).await
    }

    /// Starts a server whose configuration the test changes.
    pub async fn start_with(configure: impl FnOnce(&mut Config)) -> TestApp {
        let directory = TempDir::new().unwrap();
        let clock = Arc::new(TestClock::default());
        let mut config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            tls: None,
            admin_listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            store: EngineConfig::at(directory.path().join("petstore.db")),
            policy: config::standard_policy(),
            trusted_proxies: Vec::new(),
            body_timeout: Duration::from_secs(10),
            clock: Arc::clone(&clock) as _,
            log_format: LogFormat::Silent,
            log_level: LogLevel::Error,
        };
        configure(&mut config);
        let server = Server::start(&config).await.unwrap();
        let terms = key::enterprise(PLENTY);
        let owner = TestKey::make(&server.service().store, terms, Access::Write).await;
        let witness = Arc::new(Witness::default());
        let proxy = Proxy::start(server.address(), Arc::clone(&witness)).await;
        TestApp {
            client: owner.client(&proxy.base_url()),
            clock,
            owner,
            server,
            witness,
            proxy,
            directory,
        }
    }

    /// Whoever shows this key.
    pub fn caller<'a>(&'a self, key: &TestKey) -> Caller<'a> {
        Caller::with_key(self, key.text())
    }

    /// Whoever shows no key.
    pub fn anonymous(&self) -> Caller<'_> {
        Caller::without_key(self)
    }

    /// The owner.
    pub fn owner(&self) -> Caller<'_> {
        self.caller(&self.owner)
    }

    /// Sends a request as it is, and with the owner's key.
    pub async fn send(&self, request: Request<wire::Body>) -> Answer {
        self.owner().send(request).await
    }

    /// Sends a request without a body.
    pub async fn call(&self, method: Method, target: &str) -> Answer {
        self.owner().call(method, target).await
    }

    /// Gets what is at a target: a path, with or without a query.
    pub async fn get(&self, target: &str) -> Answer {
        self.owner().get(target).await
    }

    /// Sends a body, as JSON by its content type, whatever it is.
    pub async fn send_text(&self, method: Method, target: &str, body: &str) -> Answer {
        self.owner().send_text(method, target, body).await
    }

    /// Sends a JSON body, and expects it to be accepted.
    pub async fn accepted(&self, method: Method, target: &str, body: Value) -> Answer {
        let answer = self.send_text(method, target, &body.to_string()).await;
        assert!(
            answer.status.is_success(),
            "{target} {body}: {:?}",
            answer.body
        );
        answer
    }

    /// Where clients connect, under the eyes of the witness.
    pub fn base_url(&self) -> String {
        self.proxy.base_url()
    }

    /// The owner's key, as it is sent.
    pub fn owner_key(&self) -> &str {
        self.owner.text()
    }

    /// A key on the free plan that may change things.
    pub async fn free_key(&self) -> TestKey {
        self.key(key::free(), Access::Write).await
    }

    /// A key that may send so much, and change things.
    pub async fn key_for(&self, per_minute: u64, per_day: u64) -> TestKey {
        let limits = Limits {
            per_minute,
            per_day,
        };
        self.key(key::enterprise(limits), Access::Write).await
    }

    /// A key that may read as often as it likes, and change nothing.
    pub async fn read_key(&self) -> TestKey {
        self.key(key::enterprise(PLENTY), Access::Read).await
    }

    /// Any key.
    pub async fn key(&self, terms: Terms, access: Access) -> TestKey {
        TestKey::make(self.store(), terms, access).await
    }

    /// The generated client with this key.
    pub fn client_of(&self, key: &TestKey) -> Client {
        key.client(&self.proxy.base_url())
    }

    /// Where the server listens. What is exchanged with it directly is not seen by the witness.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// The server itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Sends a request for a target `count` times, from many connections at once, with a key. The witness sees
    /// nothing of it.
    pub async fn storm(&self, key: &TestKey, target: &str, count: usize) -> Vec<Answer> {
        let left = Arc::new(AtomicUsize::new(count));
        let mut connections = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let mut connection = wire::Connection::open(self.address()).await;
            let request = Request::get(target).header(key::API_KEY, key.text());
            let request = request.body(()).unwrap();
            let left = Arc::clone(&left);
            connections.spawn(async move {
                let mut answers = Vec::new();
                let take = |left: usize| left.checked_sub(1);
                while left.fetch_update(Relaxed, Relaxed, take).is_ok() {
                    let request = request.clone().map(|()| wire::empty());
                    answers.push(connection.try_send(request).await.unwrap());
                }
                answers
            });
        }
        connections.join_all().await.concat()
    }

    /// The store of the server.
    pub fn store(&self) -> &Store {
        &self.server.service().store
    }

    /// What sees the answers.
    pub(crate) fn witness(&self) -> &Witness {
        &self.witness
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.directory.path().join("petstore.db")
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        let found = self.witness.found();
        if !found.is_empty() && !std::thread::panicking() {
            panic!("answers differ from the document:\n{}", found.join("\n"));
        }
    }
}
