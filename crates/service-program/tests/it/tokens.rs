//! A service with an authenticator of its own: JSON Web Tokens with scopes, and keys of applications.

use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Utc};
use dropshot::{Body, HttpError, RequestContext};
use http::Response;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use service_program::Server;
use spec_gate::auth::{Access, Authenticate, KeyPrefix, Principal, Unauthenticated};
use spec_gate::rate_limit::{Account, LimiterPolicy, MemoryLedger, RateLimits};
use spec_gate::storage_error::StorageError;
use spec_gate::{Gate, Service};
use spec_runtime::security::{Credentials, Verified};
use spec_runtime::{
    ApiKeyLocation, DecodedRequest, DispatchError, Document, Interface, Method, OperationInfo,
    Permit, SchemeUse, SecuritySchemeInfo, SecuritySchemeKind,
};

use super::tables::tables;
use super::tiny_service::{NOON, Notes, serve, settings};

const ISSUER: &[u8] = b"the secret of the issuer";
const APP: &str = "app-7";

const SOURCE: &str = r#"{
    "openapi": "3.0.3",
    "info": {"title": "Accounts", "version": "1"},
    "paths": {
        "/accounts": {"get": {"responses": {}}, "delete": {"responses": {}}},
        "/report": {"get": {"responses": {}}}
    }
}"#;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json(SOURCE));
static SCHEMES: [SecuritySchemeInfo; 2] = [
    SecuritySchemeInfo {
        name: "user",
        kind: SecuritySchemeKind::OAuth2,
    },
    SecuritySchemeInfo {
        name: "app",
        kind: SecuritySchemeKind::ApiKey {
            location: ApiKeyLocation::Header,
            name: "X-App",
        },
    },
];
const APP_KEY: SchemeUse = SchemeUse::new(1, &[]);
static OPERATIONS: [OperationInfo; 3] = [
    OperationInfo {
        security: &[&[SchemeUse::new(0, &["read"])]],
        ..OperationInfo::new("listAccounts", Method::Get, "/accounts")
    },
    OperationInfo {
        security: &[&[SchemeUse::new(0, &["read", "write"]), APP_KEY]],
        ..OperationInfo::new("closeAccounts", Method::Delete, "/accounts")
    },
    OperationInfo {
        security: &[&[SchemeUse::new(0, &["admin"])], &[APP_KEY]],
        ..OperationInfo::new("getReport", Method::Get, "/report")
    },
];

/// The service. It is its own interface and authenticator.
struct Accounts;

/// The claims of a token.
#[derive(Debug, Serialize, Deserialize)]
struct Claims {
    sub: String,
    exp: i64,
    scope: String,
}

#[derive(Debug)]
enum Identity {
    User(Claims),
    App(String),
}

impl Service for Accounts {
    const NAME: &'static str = "accounts";
    type Interface = Accounts;
    type Authenticator = Accounts;
    type Ledger = MemoryLedger;
    type ErrorBody = Notes;
}

impl Authenticate for Accounts {
    type Identity = Identity;

    async fn verify(
        &self,
        _: &'static SecuritySchemeInfo,
        credentials: Credentials<'_>,
        now: DateTime<Utc>,
    ) -> Verified<Principal<Identity>, Unauthenticated, StorageError> {
        let identity = match credentials {
            Credentials::Token(token) => match decode(token, now) {
                Ok(claims) => Identity::User(claims),
                Err(reason) => return Ok(Err(reason)),
            },
            Credentials::Key(key) if key == APP => Identity::App(key.into_owned()),
            _ => return Ok(Err(Unauthenticated::Invalid)),
        };
        let (name, per_day) = match &identity {
            Identity::User(claims) => (&claims.sub, 5),
            Identity::App(name) => (name, 100),
        };
        let limits = RateLimits {
            per_minute: 1_000,
            per_day,
        };
        Ok(Ok(Principal {
            account: Account::of_subject(name, limits),
            plan: "standard",
            access: Access::Write,
            prefix: KeyPrefix::new(name),
            identity: Arc::new(identity),
        }))
    }

    fn has_scope(&self, identity: &Identity, scope: &str) -> bool {
        match identity {
            Identity::User(claims) => claims.scope.split(' ').any(|granted| granted == scope),
            Identity::App(_) => false,
        }
    }
}

fn decode(token: &str, now: DateTime<Utc>) -> Result<Claims, Unauthenticated> {
    let mut validation = Validation::new(Algorithm::HS256);
    // By the time of the request.
    validation.validate_exp = false;
    let key = DecodingKey::from_secret(ISSUER);
    let claims: Claims = jsonwebtoken::decode(token, &key, &validation)
        .map_err(|_| Unauthenticated::Invalid)?
        .claims;
    if claims.exp > now.timestamp() {
        Ok(claims)
    } else {
        Err(Unauthenticated::Expired)
    }
}

impl Interface for Accounts {
    type Context = Arc<Gate<Accounts>>;

    tables!(&OPERATIONS, &SCHEMES, &DOCUMENT, SOURCE);

    async fn dispatch(
        permit: Permit<Accounts>,
        rqctx: RequestContext<Arc<Gate<Accounts>>>,
        _: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        let call = rqctx.context().call().unwrap();
        // The names of the verified senders, as the handler sees them.
        let senders = call.principals.iter().map(|it| match &*it.identity {
            Identity::User(claims) => claims.sub.clone(),
            Identity::App(name) => name.clone(),
        });
        let senders: Vec<String> = senders.collect();
        let operation = OPERATIONS[permit.operation()].operation_id;
        let json = json!({ "operation": operation, "senders": senders });
        Response::builder()
            .body(json.to_string().into())
            .map_err(|error| {
                DispatchError::Internal(HttpError::for_internal_error(error.to_string()))
            })
    }
}

