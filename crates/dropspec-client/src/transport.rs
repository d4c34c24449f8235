//! What a client is for calls.

use std::future::Future;

use reqwest::{Request, Response};

use crate::credentials::Credentials;
use crate::error::Error;
use crate::outgoing::Outgoing;

/// What generated clients implement, so that calls can be sent with them.
pub trait Transport: Clone + Send + Sync + 'static {
    /// The version of the document, which every request names in the header `api-version`.
    const VERSION: &'static str;

    /// The methods of the client that set credentials, by the positions of their security schemes.
    const CREDENTIAL_METHODS: &'static [&'static str];

    /// The URL that paths follow.
    fn base_url(&self) -> &str;

    /// What the client identifies itself by.
    fn credentials(&self) -> &Credentials;

    /// Whether requests may be sent again: then each gets an idempotency key, if its operation takes one.
    fn retries(&self) -> bool {
        false
    }

    /// Sends a request, between the hooks of the client.
    fn execute(
        &self,
        request: Request,
        outgoing: &Outgoing,
    ) -> impl Future<Output = Result<Response, Error>> + Send;
}
