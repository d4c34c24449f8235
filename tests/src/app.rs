//! A server of one test's own, with all that a test needs to speak to it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::header::CONTENT_TYPE;
use http::{Method, Request};
use petstore_client::{Client, RetryPolicy};
use petstore_server::config::{Config, LogFormat, LogLevel};
use petstore_server::server::Server;
use petstore_server::store::StoreConfig;
use serde_json::Value;
use tempfile::TempDir;

use crate::proxy::Proxy;
use crate::{Answer, TestClock, Witness, wire};

/// The key that every test shows.
pub const API_KEY: &str = "pst_test";

/// A real server on a free port over a new database, and a client for it.
///
/// Every answer is seen by a [`Witness`]; when the app is dropped, the test fails for whatever the witness found.
pub struct TestApp {
    /// The generated client.
    pub client: Client,
    /// The clock of the server.
    pub clock: Arc<TestClock>,
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
            store: StoreConfig::at(directory.path().join("petstore.db")),
            body_timeout: Duration::from_secs(10),
            clock: Arc::clone(&clock) as _,
            log_format: LogFormat::Silent,
            log_level: LogLevel::Error,
        };
        configure(&mut config);
        let server = Server::start(&config).unwrap();
        let witness = Arc::new(Witness::default());
        let proxy = Proxy::start(server.address(), Arc::clone(&witness)).await;
        TestApp {
            client: client_for(&proxy.base_url()),
            clock,
            server,
            witness,
            proxy,
            directory,
        }
    }

    /// Sends a request as it is.
    pub async fn send(&self, request: Request<wire::Body>) -> Answer {
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let answer = wire::exchange(self.address(), request).await;
        self.witness.see(&method, &path, &answer);
        answer
    }

    /// Sends a request without a body.
    pub async fn call(&self, method: Method, target: &str) -> Answer {
        let request = Request::builder().method(method).uri(target);
        self.send(request.body(wire::empty()).unwrap()).await
    }

    /// Gets what is at a target: a path, with or without a query.
    pub async fn get(&self, target: &str) -> Answer {
        self.call(Method::GET, target).await
    }

    /// Sends a body, as JSON by its content type, whatever it is.
    pub async fn send_text(&self, method: Method, target: &str, body: &str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header(CONTENT_TYPE, "application/json");
        let body = wire::whole(body.to_owned());
        self.send(request.body(body).unwrap()).await
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

    /// Where the server listens. What is exchanged with it directly is not seen by the witness.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// The server itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.directory.path().join("petstore.db")
    }
}

/// A client that hands on every answer as it comes, so that a test sees what the server does.
fn client_for(base_url: &str) -> Client {
    Client::new(base_url, API_KEY).with_retries(RetryPolicy::off())
}

impl Drop for TestApp {
    fn drop(&mut self) {
        let found = self.witness.found();
        if !found.is_empty() && !std::thread::panicking() {
            panic!("answers differ from the document:\n{}", found.join("\n"));
        }
    }
}
