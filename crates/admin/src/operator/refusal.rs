//! The responses to those who may not use the page of the operator.

use http::header::{ACCEPT, HeaderMap, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use spec_gate::message_page::message_page;
use spec_gate::reference::prefers_html;
use spec_gate::server_sent_events::MEDIA_TYPE;

use super::access::{CHANGE, Refusal};
use crate::answer::{HTML, answer, explain, set};
use crate::listener::PanelBody;

impl Refusal {
    fn status(self) -> StatusCode {
        match self {
            Refusal::NotLoggedIn => StatusCode::UNAUTHORIZED,
            Refusal::OtherHost => StatusCode::MISDIRECTED_REQUEST,
            Refusal::NoToken | Refusal::OtherSite => StatusCode::FORBIDDEN,
        }
    }
}

/// Responds to a refused request: a browser gets the page for the login, and programs are asked for the token. The script of
/// the page gets no challenge: with one the browser would open a dialog of its own.
pub(super) fn refuse(service: &str, refusal: Refusal, headers: &HeaderMap) -> Response<PanelBody> {
    let status = refusal.status();
    if refusal != Refusal::NotLoggedIn {
        return explain(headers, status, refusal.message());
    }
    if prefers_html(headers) {
        let title = format!("{service}: log in");
        let form = include_str!("../../assets/operator/login.html");
        return answer(status, HTML, message_page(&title, form));
    }
    let mut response = explain(headers, status, refusal.message());
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
