//! dropshot and nothing on top: the least that a service on it can cost. One endpoint for every path, as the petstore uses it,
//! reads a pet; another one answers with a constant.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use dropshot::{
    ApiDescription, Body, ConfigDropshot, HttpError, HttpResponseOk, Path, RequestContext,
    ServerBuilder, ServerContext, endpoint,
};
use http::Response;
use http::header::CONTENT_TYPE;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slog::{Discard, Logger, o};

use crate::database;

/// Serves until the process ends.
pub async fn serve(database: PathBuf, listen: SocketAddr) -> Result<()> {
    let mut api = ApiDescription::new();
    api.register(get)?;
    serve_api(api, database, listen).await
}

/// Serves a constant until the process ends.
pub async fn serve_constant(listen: SocketAddr) -> Result<()> {
    let mut api = ApiDescription::new();
    api.register(get_constant)?;
    serve_api(api, (), listen).await
}

async fn serve_api<C: ServerContext>(
    api: ApiDescription<C>,
    context: C,
    listen: SocketAddr,
) -> Result<()> {
    let config = ConfigDropshot {
        bind_address: listen,
        ..ConfigDropshot::default()
    };
    let log = Logger::root(Discard, o!());
    let server = ServerBuilder::new(api, context, log)
        .config(config)
        .start()?;
    server.await.map_err(|error| anyhow!(error))
}

#[derive(Deserialize, JsonSchema)]
struct AnyPath {
    path: Vec<String>,
}

/// Answers `GET` for every path.
#[endpoint { method = GET, path = "/{path:.*}", unpublished = true }]
async fn get(
    context: RequestContext<PathBuf>,
    path: Path<AnyPath>,
) -> Result<Response<Body>, HttpError> {
    let not_found = || HttpError::for_not_found(None, "there is no such pet".to_owned());
    let internal = |error: String| HttpError::for_internal_error(error);
    let path = path.into_inner().path;
    let id = match &path[..] {
        [pets, id] if pets == "pets" => id.parse().ok(),
        _ => None,
    };
    let pet = database::load_pet_inline(context.context(), id.ok_or_else(not_found)?)
        .map_err(|error| internal(error.to_string()))?
        .ok_or_else(not_found)?;
    let body = serde_json::to_vec(&pet).map_err(|error| internal(error.to_string()))?;
    Ok(Response::builder()
        .header(CONTENT_TYPE, "application/json")
        .body(body.into())?)
}

#[derive(Deserialize, JsonSchema)]
struct IdPath {
    id: i64,
}

#[derive(Serialize, JsonSchema)]
struct Constant {
    id: i64,
    name: String,
}

/// Answers as the service of `constant.yaml` does.
#[endpoint { method = GET, path = "/pets/{id}" }]
async fn get_constant(
    _context: RequestContext<()>,
    path: Path<IdPath>,
) -> Result<HttpResponseOk<Constant>, HttpError> {
    Ok(HttpResponseOk(Constant {
        id: path.into_inner().id,
        name: "Mittens".to_owned(),
    }))
}
