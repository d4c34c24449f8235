//! Stands between the generated client and the server, so that the witness sees what the client gets. It changes
//! nothing on the way.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONNECTION, TRANSFER_ENCODING};
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::AbortHandle;

use crate::{Witness, wire};

/// A proxy in front of one server. It stops when it is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    listening: AbortHandle,
}

impl Proxy {
    /// Listens on a free port.
    pub async fn start(server: SocketAddr, witness: Arc<Witness>) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let listening = tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let witness = Arc::clone(&witness);
                let forward = service_fn(move |request| {
                    let witness = Arc::clone(&witness);
                    async move { Ok::<_, Infallible>(forward(server, &witness, request).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), forward));
            }
        });
        Proxy {
            address,
            listening: listening.abort_handle(),
        }
    }

    /// Where the client is to go.
    pub fn base_url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

async fn forward(
    server: SocketAddr,
    witness: &Witness,
    request: Request<Incoming>,
) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let (method, path) = (head.method.clone(), head.uri.path().to_owned());
    let body = body.collect().await.unwrap().to_bytes();
    let request = Request::from_parts(head, wire::whole(body));
    let answer = wire::exchange(server, request).await;
    witness.see(&method, &path, &answer);

    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    // Both speak of one connection only (RFC 9110, section 7.6.1).
    response.headers_mut().remove(CONNECTION);
    response.headers_mut().remove(TRANSFER_ENCODING);
    response
}
