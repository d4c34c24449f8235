//! One connection: its TLS handshake, and its requests over HTTP/1 or HTTP/2.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use dropshot::Body;
use dropspec_gate::Service;
use dropspec_gate::gate::{Entry, KeptOpen};
use dropspec_gate::metrics::ConnectionRefusal;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response, StatusCode, Version};
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::connections::{Busy, Connection};

/// The largest head over HTTP/1, and how much of a response waits for its reader.
const MAX_BUFFER: usize = 64 * 1024;

/// Requests of an HTTP/2 connection at the same time.
const MAX_STREAMS: u32 = 100;

/// How often a client of HTTP/2 is asked whether it is there, and how long it may take to answer.
const PING_INTERVAL: Duration = Duration::from_secs(20);
const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// What all connections of a listener have in common.
pub(super) struct Protocols<S: Service> {
    entry: Entry<S>,
    http: auto::Builder<TokioExecutor>,
}

/// A body that keeps its request in progress until it is sent.
struct ServedBody {
    body: Body,
    _busy: Busy,
}

impl<S: Service> Protocols<S> {
    pub(super) fn new(entry: Entry<S>) -> Protocols<S> {
        let mut http = auto::Builder::new(TokioExecutor::new());
        http.http1().max_buf_size(MAX_BUFFER);
        http.http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT)
            .max_concurrent_streams(MAX_STREAMS)
            .max_send_buf_size(MAX_BUFFER);
        Protocols { entry, http }
    }

    /// Serves a connection until it ends.
    pub(super) async fn serve(
        self: Arc<Self>,
        stream: TcpStream,
        peer: SocketAddr,
        tls: Option<Arc<ServerConfig>>,
        connection: Arc<Connection>,
    ) {
        let Some(tls) = tls else {
            return self.serve_http(stream, peer, connection).await;
        };
        // Boxed, so that its memory is free after the handshake.
        match Box::pin(TlsAcceptor::from(tls).accept(stream)).await {
            Ok(stream) => {
                connection.place.end_handshake();
                self.serve_http(stream, peer, connection).await;
            }
            Err(error) => {
                let refusals = connection.refusals();
                refusals.count(ConnectionRefusal::Handshake, error);
            }
        }
    }

    /// Boxed, so that a connection that never gets so far takes less memory.
    fn serve_http(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
        connection: Arc<Connection>,
    ) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            let service = service_fn(|request| {
                let (this, connection) = (Arc::clone(&self), Arc::clone(&connection));
                // Boxed, so that an idle connection takes less memory.
                Box::pin(this.respond(request, peer, connection))
            });
            let stream = TokioIo::new(stream);
            let mut served = pin!(self.http.serve_connection_with_upgrades(stream, service));
            loop {
                tokio::select! {
                    biased;
                    // Its errors are those of the client.
                    _ = served.as_mut() => return,
                    () = connection.place.finish.notified() => served.as_mut().graceful_shutdown(),
                }
            }
        })
    }

    async fn respond(
        self: Arc<Self>,
        mut request: Request<Incoming>,
        peer: SocketAddr,
        connection: Arc<Connection>,
    ) -> Result<Response<ServedBody>, std::convert::Infallible> {
        let is_http2 = request.version() == Version::HTTP_2;
        let busy = connection.begin_request(is_http2);
        if request.extensions().get::<OnUpgrade>().is_some() {
            let upgraded = Arc::new(connection.begin_request(is_http2));
            request.extensions_mut().insert(KeptOpen(upgraded));
        }
        let mut response = self.entry.handle(request, peer).await;
        let stays = is_http2 || response.status() == StatusCode::SWITCHING_PROTOCOLS;
        if connection.is_draining() && !stays {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        Ok(response.map(|body| ServedBody { body, _busy: busy }))
    }
}

impl HttpBody for ServedBody {
    type Data = Bytes;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
