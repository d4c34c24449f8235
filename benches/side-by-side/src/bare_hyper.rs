//! hyper alone: the least that any server on it can cost.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use crate::database;

/// Serves until the process ends.
pub async fn serve(database: PathBuf, listen: SocketAddr) -> Result<()> {
    let database: Arc<Path> = database.into();
    let listener = TcpListener::bind(listen).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let database = Arc::clone(&database);
        let service = service_fn(move |request| {
            let response = respond(&database, &request);
            async { Ok::<_, Infallible>(response) }
        });
        // A client that disconnects is no error of the server.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

fn respond(database: &Path, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let path = request.uri().path();
    let id = path.strip_prefix("/pets/").and_then(|it| it.parse().ok());
    let Some(id) = id else {
        return status(StatusCode::NOT_FOUND);
    };
    match database::load_pet_inline(database, id) {
        Ok(Some(pet)) => match serde_json::to_vec(&pet) {
            Ok(body) => {
                let mut response = Response::new(Full::from(body));
                let json = HeaderValue::from_static("application/json");
                response.headers_mut().insert(CONTENT_TYPE, json);
                response
            }
            Err(_) => status(StatusCode::INTERNAL_SERVER_ERROR),
        },
        Ok(None) => status(StatusCode::NOT_FOUND),
        Err(_) => status(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

fn status(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = status;
    response
}
