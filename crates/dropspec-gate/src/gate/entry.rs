//! The entry of the gate: what a listener calls for each request.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use dropshot::{Body, HEADER_REQUEST_ID, RequestContext, RequestInfo};
use dropspec_runtime::Method;
use http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use slog::{Discard, Logger, o};
use uuid::Uuid;

use super::request_body::RequestBody;
use super::serve::serve;
use super::state::{Gate, Service};
use crate::error::GateError;

/// Serves the requests of a listener. All have the context of dropshot, which handlers of a generated trait take.
pub struct Entry<S: Service> {
    first: RequestContext<Arc<Gate<S>>>,
}

impl<S: Service> Entry<S> {
    /// The entry of a gate.
    ///
    /// # Errors
    ///
    /// If dropshot does not make its state of a server.
    pub fn new(gate: &Arc<Gate<S>>) -> io::Result<Entry<S>> {
        // What dropshot says of the one request that it serves itself is nobody's concern.
        let silent = Logger::root(Discard, o!());
        let first = dropspec_request_context::make_first(Arc::clone(gate), silent)?;
        Ok(Entry { first })
    }

    /// Handles one request, from a peer. If the returned future is dropped, because the client has disconnected, a request that
    /// only reads is cancelled. Any other runs to its end, in a task of its own, so that the client's disconnection does not
    /// decide what is stored.
    pub async fn handle(&self, request: Request<Incoming>, peer: SocketAddr) -> Response<Body> {
        let gate = self.first.context();
        let arrival = (gate.in_flight.enter(), gate.now());
        let request_id = Uuid::new_v4().to_string();
        let log = gate.log().new(o!("request_id" => request_id.clone()));
        let head = RequestInfo::new(&request, peer);
        let is_safe = Method::has(head.method().as_str(), Method::is_safe);
        let rqctx = dropspec_request_context::renew(&self.first, request_id.clone(), log, head);
        let (parts, body) = request.into_parts();
        let body = RequestBody {
            body: Body::wrap(body),
            extensions: parts.extensions,
        };
        let mut response = if is_safe {
            serve(rqctx, body, arrival).await
        } else {
            let served = tokio::spawn(serve(rqctx, body, arrival)).await;
            // The task can only be cancelled, by the end of the process.
            served.unwrap_or_else(|_| gate.write_error(GateError::internal(), &request_id, false))
        };
        if let Ok(id) = HeaderValue::try_from(request_id) {
            response.headers_mut().insert(HEADER_REQUEST_ID, id);
        }
        response
    }
}
