//! The login to the page of the operator, which begins a session.

use http::header::SET_COOKIE;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use spec_gate::gate::Service;

use super::access::check_origin;
use super::refusal::refuse;
use super::{MAX_COMMAND, Operator};
use crate::answer::{PLAIN, answer};
use crate::listener::PanelBody;

impl<S: Service> Operator<S> {
    /// Begins a session for whoever sends the token.
    pub(super) async fn log_in(&self, request: Request<Incoming>) -> Response<PanelBody> {
        let (head, body) = request.into_parts();
        if let Err(refusal) = check_origin(&head.method, &head.headers) {
            return refuse(S::NAME, refusal, &head.headers);
        }
        let body = Limited::new(body, MAX_COMMAND).collect().await;
        let body = body.map(|body| body.to_bytes()).unwrap_or_default();
        let given = std::str::from_utf8(&body).unwrap_or_default();
        let log = self.gate.log();
        if !self
            .access
            .token
            .as_ref()
            .is_some_and(|token| token.is(given.trim()))
        {
            slog::warn!(log, "a login to the page of the operator was refused");
            return answer(StatusCode::FORBIDDEN, PLAIN, "This is not the token.\n");
        }
        match self.access.sessions.begin(&head.headers, self.now()) {
            Ok(cookie) => {
                slog::info!(log, "the operator logged in");
                let mut response = answer(StatusCode::OK, PLAIN, "logged in\n");
                response.headers_mut().insert(SET_COOKIE, cookie);
                response
            }
            Err(error) => {
                slog::error!(log, "the system has no random numbers"; "error" => %error);
                let message = "The server failed; see its log.\n";
                answer(StatusCode::INTERNAL_SERVER_ERROR, PLAIN, message)
            }
        }
    }
}
