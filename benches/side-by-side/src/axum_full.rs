//! axum with the features of the petstore that popular crates offer: API keys in SQLite, a quota for each minute and for
//! each day of a key, rate-limit headers, validation, request ids, and a log line in JSON for each request.

use std::io::stderr;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::Body;
use axum::extract::{self, Request, State};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use governor::middleware::StateInformationMiddleware;
use http::StatusCode;
use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tower_governor::governor::GovernorConfigBuilder;
use tower_governor::key_extractor::KeyExtractor;
use tower_governor::{GovernorError, GovernorLayer};
use tower_http::request_id::{
    MakeRequestUuid, PropagateRequestIdLayer, RequestId, SetRequestIdLayer,
};
use tower_http::trace::{DefaultOnResponse, TraceLayer};
use tracing::{Level, Span, field, info_span};

use crate::axum_plain::blocking;
use crate::database::{self, Pet};

/// Requests of a key in a minute, and in a day.
const QUOTA: u32 = 1_000_000_000;
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// The id of the API key of a request.
#[derive(Clone, Copy)]
struct KeyId(i64);

/// Limits requests by their API key.
#[derive(Clone, PartialEq, Eq)]
struct ByKey;

impl KeyExtractor for ByKey {
    type Key = i64;

    fn extract<T>(&self, request: &Request<T>) -> Result<i64, GovernorError> {
        let key = request.extensions().get::<KeyId>();
        key.map(|key| key.0)
            .ok_or(GovernorError::UnableToExtractKey)
    }
}

/// Serves until the process ends.
pub async fn serve(database: &Path, listen: SocketAddr) -> Result<()> {
    let (log, _writes_until_dropped) = tracing_appender::non_blocking(stderr());
    tracing_subscriber::fmt()
        .json()
        .with_target(false)
        .with_span_list(false)
        .with_writer(log)
        .init();
    let trace = TraceLayer::new_for_http()
        .make_span_with(span)
        .on_response(DefaultOnResponse::new().level(Level::INFO));
    let pool = database::connect(database, 10)?;
    // The last layer is the first that a request reaches.
    let app = Router::new()
        .route("/pets/{id}", get(get_pet))
        .layer(quota(DAY)?)
        .layer(quota(MINUTE)?)
        .layer(middleware::from_fn_with_state(pool.clone(), authenticate))
        .layer(PropagateRequestIdLayer::x_request_id())
        .layer(trace)
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .with_state(pool);
    axum::serve(TcpListener::bind(listen).await?, app).await?;
    Ok(())
}

async fn get_pet(
    State(pool): State<Pool<SqliteConnectionManager>>,
    extract::Path(id): extract::Path<i64>,
) -> Result<Json<Pet>, StatusCode> {
    if id < 1 {
        return Err(StatusCode::BAD_REQUEST);
    }
    let pet = blocking(&pool, move |db| database::load_pet(db, id)).await?;
    pet.map(Json).ok_or(StatusCode::NOT_FOUND)
}

/// Finds the API key of a request in the database.
async fn authenticate(
    State(pool): State<Pool<SqliteConnectionManager>>,
    mut request: Request,
    next: Next,
) -> Result<Response, StatusCode> {
    let secret = request.headers().get("X-API-Key");
    let hash = Sha256::digest(secret.ok_or(StatusCode::UNAUTHORIZED)?).into();
    let key = blocking(&pool, move |db| database::find_key(db, hash)).await?;
    let key = key.ok_or(StatusCode::UNAUTHORIZED)?;
    Span::current().record("key", key);
    request.extensions_mut().insert(KeyId(key));
    Ok(next.run(request).await)
}

/// A quota of requests of each key in `period`, with its headers.
fn quota(period: Duration) -> Result<GovernorLayer<ByKey, StateInformationMiddleware, Body>> {
    let config = GovernorConfigBuilder::default()
        .period(period / QUOTA)
        .burst_size(QUOTA)
        .key_extractor(ByKey)
        .use_headers()
        .finish()
        .context("a quota is never zero")?;
    Ok(GovernorLayer::new(Arc::new(config)))
}

/// The fields of the log line of a request.
fn span<B>(request: &Request<B>) -> Span {
    let id = request.extensions().get::<RequestId>();
    info_span!(
        "request",
        request_id = id.and_then(|it| it.header_value().to_str().ok()),
        method = %request.method(),
        path = request.uri().path(),
        key = field::Empty,
    )
}
