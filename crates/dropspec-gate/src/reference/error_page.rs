//! The page of an error of the gate, for people who opened an address with a browser.

use http::StatusCode;

use crate::error::{ErrorInfo, ErrorKind};
use crate::message_page::{escape, message_page};

/// Renders the page, which leads to the reference page below `base`.
pub(super) fn render(kind: ErrorKind, error: &ErrorInfo, base: &str) -> String {
    let title = error.status.canonical_reason().unwrap_or("Error");
    let reference = format!("<a href=\"{base}/docs\">reference page</a>");
    // What helps in a browser. Programs read the message alone.
    let (message, hint) = match (kind, error.status) {
        (ErrorKind::RouteNotFound, _) => (
            "There is no page and no operation at this address".to_owned(),
            format!("The {reference} lists all operations."),
        ),
        (_, StatusCode::UNAUTHORIZED) => (
            to_sentence(&error.message),
            format!(
                "A browser does not send credentials when it opens an address. On the {reference} you can enter yours and try \
                 each operation."
            ),
        ),
        _ => (
            to_sentence(&error.message),
            format!("The {reference} describes all operations."),
        ),
    };
    let (message, code) = (escape(&message), escape(error.code));
    let request_id = escape(&error.request_id);
    let content = format!(
        "<p>{message}.</p>\n<p>{hint}</p>\n<p><small>Code: <code>{code}</code><br>Request: <code>{request_id}</code></small></p>"
    );
    message_page(title, &content)
}

/// Begins a message with a capital letter, unless its first word is a name.
fn to_sentence(message: &str) -> String {
    let word = message.split(' ').next().unwrap_or_default();
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) && !word.is_empty() {
        message[..1].to_ascii_uppercase() + &message[1..]
    } else {
        message.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_sent_is_no_markup_of_the_page() {
        let error = ErrorInfo {
            code: "malformed_request",
            status: StatusCode::BAD_REQUEST,
            message: "the host <script>TITLE CONTENT</script> is not valid".to_owned(),
            request_id: "id".to_owned(),
            problems: Vec::new(),
        };
        let page = render(ErrorKind::MalformedRequest, &error, "");
        let expected = "<p>The host &lt;script&gt;TITLE CONTENT&lt;/script&gt; is not valid.</p>";
        assert!(page.contains(expected), "{page}");
        assert!(!page.contains("<script>"), "{page}");
    }

    #[test]
    fn message_that_begins_with_a_name_keeps_it() {
        for (message, sentence) in [
            ("the limit is spent", "The limit is spent"),
            ("petId: is no number", "petId: is no number"),
            ("/name: is required", "/name: is required"),
            ("a", "A"),
            ("", ""),
        ] {
            assert_eq!(to_sentence(message), sentence);
        }
    }
}
