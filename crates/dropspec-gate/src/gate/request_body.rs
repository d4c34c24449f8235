//! What comes with the head of a request. The head is in dropshot's context of the request.

use std::any::Any;
use std::sync::Arc;

use dropshot::Body;
use http::Extensions;

/// The body of a request, not read, and the request's extensions, by which a connection is upgraded.
pub struct RequestBody {
    /// The body.
    pub body: Body,
    /// The extensions of the request.
    pub extensions: Extensions,
}

/// An extension of a request that asks for an upgrade: what the listener keeps as long as the connection is open.
#[derive(Clone)]
pub struct KeptOpen(pub Arc<dyn Any + Send + Sync>);