fn start() -> Server<Accounts> {
    let limits = LimiterPolicy::new(RateLimits {
        per_minute: 1_000,
        per_day: 50,
    });
    let ledger = Arc::new(MemoryLedger::default());
    serve(settings(Some(limits)), Accounts, Arc::new(Accounts), ledger)
}

/// The value of `Authorization` with a token of Ann.
fn token(scope: &str) -> String {
    signed(ISSUER, NOON + 60, scope)
}

fn signed(secret: &[u8], exp: i64, scope: &str) -> String {
    let claims = Claims {
        sub: "ann".to_owned(),
        exp,
        scope: scope.to_owned(),
    };
    let key = EncodingKey::from_secret(secret);
    let token = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &key);
    format!("Bearer {}", token.unwrap())
}

/// The outcome of a request, its senders, and its challenges.
struct Reply {
    status: u16,
    body: Value,
    challenges: Vec<String>,
    limit: String,
}

async fn send(server: &Server<Accounts>, request: &str, lines: &[(&str, &str)]) -> Reply {
    let (method, path) = request.split_once(' ').unwrap();
    let method = method.parse().unwrap();
    let client = reqwest::Client::new();
    let mut request = client.request(method, server.base_url() + path);
    for (name, value) in lines {
        request = request.header(*name, *value);
    }
    let response = request.send().await.unwrap();
    let header = |name: &str| -> Vec<String> {
        let values = response.headers().get_all(name).iter();
        values.map(|it| it.to_str().unwrap().to_owned()).collect()
    };
    assert_eq!(header("vary"), ["Authorization, X-App"]);
    Reply {
        status: response.status().as_u16(),
        challenges: header("www-authenticate"),
        limit: header("x-ratelimit-limit").concat(),
        body: serde_json::from_str(&response.text().await.unwrap()).unwrap(),
    }
}

#[tokio::test]
async fn token_is_verified_before_the_handler_runs() {
    let server = start();
    let other = signed(b"another secret", NOON + 60, "read");
    let expired = signed(ISSUER, NOON, "read");
    let rows = [
        (
            None,
            401,
            "send your credentials in the Authorization header after \"Bearer\"",
            "",
        ),
        (
            Some(&other),
            401,
            "the Authorization header after \"Bearer\" holds no valid credentials",
            "invalid_token",
        ),
        (
            Some(&expired),
            401,
            "the credentials have expired; ask for new ones",
            "invalid_token",
        ),
        (
            Some(&token("write")),
            403,
            "this operation needs credentials with the scopes: read",
            "insufficient_scope\", scope=\"read",
        ),
    ];
    for (authorization, status, detail, error) in rows {
        let lines: Vec<_> = authorization
            .iter()
            .map(|it| ("authorization", it.as_str()))
            .collect();
        let reply = send(&server, "GET /accounts", &lines).await;
        assert_eq!(
            (reply.status, &reply.body["detail"]),
            (status, &detail.into())
        );
        let challenge = match error {
            "" => "Bearer realm=\"accounts\"".to_owned(),
            error => format!("Bearer realm=\"accounts\", error=\"{error}\""),
        };
        assert_eq!(reply.challenges, [challenge]);
        let code = if status == 403 {
            "insufficient_access"
        } else {
            "unauthorized"
        };
        assert_eq!(reply.body["title"], code);
    }
    let authorization = token("other read");
    let reply = send(
        &server,
        "GET /accounts",
        &[("authorization", &authorization)],
    )
    .await;
    assert_eq!(
        reply.body,
        json!({ "operation": "listAccounts", "senders": ["ann"] })
    );
    assert_eq!(reply.challenges, [""; 0]);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn two_schemes_of_a_requirement_are_both_needed() {
    let server = start();
    let authorization = token("read write");
    let user = ("authorization", &authorization[..]);
    let reply = send(&server, "DELETE /accounts", &[("x-app", APP), user]).await;
    assert_eq!(reply.body["senders"], json!(["ann", APP]));
    assert_eq!(
        reply.limit, "5",
        "the first scheme of the requirement is limited"
    );
    for lines in [
        &[user][..],
        &[("x-app", APP)],
        &[user, ("x-app", "unknown")],
    ] {
        let reply = send(&server, "DELETE /accounts", lines).await;
        assert_eq!(reply.status, 401, "{lines:?}");
        assert_eq!(reply.limit, "50", "the address is charged");
        let app = "ApiKey header=\"X-App\"";
        assert_eq!(reply.challenges.last().map(String::as_str), Some(app));
    }
    let authorization = token("read");
    let lines = [("authorization", &authorization[..]), ("x-app", APP)];
    let reply = send(&server, "DELETE /accounts", &lines).await;
    assert_eq!((reply.status, &reply.limit[..]), (403, "5"));
    server.stop().await.unwrap();
}

#[tokio::test]
async fn subject_of_tokens_is_limited_whichever_token_it_sends() {
    let server = start();
    for scope in ["read", "read a", "read b", "read c", "read d"] {
        let reply = send(
            &server,
            "GET /accounts",
            &[("authorization", &token(scope))],
        )
        .await;
        assert_eq!(reply.status, 200);
    }
    let reply = send(
        &server,
        "GET /accounts",
        &[("authorization", &token("read e"))],
    )
    .await;
    assert_eq!(reply.body["title"], "rate_limit_exceeded");
    let app = send(&server, "GET /report", &[("x-app", APP)]).await;
    assert_eq!(app.status, 200, "another principal");
    server.stop().await.unwrap();
}
