//! A petstore in this thread, and the steps of a request to it, each of which has run once.

use std::num::NonZeroU32;
use std::sync::LazyLock;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dropspec_gate::auth::{Access, ApiKey, Authenticate as _, KeyPlan, Principal, Unauthenticated};
use dropspec_gate::clock::{Clock as _, SystemClock, Time};
use dropspec_gate::keys::{KeyIdentity, NewKey};
use dropspec_gate::logging::{Log, LogFormat, LogLevel, LogSettings, RequestLine};
use dropspec_gate::rate_limit::{Decision, RateLimits};
use dropspec_gate::storage_error::StorageError;
use dropspec_gate::{ApiKeys, DatabaseConfig, RequestPolicy};
use dropspec_runtime::security::{Credentials, Security, Verified, Verify};
use dropspec_runtime::{DecodedRequest, Decoder, Interface as _, Route, Routes};
use futures::FutureExt;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method};
use petstore_server::api::{Interface, Petstore};
use petstore_server::categories::{Category, NewCategory};
use petstore_server::pets::{NewPet, Pet};
use petstore_server::server::{self, Server, Settings};
use prometheus_client::metrics::counter::Counter;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;

/// So high that nothing is refused and no lease is due while a step is counted.
const LIMITS: RateLimits = RateLimits {
    per_minute: 1_000_000_000,
    per_day: 1_000_000_000,
};

const API_KEY: &str = "X-API-Key";
const PATH: &str = "/pets/1";
const ORDER: &[u8] = br#"{"petId":1,"quantity":2}"#;

static ROUTES: LazyLock<Routes> = LazyLock::new(|| Routes::new(Interface::operations()).unwrap());
static DECODER: LazyLock<Decoder> =
    LazyLock::new(|| Decoder::new(Interface::document(), Interface::operations()).unwrap());

static SECURITY: LazyLock<Security<Interface>> = LazyLock::new(Security::new);

/// A server with one pet and one key, and connections to it.
pub struct Prepared {
    runtime: Runtime,
    fixture: Fixture,
}

/// What the steps need, made within the runtime.
struct Fixture {
    server: Server,
    connection: TcpStream,
    headers: HeaderMap,
    request: Vec<u8>,
    principal: Principal<KeyIdentity>,
    log: Log,
    _directory: TempDir,
}

/// The keys of the server, as the hook of its gate uses them.
struct Keys<'a>(&'a ApiKeys);

impl Verify for Keys<'_> {
    type Identity = Principal<KeyIdentity>;
    type Refusal = Unauthenticated;
    type Failure = StorageError;

    fn verify(
        &self,
        scheme: usize,
        credentials: Credentials<'_>,
    ) -> impl Future<Output = Verified<Self::Identity, Unauthenticated, StorageError>> + Send {
        let scheme = &Interface::security_schemes()[scheme];
        self.0
            .verify(scheme, credentials, DateTime::<Utc>::UNIX_EPOCH)
    }

    fn has_scope(&self, principal: &Self::Identity, scope: &str) -> bool {
        self.0.has_scope(&principal.identity, scope)
    }
}

impl Prepared {
    /// Starts the servers, and runs each step once.
    pub fn new() -> Prepared {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let fixture = runtime.block_on(Fixture::start());
        let mut prepared = Prepared { runtime, fixture };
        prepared.request();
        prepared.route();
        prepared.look_up_key();
        let fixture = &prepared.fixture;
        // Twice, as the first one may have started a lease in the background.
        for _ in 0..2 {
            prepared.runtime.block_on(fixture.charge());
        }
        prepared.decode_order();
        prepared.log_request();
        prepared
    }

