//! API keys by every kind of security scheme.

use std::sync::{Arc, LazyLock};

use chrono::DateTime;
use dropshot::{Body, RequestContext};
use dropspec_gate::auth::{Access, ApiKey, KeyPlan};
use dropspec_gate::keys::{KEY_TABLES, KEY_TABLES_2, KeyScopes, KeySettings, NewKey};
use dropspec_gate::rate_limit::{LimiterPolicy, RateLimits};
use dropspec_gate::{ApiKeys, Gate, Service};
use dropspec_runtime::{
    DecodedRequest, DispatchError, Document, Interface, Method, OperationInfo, Permit, PlanInfo,
    SchemeUse, SecurityScheme, SecuritySchemeInfo, respond, to_response,
};
use dropspec_service::Server;
use dropspec_store::sqlite::{Engine, EngineConfig, Schema};
use http::Response;
use serde_json::Value;
use tempfile::TempDir;

use super::tables::tables;
use super::tiny_service::{NOON, Notes, serve, settings};

const FREE: RateLimits = RateLimits {
    per_minute: 60,
    per_day: 1000,
};
const PLANS: &[PlanInfo] = &[PlanInfo {
    name: "free",
    limits: Some(FREE),
}];
const SCHEMA: Schema = Schema {
    application_id: 0x7465_7374,
    migrations: &[
        &["PRAGMA application_id = 0x74657374"],
        KEY_TABLES,
        KEY_TABLES_2,
    ],
};

const SOURCE: &str = r#"{
    "openapi": "3.0.3",
    "info": {"title": "Schemes", "version": "1"},
    "paths": {
        "/header": {"get": {"responses": {}}},
        "/query": {"get": {
            "parameters": [{"name": "a", "in": "query", "schema": {"type": "string"}}],
            "responses": {}
        }},
        "/cookie": {"get": {"responses": {}}},
        "/basic": {"get": {"responses": {}}},
        "/bearer": {"get": {"responses": {}}},
        "/other": {"get": {"responses": {}}},
        "/oauth": {"get": {"responses": {}}},
        "/oidc": {"get": {"responses": {}}},
        "/authorization": {"get": {"responses": {}}},
        "/both": {"get": {"responses": {}}}
    },
    "components": {"securitySchemes": {
        "query": {"type": "apiKey", "in": "query", "name": "api_key"}
    }}
}"#;

static DOCUMENT: LazyLock<Document> = LazyLock::new(|| Document::from_json(SOURCE));
static SCHEMES: [SecuritySchemeInfo; 9] = [
    scheme("header", SecurityScheme::Header("X-Key")),
    scheme("query", SecurityScheme::Query("api_key")),
    scheme("cookie", SecurityScheme::Cookie("sid")),
    scheme("basic", SecurityScheme::BASIC),
    scheme("bearer", SecurityScheme::BEARER),
    scheme("other", SecurityScheme::Authorization("Token")),
    scheme("oauth", SecurityScheme::BEARER),
    scheme("oidc", SecurityScheme::BEARER),
    scheme("authorization", SecurityScheme::Header("Authorization")),
];
static OPERATIONS: [OperationInfo; 10] = [
    operation("/header", &[&[SchemeUse::new(0, &[])]]),
    operation("/query", &[&[SchemeUse::new(1, &[])]]),
    operation("/cookie", &[&[SchemeUse::new(2, &[])]]),
    operation("/basic", &[&[SchemeUse::new(3, &[])]]),
    operation("/bearer", &[&[SchemeUse::new(4, &[])]]),
    operation("/other", &[&[SchemeUse::new(5, &[])]]),
    operation("/oauth", &[&[SchemeUse::new(6, &["read", "write"])]]),
    operation("/oidc", &[&[SchemeUse::new(7, &["read"])]]),
    operation("/authorization", &[&[SchemeUse::new(8, &[])]]),
    operation(
        "/both",
        &[&[SchemeUse::new(0, &[]), SchemeUse::new(6, &["read"])]],
    ),
];

const fn scheme(name: &'static str, kind: SecurityScheme<'static>) -> SecuritySchemeInfo {
    SecuritySchemeInfo { name, kind }
}

