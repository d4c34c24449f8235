//! Plans the calls of an operation: requests that vary each parameter and the body, and every response that the trait
//! can give.

mod answers;
mod requests;

pub(crate) use answers::{Answers, plan_answers};
pub(crate) use requests::{full_request, plan_requests};

/// A media type that a range covers.
pub(crate) fn concrete(media_type: &str) -> String {
    let (essence, rest) = match media_type.split_once(';') {
        Some((essence, rest)) => (essence, format!(";{rest}")),
        None => (media_type, String::new()),
    };
    let essence = match essence.trim() {
        "*/*" | "*" | "application/*" => "application/octet-stream".to_owned(),
        "text/*" => "text/plain".to_owned(),
        "image/*" => "image/png".to_owned(),
        essence => essence.replace('*', "sample"),
    };
    format!("{essence}{rest}")
}
