//! A proxy between the generated client and the server that passes every response to the [`ResponseChecker`]. It changes
//! nothing on the way.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, TRANSFER_ENCODING};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::{ResponseChecker, raw_http};

/// A proxy in front of one server that checks each response. It stops when it is dropped.
#[derive(Debug)]
pub struct CheckingProxy {
    address: SocketAddr,
    listening: AbortHandle,
}

impl CheckingProxy {
    /// Starts the proxy for `server` on a free port; `checker` checks the responses.
    pub async fn start(server: SocketAddr, checker: Arc<ResponseChecker>) -> CheckingProxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listening = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let checker = Arc::clone(&checker);
                let forward = service_fn(move |request| {
                    let checker = Arc::clone(&checker);
                    async move { Ok::<_, Infallible>(forward(server, &checker, request).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), forward));
            }
        });
        CheckingProxy {
            address,
            listening: listening.abort_handle(),
        }
    }

    /// The URL of the proxy, for clients.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for CheckingProxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn forward(
    server: SocketAddr,
    checker: &ResponseChecker,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let (method, path) = (head.method.clone(), head.uri.path().to_owned());
    let body = body.collect().await.unwrap().to_bytes();
    let request = Request::from_parts(head, raw_http::full_body(body));
    let received = raw_http::send(server, request).await;
    checker.check(&method, &path, &received);

    let mut response = Response::new(Full::new(received.body));
    *response.status_mut() = StatusCode::from_u16(received.status).unwrap();
    *response.headers_mut() = received.headers;
    // Both are about one connection only (RFC 9110, section 7.6.1).
    response.headers_mut().remove(CONNECTION);
    response.headers_mut().remove(TRANSFER_ENCODING);
    response
}
