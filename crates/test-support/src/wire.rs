//! HTTP without a client's good manners: any method, target, header and body goes out as it is given. Nothing is
//! checked here.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::header::HOST;
use http::{HeaderValue, Request};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full, StreamBody};
use hyper::body::Frame;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::Answer;

/// Longer than any answer takes; who waits longer waits for a server that hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The body of a request.
pub type Body = BoxBody<Bytes, Infallible>;

/// No body.
pub fn empty() -> Body {
    Empty::new().boxed()
}

/// A body that is sent as a whole.
pub fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).boxed()
}

/// A body that begins with these bytes and never ends. The connection stays open.
pub fn halfway(bytes: impl Into<Bytes>) -> Body {
    let sent = stream::iter([Ok(Frame::data(bytes.into()))]);
    BodyExt::boxed(StreamBody::new(sent.chain(stream::pending())))
}

/// A connection that stays open from one request to the next.
pub struct Connection {
    host: HeaderValue,
    sender: http1::SendRequest<Body>,
}

impl Connection {
    /// Connects to a server.
    pub async fn open(server: SocketAddr) -> Connection {
        let stream = TcpStream::connect(server).await.unwrap();
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        // It ends when the sender and the last answer are dropped.
        tokio::spawn(connection);
        Connection {
            host: HeaderValue::try_from(server.to_string()).unwrap(),
            sender,
        }
    }

    /// Sends a request as it is, and waits for the whole answer; `None` if the connection broke before.
    pub async fn try_send(&mut self, mut request: Request<Body>) -> Option<Answer> {
        let host = self.host.clone();
        request.headers_mut().entry(HOST).or_insert(host);
        self.sender.ready().await.ok()?;
        let response = self.sender.send_request(request).await.ok()?;
        let (head, body) = response.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        Some(Answer::new(head, body))
    }
}

/// Sends a request as it is, over a connection of its own, and waits for the whole answer.
pub async fn exchange(server: SocketAddr, request: Request<Body>) -> Answer {
    let what = format!("{} {}", request.method(), request.uri());
    let exchange = async { Connection::open(server).await.try_send(request).await };
    match timeout(PATIENCE, exchange).await {
        Ok(Some(answer)) => answer,
        Ok(None) => panic!("{what}: the connection broke"),
        Err(_) => panic!("{what}: no answer within {PATIENCE:?}"),
    }
}

/// Sends a text as it is, says that nothing follows, and returns what comes back until the connection closes.
pub async fn exchange_text(server: SocketAddr, text: &str) -> String {
    let exchange = async {
        let mut stream = TcpStream::connect(server).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    match timeout(PATIENCE, exchange).await {
        Ok(answer) => answer,
        Err(_) => panic!("{text:?}: the connection is open after {PATIENCE:?}"),
    }
}
