//! The keys of `responses`: statuses, classes of statuses, and `default`.

use dropspec_model::Operation;
use heck::ToUpperCamelCase;

use crate::model::StatusSet;

/// Reads a key of `responses`. A key that is none of them is an error that the reader has found.
pub(super) fn parse(text: &str) -> StatusSet {
    match (text.parse(), text.as_bytes()) {
        (Ok(status), _) => StatusSet::Exact(status),
        (_, [class @ b'1'..=b'5', b'X', b'X']) => StatusSet::Class(class - b'0'),
        _ => StatusSet::Default,
    }
}

/// Whether a status is that of a success. Those from 100 to 199 come before the response of an operation (RFC 9110, section
/// 15.2), except for the upgrade of a connection that the operation opens.
pub(super) fn is_success(operation: &Operation, status: &str) -> bool {
    match status.as_bytes().first() {
        Some(b'1') => status == "101" && is_channel(operation),
        _ => !is_4xx_or_5xx(status) && status != "default",
    }
}

/// Whether an operation opens a WebSocket.
pub(super) fn is_channel(operation: &Operation) -> bool {
    operation.extensions.contains_key("x-dropshot-websocket")
}

/// Whether a status is that of an error. `default` is not, although it means errors if a success is declared beside it.
pub(super) fn is_4xx_or_5xx(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

/// The name of the variant for the statuses: `NotFound`, `ClientError`, `Default`.
pub(super) fn variant_name(status: StatusSet) -> String {
    match status {
        StatusSet::Exact(status) => match reason(status) {
            Some(reason) => reason.replace('\'', "").to_upper_camel_case(),
            None => format!("Status{status}"),
        },
        StatusSet::Class(2) => "Success".to_owned(),
        StatusSet::Class(3) => "Redirection".to_owned(),
        StatusSet::Class(4) => "ClientError".to_owned(),
        StatusSet::Class(_) => "ServerError".to_owned(),
        StatusSet::Default => "Default".to_owned(),
    }
}

/// The statuses in documentation.
pub(super) fn describe(status: StatusSet) -> String {
    match status {
        StatusSet::Exact(status) => format!("`{status}`"),
        StatusSet::Class(class) => format!("`{class}XX`"),
        StatusSet::Default => "`default`".to_owned(),
    }
}

/// Whether responses with the status never have a body (RFC 9110, section 6.4.1).
pub(super) fn has_no_body(status: StatusSet) -> bool {
    matches!(status, StatusSet::Exact(100..200 | 204 | 304))
}

/// The reason phrase of a status (RFC 9110, section 15).
fn reason(status: u16) -> Option<&'static str> {
    http::StatusCode::from_u16(status).ok()?.canonical_reason()
}