    /// Finds the operation of a path with a parameter.
    pub fn route(&self) -> Route<'static> {
        ROUTES.find(&Method::GET, PATH)
    }

    /// Finds a key that the server has seen before.
    pub fn look_up_key(&self) -> Principal<KeyIdentity> {
        let keys = Keys(&self.fixture.server.gate().authenticator);
        let found = SECURITY.identify(&self.fixture.headers, None, &keys);
        let found = found.now_or_never().unwrap().unwrap();
        found.identities.into_all().next().unwrap().1
    }

    /// Decides on a request of a key that has a lease.
    pub fn charge_key(&self) -> Decision {
        self.fixture.charge().now_or_never().unwrap()
    }

    /// Decodes and validates a request to place an order.
    pub fn decode_order(&self) -> DecodedRequest {
        let headers = &self.fixture.headers;
        let Route::Found {
            operation,
            parameters,
        } = ROUTES.find(&Method::POST, "/store/orders")
        else {
            panic!("no operation");
        };
        let parameters = DECODER.decode_parameters(operation, &parameters, None, headers);
        let media_type = DECODER.select_media_type(operation, headers).unwrap();
        let body = DECODER.decode_body(operation, media_type, ORDER).unwrap();
        DecodedRequest::new(parameters.unwrap(), body)
    }

    /// Logs a request.
    pub fn log_request(&self) {
        self.fixture.log.request(&RequestLine {
            request_id: "0c4b3d4e-6b52-4b52-9d1e-3d5e7b6c1a2f",
            method: "GET",
            route: Some("/pets/{petId}"),
            operation: "getPet",
            status: 200,
            latency: Duration::from_micros(87),
            key: Some("pst_0123"),
            left_out: 0,
            client: None,
            path: None,
            trace_id: None,
        });
    }

    /// Sends a request to the server, and reads its response.
    pub fn request(&mut self) {
        let Fixture {
            connection,
            request,
            ..
        } = &mut self.fixture;
        self.runtime.block_on(exchange(connection, request));
    }
}

impl Fixture {
    async fn start() -> Fixture {
        let directory = TempDir::new().unwrap();
        let file = directory.path().join("petstore.db");
        let settings = Settings {
            requests: RequestPolicy {
                limits: Some(dropspec_service::limiter_policy::<Petstore>()),
                ..RequestPolicy::default()
            },
            database: Some(DatabaseConfig::file(file)),
            ..Settings::on_free_ports()
        };
        let (server, _) = server::start(&settings).await.unwrap();
        let gate = server.gate();
        let key = create_key(&gate.authenticator).await;
        let key = key.expose();
        add_pet(gate.service()).await;

        let mut headers = HeaderMap::new();
        headers.insert(API_KEY, HeaderValue::from_str(key).unwrap());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let keys = Keys(&gate.authenticator);
        let found = SECURITY.identify(&headers, None, &keys).await.unwrap();
        let (_, principal) = found.identities.into_all().next().unwrap();
        let log = LogSettings {
            format: LogFormat::Json,
            level: LogLevel::Info,
            sample: NonZeroU32::MIN,
            client: false,
            path: false,
        };
        let request = format!("GET {PATH} HTTP/1.1\r\nHost: localhost\r\n{API_KEY}: {key}\r\n\r\n");
        Fixture {
            connection: TcpStream::connect(server.address()).await.unwrap(),
            server,
            headers,
            request: request.into_bytes(),
            principal,
            log: Log::to_output(log, std::io::sink(), false, None, Counter::default()).unwrap(),
            _directory: directory,
        }
    }

    async fn charge(&self) -> Decision {
        let limiter = self.server.gate().limiter().unwrap();
        let now = Time::without_steps(SystemClock.now());
        limiter.charge_key(&self.principal.account, 1, now).await
    }
}

async fn create_key(keys: &ApiKeys) -> ApiKey {
    let plan = KeyPlan::resolve(Interface::plans(), "enterprise", Some(LIMITS)).unwrap();
    let secret = keys.generate_secret().unwrap();
    let new = NewKey {
        access: Access::Write,
        ..NewKey::new("test", plan)
    };
    keys.create(new, &secret, DateTime::UNIX_EPOCH)
        .await
        .unwrap();
    secret
}

async fn add_pet(petstore: &Petstore) {
    let category = NewCategory {
        name: "dogs".to_owned(),
        description: None,
    };
    let category = petstore
        .store
        .create::<Category>(category, None)
        .await
        .unwrap();
    let pet = NewPet {
        name: "Rex".to_owned(),
        category_id: category.record.id,
        status: None,
    };
    petstore.store.create::<Pet>(pet, None).await.unwrap();
}

async fn exchange(connection: &mut TcpStream, request: &[u8]) {
    connection.write_all(request).await.unwrap();
    let mut response = [0; 4096];
    let length = connection.read(&mut response).await.unwrap();
    assert!(response[..length].starts_with(b"HTTP/1.1 200 OK\r\n"));
}
