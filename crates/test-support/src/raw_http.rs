//! HTTP for async tests that sends any method, target, header and body as given, and checks nothing.

use std::io::Write;
use std::net::SocketAddr;

use bytes::Bytes;
use http::Request;
use http::header::{CONTENT_LENGTH, HOST};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::process::TIMEOUT;
use crate::{Response, blocking_http};

/// Sends a request over a connection of its own, and waits for the whole response. A body that is shorter than a
/// `Content-Length` of the request stays unfinished.
pub async fn send(server: SocketAddr, request: Request<String>) -> Response {
    let (head, body) = request.into_parts();
    let line = format!("{} {} HTTP/1.1\r\n", head.method, head.uri);
    let mut text = (line + "Connection: close\r\n").into_bytes();
    for (name, value) in &head.headers {
        let field = [name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"];
        text.extend(field.concat());
    }
    if !head.headers.contains_key(HOST) {
        text.extend(format!("Host: {server}\r\n").bytes());
    }
    if !body.is_empty() && !head.headers.contains_key(CONTENT_LENGTH) {
        text.extend(format!("Content-Length: {}\r\n", body.len()).bytes());
    }
    text.extend(b"\r\n");
    text.extend(body.bytes());
    send_text(server, text).await
}

/// Sends the text of a request as it is, and reads the response, after which the server must close the connection.
pub async fn send_text(server: SocketAddr, text: impl Into<Vec<u8>>) -> Response {
    let text = text.into();
    let send = tokio::task::spawn_blocking(move || {
        let mut stream = blocking_http::connect(server);
        // The server may answer before it has read all.
        let _ = stream.write_all(&text);
        blocking_http::read_last_response(&mut stream)
    });
    send.await.unwrap()
}

/// Sends a request over HTTP/2 without TLS (RFC 9113, section 3.3), and waits for the whole response. `:authority` is
/// that of the URI; nothing is added.
pub async fn send_http2(server: SocketAddr, request: Request<()>) -> Response {
    let exchange = async {
        let stream = TcpStream::connect(server).await.unwrap();
        let (mut sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        let request = request.map(|()| Empty::<Bytes>::new());
        let (head, body) = sender.send_request(request).await?.into_parts();
        Ok::<_, hyper::Error>(Response {
            status: head.status.as_u16(),
            headers: head.headers,
            body: body.collect().await?.to_bytes(),
        })
    };
    timeout(TIMEOUT, exchange).await.unwrap().unwrap()
}
