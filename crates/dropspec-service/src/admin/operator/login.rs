//! The login to the page of the operator, which begins a session, and wrong tokens.

use std::net::IpAddr;
use std::time::Duration;

use dropspec_gate::gate::Service;
use http::header::SET_COOKIE;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;

use super::access::{Refusal, check_origin};
use super::refusal::refuse;
use super::{MAX_COMMAND, Operator};
use crate::admin::answer::{PLAIN, answer};
use crate::admin::listener::PanelBody;

/// How late a token is looked at, after too many wrong ones. As connections are few, nobody can try many. The right one is
/// accepted nevertheless, so that nobody can lock the operator out.
const DELAY: Duration = Duration::from_secs(1);

impl<S: Service> Operator<S> {
    /// Checks a token from `sender`, later if too many wrong ones came before, and notes a wrong one.
    pub(super) async fn check_token(
        &self,
        sender: IpAddr,
        check: impl FnOnce() -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let slowed = self.guesses.slowed_for(sender, self.steady_now());
        if slowed.is_some() {
            tokio::time::sleep(DELAY).await;
        }
        check().map_err(|refusal| {
            if !matches!(refusal, Refusal::NotLoggedIn | Refusal::WrongToken) {
                return refusal;
            }
            if let Some(count) = self.guesses.note(sender, self.steady_now()) {
                slog::warn!(self.gate.log(), "wrong tokens were sent to the page of the operator";
                    "count" => count, "last_address" => %sender);
            }
            slowed.map_or(refusal, Refusal::TooManyTokens)
        })
    }

    /// Begins a session for whoever sends the token.
    pub(super) async fn log_in(
        &self,
        sender: IpAddr,
        request: Request<Incoming>,
    ) -> Response<PanelBody> {
        let (head, body) = request.into_parts();
        if let Err(refusal) = check_origin(&head.method, &head.headers) {
            return refuse(S::NAME, refusal, &head.headers);
        }
        let body = Limited::new(body, MAX_COMMAND).collect().await;
        let body = body.map(|body| body.to_bytes()).unwrap_or_default();
        let given = std::str::from_utf8(&body).unwrap_or_default();
        let log = self.gate.log();
        let check = || {
            let token = self.access.token.as_ref();
            let is_right = token.is_some_and(|token| token.is(given.trim()));
            is_right.then_some(()).ok_or(Refusal::WrongToken)
        };
        if let Err(refusal) = self.check_token(sender, check).await {
            return refuse(S::NAME, refusal, &head.headers);
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

    /// The seconds by a clock that is never set.
    fn steady_now(&self) -> i64 {
        let now = self.gate.now();
        (now.wall - now.stepped).timestamp()
    }
}
