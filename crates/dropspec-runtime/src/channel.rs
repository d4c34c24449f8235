//! Runs the handlers of WebSockets, which go on in tasks of their own after the response.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use dropshot::{
    Body, RequestContext, ServerContext, WebsocketChannelResult, WebsocketConnection,
    WebsocketUpgrade,
};
use http::Response;

use crate::dispatch::{DispatchError, to_response};
use crate::request::DecodedRequest;

/// A running handler of a WebSocket.
pub type ChannelFuture = Pin<Box<dyn Future<Output = WebsocketChannelResult> + Send>>;

/// What a server runs around the handler of a WebSocket, so that it knows of it after the response. An extension of the
/// request; what it owns lives until the handler begins.
#[derive(Clone)]
pub struct ChannelScope(Arc<dyn Fn(ChannelFuture) -> ChannelFuture + Send + Sync>);

impl ChannelScope {
    /// A scope that wraps the running handler.
    pub fn new(wrap: impl Fn(ChannelFuture) -> ChannelFuture + Send + Sync + 'static) -> Self {
        Self(Arc::new(wrap))
    }
}

impl fmt::Debug for ChannelScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChannelScope")
    }
}

/// A connection that becomes a WebSocket once the response is sent.
pub struct Channel {
    upgrade: WebsocketUpgrade,
    scope: Option<ChannelScope>,
}

impl DecodedRequest {
    /// Takes the request for a WebSocket.
    ///
    /// # Errors
    ///
    /// [`DispatchError::Internal`] with status 400 if the request asks for no WebSocket.
    pub async fn channel<C: ServerContext>(
        &self,
        rqctx: &RequestContext<C>,
    ) -> Result<Channel, DispatchError> {
        Ok(Channel {
            upgrade: self.extract(rqctx).await?,
            scope: self.extensions().get().cloned(),
        })
    }
}

impl Channel {
    /// Responds with 101, after which the handler runs in a task of its own, within the scope of the server.
    ///
    /// # Errors
    ///
    /// As [`to_response`].
    pub fn run<H, F>(self, handler: H) -> Result<Response<Body>, DispatchError>
    where
        H: FnOnce(WebsocketConnection) -> F + Send + 'static,
        F: Future<Output = WebsocketChannelResult> + Send + 'static,
    {
        let scope = self.scope;
        to_response(self.upgrade.handle(move |connection| {
            let running: ChannelFuture = Box::pin(handler(connection));
            match scope {
                Some(scope) => (scope.0)(running),
                None => running,
            }
        }))
    }
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel")
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}
