//! Async HTTP that sends any method, target, header and body as given, and checks nothing.

use std::convert::Infallible;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::header::HOST;
use http::{HeaderValue, Request};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::process::TIMEOUT;
use crate::{Response, blocking_http};

/// The body of a request.
pub type Body = BoxBody<Bytes, Infallible>;

/// An empty body.
pub fn empty_body() -> Body {
    Empty::new().boxed()
}

/// A complete body with these bytes.
pub fn full_body(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed()
}

/// A body that begins with these bytes and never ends. The connection stays open.
pub fn unfinished_body(bytes: impl Into<Bytes>) -> Body {
    let sent = stream::iter([Ok(Frame::data(bytes.into()))]);
    BodyExt::boxed(StreamBody::new(sent.chain(stream::pending())))
}

/// Sends a request over a connection of its own, and waits for the whole response.
pub async fn send(server: SocketAddr, request: Request<Body>) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    match timeout(TIMEOUT, try_send(server, request)).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => panic!("{line}: {error}"),
        Err(_) => panic!("{line}: no response within {TIMEOUT:?}"),
    }
}

async fn try_send(
    server: SocketAddr,
    mut request: Request<Body>,
) -> Result<Response, hyper::Error> {
    let stream = TcpStream::connect(server).await.unwrap();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // It ends when the sender and the response are dropped.
    tokio::spawn(connection);
    let host = HeaderValue::try_from(server.to_string()).unwrap();
    request.headers_mut().entry(HOST).or_insert(host);
    read_whole(sender.send_request(request).await?).await
}

async fn read_whole(response: http::Response<Incoming>) -> Result<Response, hyper::Error> {
    let (head, body) = response.into_parts();
    Ok(Response {
        status: head.status.as_u16(),
        headers: head.headers,
        body: body.collect().await?.to_bytes(),
    })
}

/// Sends a request over HTTP/2 without TLS (RFC 9113, section 3.3), and waits for the whole response. `:authority` is
/// that of the URI; nothing is added.
pub async fn send_http2(server: SocketAddr, request: Request<Body>) -> Response {
    let exchange = async {
        let stream = TcpStream::connect(server).await.unwrap();
        let (mut sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        read_whole(sender.send_request(request).await?).await
    };
    timeout(TIMEOUT, exchange).await.unwrap().unwrap()
}

/// Sends the text of a request as it is, and reads the response. The request must have `Connection: close`.
pub async fn send_request_text(server: SocketAddr, text: &str) -> Response {
    let text = text.to_owned();
    let send = tokio::task::spawn_blocking(move || blocking_http::send(server, &text));
    send.await.unwrap()
}

/// Sends text as it is, closes the sending side, and returns what the server sends until it closes the connection.
pub async fn send_text(server: SocketAddr, text: &str) -> String {
    let text = text.to_owned();
    let send = move || {
        let mut stream = blocking_http::connect(server);
        stream.write_all(text.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut response = Vec::new();
        stream.read_to_end(&mut response).unwrap();
        String::from_utf8_lossy(&response).into_owned()
    };
    tokio::task::spawn_blocking(send).await.unwrap()
}
