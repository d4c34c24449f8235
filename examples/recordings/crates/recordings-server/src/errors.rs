//! The errors of the gate, such as 401, 404 and 429, in the format of this service.

use dropspec_gate::error::{ErrorBody, ErrorInfo};
use serde_json::json;

/// Writes errors of the gate as response bodies.
#[derive(Debug)]
pub struct Errors;

impl ErrorBody for Errors {
    const MEDIA_TYPE: &'static str = "application/json";

    /// The body of the error responses of the document.
    fn render(error: ErrorInfo) -> String {
        json!({
            "code": error.code,
            "message": error.message
        })
        .to_string()
    }
}