const fn operation(path: &'static str, security: &'static [&'static [SchemeUse]]) -> OperationInfo {
    OperationInfo {
        security,
        ..OperationInfo::new(path, Method::Get, path)
    }
}

/// A service whose operations answer with the id of the key.
struct Keyed;

impl Service for Keyed {
    const NAME: &'static str = "keyed";
    type Interface = Keyed;
    type Authenticator = ApiKeys;
    type Ledger = ApiKeys;
    type ErrorBody = Notes;
}

impl Interface for Keyed {
    type Context = Arc<Gate<Keyed>>;

    tables!(&OPERATIONS, &SCHEMES, &DOCUMENT, SOURCE);

    async fn dispatch(
        _: Permit<Keyed>,
        rqctx: RequestContext<Arc<Gate<Keyed>>>,
        _: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        let call = rqctx.context().current_call().unwrap();
        let id = call.principal().unwrap().identity.id;
        to_response(respond::json(200, &id))
    }
}

/// A server with the keys of a new database, which is removed with the folder.
fn start() -> (Server<Keyed>, Arc<ApiKeys>, TempDir) {
    let folder = TempDir::new().unwrap();
    let config = EngineConfig::new(folder.path().join("keys.db"));
    let engine = Arc::new(Engine::open(SCHEMA, &config).unwrap());
    let keys = KeySettings {
        mark: "test_",
        scheme: Some(SCHEMES[0]),
        plans: PLANS,
    };
    let keys = Arc::new(ApiKeys::new(engine, keys));
    let settings = settings(Some(LimiterPolicy::new(FREE)));
    let server = serve(settings, Keyed, Arc::clone(&keys), Arc::clone(&keys));
    (server, keys, folder)
}

async fn create(keys: &ApiKeys, scopes: KeyScopes) -> ApiKey {
    let secret = keys.generate_secret().unwrap();
    let new = NewKey {
        scopes,
        ..NewKey::new("test", KeyPlan::resolve(PLANS, "free", None).unwrap())
    };
    let now = DateTime::from_timestamp(NOON, 0).unwrap();
    keys.create(new, &secret, now).await.unwrap();
    secret
}

/// The request of a row of a table: the path with `KEY`, and a header with `KEY`.
async fn send(
    server: &Server<Keyed>,
    (path, header): (&str, Option<(&str, &str)>),
    key: &str,
) -> (u16, Value, Vec<String>) {
    let mut request = reqwest::Client::new().get(server.base_url() + &path.replace("KEY", key));
    if let Some((name, value)) = header {
        request = request.header(name, value.replace("KEY", key));
    }
    let response = request.send().await.unwrap();
    let challenges = response.headers().get_all("www-authenticate").iter();
    let challenges = challenges
        .map(|it| it.to_str().unwrap().to_owned())
        .collect();
    let status = response.status().as_u16();
    let body = serde_json::from_str(&response.text().await.unwrap()).unwrap();
    (status, body, challenges)
}

#[tokio::test]
async fn key_is_accepted_where_the_scheme_says() {
    let (server, keys, _folder) = start();
    let key = create(&keys, KeyScopes::ALL).await;
    let rows = [
        ("/header", Some(("x-key", "KEY"))),
        ("/query?api_key=KEY", None),
        ("/query?a=b&api_key=KEY", None),
        ("/cookie", Some(("cookie", "a=b; sid=KEY"))),
        ("/bearer", Some(("authorization", "Bearer KEY"))),
        ("/bearer", Some(("authorization", "bearer KEY"))),
        ("/other", Some(("authorization", "token KEY"))),
        ("/oauth", Some(("authorization", "Bearer KEY"))),
        ("/oidc", Some(("authorization", "BEARER KEY"))),
        ("/authorization", Some(("authorization", "KEY"))),
        ("/authorization", Some(("authorization", "Bearer KEY"))),
    ];
    for row in rows {
        let (status, body, _) = send(&server, row, key.expose()).await;
        assert_eq!((status, body), (200, 1.into()), "{row:?}");
        // Another checksum.
        let typo = key.expose().replace("test_", "test_0");
        let (status, body, challenges) = send(&server, row, &typo).await;
        assert_eq!(
            (status, &body["title"]),
            (401, &"invalid_api_key".into()),
            "{row:?}"
        );
        assert_eq!(challenges.len(), 1, "{row:?}");
    }
    for (user, password) in [(key.expose(), ""), ("ann", key.expose())] {
        let url = server.base_url() + "/basic";
        let request = reqwest::Client::new().get(url);
        let response = request
            .basic_auth(user, Some(password))
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200, "{user}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn expired_key_is_refused_with_the_reason() {
    let (server, keys, _folder) = start();
    let key = create(&keys, KeyScopes::ALL).await;
    let id = keys.list().await.unwrap()[0].id;
    let now = DateTime::from_timestamp(NOON, 0).unwrap();
    for (end, status) in [(NOON + 1, 200), (NOON, 401)] {
        let changed = keys.change(id, move |key| key.expires_at = Some(end), now);
        changed.await.unwrap();
        let row = ("/header", Some(("x-key", "KEY")));
        let (found, body, _) = send(&server, row, key.expose()).await;
        assert_eq!(found, status, "{body}");
        let detail = body["detail"].as_str().unwrap_or_default();
        let is_told = detail.contains("this API key has expired; ask for a new one");
        assert_eq!(is_told, status == 401, "{body}");
    }
    server.stop().await.unwrap();
}

#[tokio::test]
async fn request_without_a_key_learns_where_to_send_it() {
    let (server, _keys, _folder) = start();
    let rows = [
        ("/header", "the X-Key header", "ApiKey header=\"X-Key\""),
        (
            "/query",
            "the query parameter api_key",
            "ApiKey query=\"api_key\"",
        ),
        ("/cookie", "the cookie sid", "ApiKey cookie=\"sid\""),
        (
            "/basic",
            "the Authorization header as user and password (Basic)",
            "Basic realm=\"keyed\", charset=\"UTF-8\"",
        ),
        (
            "/bearer",
            "the Authorization header after \"Bearer\"",
            "Bearer realm=\"keyed\"",
        ),
        (
            "/other",
            "the Authorization header after \"Token\"",
            "Token realm=\"keyed\"",
        ),
        (
            "/oauth",
            "the Authorization header after \"Bearer\"",
            "Bearer realm=\"keyed\"",
        ),
    ];
    for (path, place, challenge) in rows {
        let (status, body, challenges) = send(&server, (path, None), "").await;
        assert_eq!(
            (status, &body["title"]),
            (401, &"missing_api_key".into()),
            "{path}"
        );
        assert_eq!(body["detail"], format!("send your API key in {place}"));
        assert_eq!(challenges, [challenge]);
    }
    let unknown = send(&server, ("/nothing", None), "").await;
    assert_eq!(
        unknown.0, 401,
        "only those who have a key learn that there is nothing"
    );
    assert_eq!(unknown.2.len(), 7, "each way once: {:?}", unknown.2);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn key_without_the_scopes_of_an_operation_is_refused() {
    let (server, keys, _folder) = start();
    let reader = create(&keys, KeyScopes::only(["read".to_owned()])).await;
    let with_key = |path| (path, Some(("authorization", "Bearer KEY")));
    let (status, ..) = send(&server, with_key("/oidc"), reader.expose()).await;
    assert_eq!(status, 200);
    let (status, body, challenges) = send(&server, with_key("/oauth"), reader.expose()).await;
    assert_eq!(
        (status, &body["title"]),
        (403, &"insufficient_access".into())
    );
    let error = "error=\"insufficient_scope\", scope=\"read write\"";
    assert_eq!(challenges, [format!("Bearer realm=\"keyed\", {error}")]);

    let id = keys.list().await.unwrap()[0].id;
    let now = DateTime::from_timestamp(NOON, 0).unwrap();
    let all = |key: &mut NewKey| key.scopes = KeyScopes::ALL;
    keys.change(id, all, now).await.unwrap();
    let (status, ..) = send(&server, with_key("/oauth"), reader.expose()).await;
    assert_eq!(status, 200, "the change applies from the next request on");
    assert_eq!(keys.list().await.unwrap()[0].given.access, Access::Write);
    server.stop().await.unwrap();
}

#[tokio::test]
async fn two_schemes_of_a_requirement_are_both_needed() {
    let (server, keys, _folder) = start();
    let reader = create(&keys, KeyScopes::only(["read".to_owned()])).await;
    let writer = create(&keys, KeyScopes::only(["write".to_owned()])).await;
    let (reader, writer) = (reader.expose(), writer.expose());
    for (in_header, as_token, status, reason) in [
        (
            Some(writer),
            Some(reader),
            200,
            "each has what its scheme needs",
        ),
        (Some(writer), None, 401, "no token"),
        (None, Some(reader), 401, "no key in the header"),
        (Some("test_unknown"), Some(reader), 401, "an unknown key"),
        (Some(reader), Some(writer), 403, "a token without the scope"),
    ] {
        let mut request = reqwest::Client::new().get(server.base_url() + "/both");
        if let Some(key) = in_header {
            request = request.header("x-key", key);
        }
        if let Some(token) = as_token {
            request = request.bearer_auth(token);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), status, "{reason}");
        if status == 200 {
            assert_eq!(
                response.text().await.unwrap(),
                "2",
                "the first scheme counts"
            );
        }
    }
    server.stop().await.unwrap();
}
