//! Writes the errors of the gate for the sender of one request: in the service's format, or as a page for a browser.

use dropshot::Body;
use http::Response;
use spec_runtime::Interface;

use super::state::{Gate, Service};
use crate::error::{GateError, error_response};

/// Writes the errors of the gate for the sender of one request.
pub struct ErrorWriter<'a, S: Service> {
    pub gate: &'a Gate<S>,
    pub request_id: &'a str,
    /// Whether the sender is a browser that shows a page.
    pub wants_html: bool,
}

impl<S: Service> ErrorWriter<'_, S> {
    /// The response to a request that fails with this error.
    pub fn write(&self, error: GateError) -> Response<Body> {
        let codes = S::Interface::error_codes();
        if self.wants_html {
            let kind = error.kind;
            let error = error.into_info(codes, self.request_id);
            self.gate.pages.error_page(kind, error)
        } else {
            error_response::<S::ErrorBody>(error, codes, self.request_id)
        }
    }
}
