//! A server in this process, for one test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dropspec_gate::auth::{Access, KeyPlan};
use dropspec_gate::rate_limit::{LimiterPolicy, RateLimits};
use dropspec_gate::{ApiKeys, DatabaseConfig, RequestPolicy};
use dropspec_service::{find_plan, limiter_policy};
use http::{Method, Request};
use petstore_client::Client;
use petstore_server::api::Petstore;
use petstore_server::server::{self, Server, Settings};
use petstore_server::store::Store;
use serde_json::Value;

use crate::checking_proxy::CheckingProxy;
use crate::{Caller, Response, ResponseChecker, Storage, TestClock, TestKey, key, raw_http};

/// Rate limits that are higher than any test reaches.
const UNLIMITED: RateLimits = RateLimits {
    per_minute: 1_000_000_000,
    per_day: 1_000_000_000,
};

/// A server on a free port with a new database on the [`Backend`](crate::Backend) of the tests, and a client for it.
///
/// Requests are sent with the owner's key, which has write access and no limit that a test reaches, unless the test
/// names another caller. A [`ResponseChecker`] checks every response; when the app is dropped, its violations fail the
/// test.
pub struct TestApp {
    /// The generated client, with the owner's key.
    pub client: Client,
    /// The clock of the server.
    pub clock: Arc<TestClock>,
    owner: TestKey,
    server: Server,
    checker: Arc<ResponseChecker>,
    proxy: CheckingProxy,
    storage: Storage,
}

impl TestApp {
    /// Starts a server with the default configuration.
    pub async fn start() -> TestApp {
        TestApp::start_with(|_| {}).await
    }

    /// Starts a server with a configuration that the test changes.
    pub async fn start_with(configure: impl FnOnce(&mut Settings)) -> TestApp {
        TestApp::start_on(Storage::new(), configure).await
    }

    /// Starts a server on a database, with a configuration that the test changes.
    pub async fn start_on(storage: Storage, configure: impl FnOnce(&mut Settings)) -> TestApp {
        let clock = Arc::new(TestClock::default());
        let limits = LimiterPolicy {
            // However busy the machine is.
            ledger_timeout: Duration::from_secs(60),
            ..limiter_policy::<Petstore>()
        };
        let mut settings = Settings {
            requests: RequestPolicy {
                limits: Some(limits),
                clock: Arc::clone(&clock) as _,
                ..RequestPolicy::default()
            },
            ..Settings::on_free_ports()
        };
        storage.configure(&mut settings);
        configure(&mut settings);
        if let Some(DatabaseConfig::Postgres(config)) = &mut settings.database {
            // However busy the machine is.
            config.pool_timeout = Duration::from_secs(60);
        }
        let (server, _) = server::start(&settings).await.unwrap();
        let plan = key::enterprise(UNLIMITED);
        let owner = TestKey::create(&server.gate().authenticator, plan, Access::Write).await;
        let checker = Arc::new(ResponseChecker::default());
        let proxy = CheckingProxy::start(server.address(), Arc::clone(&checker)).await;
        TestApp {
            client: owner.client(&proxy.base_url()),
            clock,
            owner,
            server,
            checker,
            proxy,
            storage,
        }
    }

    /// A caller with this key.
    pub fn caller<'a>(&'a self, key: &TestKey) -> Caller<'a> {
        Caller::with_key(self, key.text())
    }

    /// A caller without a key.
    pub fn anonymous(&self) -> Caller<'_> {
        Caller::without_key(self)
    }

    /// A caller with the owner's key.
    pub fn owner(&self) -> Caller<'_> {
        self.caller(&self.owner)
    }

    /// Sends a request with the owner's key.
    pub async fn send(&self, request: Request<raw_http::Body>) -> Response {
        self.owner().send(request).await
    }

    /// Sends a request without a body.
    pub async fn call(&self, method: Method, target: &str) -> Response {
        self.owner().call(method, target).await
    }

    /// Sends a GET. The target is a path, with or without a query.
    pub async fn get(&self, target: &str) -> Response {
        self.owner().get(target).await
    }

    /// Sends a body as `application/json`, whether it is JSON or not.
    pub async fn send_text(&self, method: Method, target: &str, body: &str) -> Response {
        self.owner().send_text(method, target, body).await
    }

    /// Sends the text of a request without a body as it is, with the owner's key added to its head.
    pub async fn send_head(&self, head: &str) -> Response {
        self.owner().send_head(head).await
    }

    /// Sends a JSON body, and expects success.
    pub async fn send_json(&self, method: Method, target: &str, body: Value) -> Response {
        let response = self.send_text(method, target, &body.to_string()).await;
        assert!(
            response.is_success(),
            "{target} {body}: {:?}",
            response.body
        );
        response
    }

    /// The URL of the proxy in front of the server, for clients. It checks their responses.
    pub fn base_url(&self) -> String {
        self.proxy.base_url()
    }

    /// The secret of the owner's key.
    pub fn owner_key(&self) -> &str {
        self.owner.text()
    }

    /// Creates a key on the free plan, with write access.
    pub async fn create_free_key(&self) -> TestKey {
        self.create_key(find_plan::<Petstore>("free"), Access::Write)
            .await
    }

    /// Creates a key with these limits, and with write access.
    pub async fn create_key_with_limits(&self, per_minute: u64, per_day: u64) -> TestKey {
        let limits = RateLimits {
            per_minute,
            per_day,
        };
        self.create_key(key::enterprise(limits), Access::Write)
            .await
    }

    /// Creates a key with read access, and with no limit that a test reaches.
    pub async fn create_read_key(&self) -> TestKey {
        self.create_key(key::enterprise(UNLIMITED), Access::Read)
            .await
    }

    /// Creates a key.
    pub async fn create_key(&self, plan: KeyPlan, access: Access) -> TestKey {
        TestKey::create(self.keys(), plan, access).await
    }

    /// The generated client with this key.
    pub fn client_with_key(&self, key: &TestKey) -> Client {
        key.client(&self.proxy.base_url())
    }

    /// The address of the server. Responses to requests that are sent there directly are not checked.
    pub fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// The server itself.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The store of the server.
    pub fn store(&self) -> &Store {
        &self.server.gate().service().store
    }

    /// The API keys of the server.
    pub fn keys(&self) -> &ApiKeys {
        &self.server.gate().authenticator
    }

    pub(crate) fn checker(&self) -> &ResponseChecker {
        &self.checker
    }

    /// The database of the server.
    pub fn storage(&self) -> &Storage {
        &self.storage
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        let violations = self.checker.take_violations();
        if !violations.is_empty() && !std::thread::panicking() {
            panic!("responses violate the document:\n{}", violations.join("\n"));
        }
    }
}
