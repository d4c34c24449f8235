//! A server of each version, behind the gate, on a free port of the loopback address.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use dropshot::{
    HttpError, HttpResponseDeleted, HttpResponseOk, Path, Query, RequestContext, TypedBody,
};
use dropspec_diff::{Request, Side};
use dropspec_gate::auth::{Authenticate, Principal, Unauthenticated};
use dropspec_gate::clock::Clock;
use dropspec_gate::error::{ErrorBody, ErrorInfo};
use dropspec_gate::rate_limit::MemoryLedger;
use dropspec_gate::storage_error::StorageError;
use dropspec_gate::{Gate, RequestPolicy, Service};
use dropspec_runtime::SecuritySchemeInfo;
use dropspec_runtime::security::{Credentials, Verified};
use dropspec_service::{Backend, Server, Settings};
use futures::FutureExt;
use serde_json::json;

/// The service of one version. It stores nothing.
pub struct Before;
/// The service of the other version.
pub struct After;

/// Implements a version: toys are answered as they came, and all have one state.
macro_rules! serve {
    ($service:ident, $api:ident, $state:ident, $($deletion:item)?) => {
        impl Service for $service {
            const NAME: &'static str = "toys";
            type Interface = $api::ToysInterface<$service>;
            type Authenticator = Nobody;
            type Ledger = MemoryLedger;
            type ErrorBody = Message;
        }

        impl $api::ToysApi for $service {
            type Context = Arc<Gate<$service>>;

            async fn create_toy(
                _: RequestContext<Self::Context>,
                _: Query<$api::parameters::CreateToyQuery>,
                body: TypedBody<$api::types::Toy>,
            ) -> Result<HttpResponseOk<$api::types::Toy>, HttpError> {
                Ok(HttpResponseOk(body.into_inner()))
            }

            async fn get_toy(
                _: RequestContext<Self::Context>,
                _: Path<$api::parameters::IdPath>,
            ) -> Result<HttpResponseOk<$api::types::State>, HttpError> {
                let state = $api::types::StateState::$state;
                Ok(HttpResponseOk($api::types::State::new(state)))
            }

            $($deletion)?
        }
    };
}

serve!(
    Before,
    replay_before,
    New,
    async fn delete_toy(
        _: RequestContext<Self::Context>,
        _: Path<replay_before::parameters::IdPath>,
    ) -> Result<HttpResponseDeleted, HttpError> {
        Ok(HttpResponseDeleted())
    }
);
serve!(After, replay_after, Reserved,);

/// Knows no credentials: no operation needs any.
pub struct Nobody;

impl Authenticate for Nobody {
    type Identity = ();

    async fn verify(
        &self,
        _: &'static SecuritySchemeInfo,
        _: Credentials<'_>,
        _: DateTime<Utc>,
    ) -> Verified<Principal<()>, Unauthenticated, StorageError> {
        Ok(Err(Unauthenticated::Invalid))
    }

    fn has_scope(&self, (): &(), _: &str) -> bool {
        false
    }
}

/// The message of an error, which names the refused place.
pub struct Message;

impl ErrorBody for Message {
    const MEDIA_TYPE: &'static str = "application/problem+json";

    fn render(error: ErrorInfo) -> String {
        json!({ "title": error.code, "detail": error.message }).to_string()
    }
}

/// A clock that stands.
#[derive(Debug)]
struct StandingClock;

impl Clock for StandingClock {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }

    fn monotonic(&self) -> Duration {
        Duration::ZERO
    }
}

/// What a server answered.
pub struct Reply {
    pub status: u16,
    pub body: String,
}

/// Both servers.
pub struct Servers {
    before: Server<Before>,
    after: Server<After>,
    client: reqwest::Client,
}

impl Servers {
    pub fn start() -> Servers {
        Servers {
            before: start(Before),
            after: start(After),
            client: reqwest::Client::new(),
        }
    }

    /// Sends a request to the server of a version, as it is printed.
    pub async fn send(&self, side: Side, request: &Request) -> Reply {
        let base = match side {
            Side::Base => self.before.base_url(),
            Side::Revision => self.after.base_url(),
        };
        let method = request.method.parse().unwrap();
        let mut sent = self.client.request(method, base + &request.target);
        for (name, value) in &request.headers {
            sent = sent.header(name, value);
        }
        if let Some(body) = &request.body {
            sent = sent.body(body.clone());
        }
        let response = sent.send().await.unwrap();
        Reply {
            status: response.status().as_u16(),
            body: response.text().await.unwrap(),
        }
    }

    pub async fn stop(self) {
        self.before.stop().await.unwrap();
        self.after.stop().await.unwrap();
    }
}

pub fn start<S>(service: S) -> Server<S>
where
    S: Service<Authenticator = Nobody, Ledger = MemoryLedger>,
{
    start_with(service, Nobody)
}

pub fn start_with<S>(service: S, authenticator: S::Authenticator) -> Server<S>
where
    S: Service<Ledger = MemoryLedger>,
{
    let settings = Settings {
        requests: RequestPolicy {
            clock: Arc::new(StandingClock),
            ..RequestPolicy::default()
        },
        ..Settings::on_free_ports()
    };
    let ledger = Arc::new(MemoryLedger::default());
    let open = async || Ok(Backend::new(service, Arc::new(authenticator), ledger));
    let started = Server::start(settings, open).now_or_never();
    started.expect("there is nothing to wait for").unwrap()
}
