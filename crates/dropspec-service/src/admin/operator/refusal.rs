//! The responses to those who may not use the page of the operator.

use dropspec_gate::reference::prefers_html;
use dropspec_gate::server_sent_events::MEDIA_TYPE;
use http::header::{ACCEPT, HeaderMap, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};

use super::access::{CHANGE, Refusal};
use crate::admin::answer::{HTML, answer, explain, set};
use crate::admin::listener::PanelBody;

impl Refusal {
    /// The status of the response, and what the operator can do about it.
    fn status_and_message(self) -> (StatusCode, &'static str) {
        match self {
            Refusal::NoToken => (
                StatusCode::FORBIDDEN,
                "The panel is not on a loopback address, so the page of the operator needs a token: write one with \
                 `openssl rand -hex 16 > FILE`, name the file by --admin-token-file or SERVICE_ADMIN_TOKEN_FILE, and start the \
                 server again.",
            ),
            Refusal::NotLoggedIn => (
                StatusCode::UNAUTHORIZED,
                "Send the token of --admin-token-file as the password; the user does not matter.",
            ),
            Refusal::WrongToken => (StatusCode::FORBIDDEN, "This is not the token."),
            Refusal::TooManyTokens(_) => (
                StatusCode::TOO_MANY_REQUESTS,
                "This is not the token, as were too many before it; wait a minute.",
            ),
            Refusal::OtherHost => (
                StatusCode::MISDIRECTED_REQUEST,
                "Open the page by the address of the panel, such as http://127.0.0.1:8079/ or http://localhost:8079/.",
            ),
            Refusal::OtherSite => (
                StatusCode::FORBIDDEN,
                "Changes are made on the page of the operator only.",
            ),
        }
    }
}

/// Responds to a refused request: a browser gets the page for the login, and programs are asked for the token. The script of
/// the page gets no challenge: with one the browser would open a dialog of its own.
pub(super) fn refuse(service: &str, refusal: Refusal, headers: &HeaderMap) -> Response<PanelBody> {
    let (status, message) = refusal.status_and_message();
    if refusal != Refusal::NotLoggedIn {
        // As the variables of all flags begin.
        let prefix = service.to_uppercase().replace('-', "_");
        let mut response = explain(headers, status, &message.replace("SERVICE", &prefix));
        if let Refusal::TooManyTokens(seconds) = refusal {
            response.headers_mut().insert(RETRY_AFTER, seconds.into());
        }
        return response;
    }
    if prefers_html(headers) {
        let page = include_str!("../../../assets/operator/login.html").replace("NAME", service);
        return answer(status, HTML, page);
    }
    let mut response = explain(headers, status, message);
    let is_of_page = headers.contains_key(CHANGE)
        || headers
            .get(ACCEPT)
            .is_some_and(|it| it.as_bytes() == MEDIA_TYPE.as_bytes());
    if !is_of_page {
        let challenge = "Basic realm=\"the operator\", charset=\"UTF-8\"";
        set(&mut response, WWW_AUTHENTICATE, challenge);
    }
    response
}
