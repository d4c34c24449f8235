//! The errors of the gate, such as 401, 404 and 429, in the format of this service.

{{import}}use dropspec_gate::error::{ErrorBody, ErrorInfo};

/// Writes errors of the gate as response bodies.
#[derive(Debug)]
pub struct Errors;

impl ErrorBody for Errors {
    const MEDIA_TYPE: &'static str = "{{media_type}}";

    {{origin}}
    fn render(error: ErrorInfo) -> String {
        {{body}}
    }
}
