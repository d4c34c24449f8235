//! Who may use the page of the operator.
//!
//! With a token, whoever sends it by HTTP Basic, as programs do, or has logged in on the page. Without one, only this
//! machine: the panel must be on a loopback address, and the request must name it, so that a name of another site that leads
//! here (DNS rebinding) is refused. A change must come from the page itself: it has a header that other sites cannot send,
//! and no other origin.

use std::net::IpAddr;

use headers::authorization::Basic;
use headers::{Authorization, HeaderMapExt};
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::{HeaderMap, Method};

use super::sessions::Sessions;
use crate::admin::operator_token::OperatorToken;

/// The header of each change, which a page of another site cannot send without being asked for.
pub(super) const CHANGE: &str = "x-operator";

/// What the settings of the panel say about access.
pub(super) struct Access {
    pub(super) token: Option<OperatorToken>,
    /// Of those who have logged in with the token.
    pub(super) sessions: Sessions,
    /// Whether the panel is on a loopback address.
    pub(super) is_loopback: bool,
}

/// Why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The panel is reachable from other machines, and there is no token.
    NoToken,
    /// The request has neither the token nor a session.
    NotLoggedIn,
    /// What was sent to log in is not the token.
    WrongToken,
    /// A wrong token after too many others; the seconds until the next one should be sent.
    TooManyTokens(i64),
    /// The request names another host.
    OtherHost,
    /// The change does not come from the page.
    OtherSite,
}

impl Access {
    /// Whether a request has a token, right or wrong.
    pub(super) fn is_token_sent(&self, headers: &HeaderMap) -> bool {
        self.token.is_some() && headers.contains_key(AUTHORIZATION)
    }

    /// Checks a request at `now` (Unix seconds).
    pub(super) fn check(
        &self,
        method: &Method,
        headers: &HeaderMap,
        now: i64,
    ) -> Result<(), Refusal> {
        match &self.token {
            Some(token) => {
                let given: Option<Authorization<Basic>> = headers.typed_get();
                let has_token = given.is_some_and(|it| token.is(it.password()));
                if !has_token && !self.sessions.has(headers, now) {
                    return Err(Refusal::NotLoggedIn);
                }
            }
            None if !self.is_loopback => return Err(Refusal::NoToken),
            None if !names_this_machine(headers) => return Err(Refusal::OtherHost),
            None => {}
        }
        check_origin(method, headers)
    }
}

/// Checks that a change comes from the page.
pub(super) fn check_origin(method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    if method.is_safe() || is_from_the_page(headers) {
        Ok(())
    } else {
        Err(Refusal::OtherSite)
    }
}

fn names_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let host = host.to_str().ok().and_then(|it| it.parse().ok());
    host.is_some_and(|host: http::uri::Authority| {
        let name = host.host().trim_start_matches('[').trim_end_matches(']');
        let address = name.parse::<IpAddr>();
        name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|it| it.is_loopback())
    })
}

fn is_from_the_page(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|it| it.to_str().ok());
    let origin = headers
        .get(ORIGIN)
        .map(|it| it.to_str().unwrap_or_default());
    // A proxy in front of the panel may speak TLS.
    let is_own = |origin: &str| origin.split_once("://").map(|(_, host)| host) == host;
    headers.contains_key(CHANGE) && origin.is_none_or(is_own)
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const TOKEN: &str = "0123456789abcdef";
    /// `any:0123456789abcdef`, and `any:wrong`.
    const RIGHT: &str = "Basic YW55OjAxMjM0NTY3ODlhYmNkZWY=";
    const WRONG: &str = "Basic YW55Ondyb25n";

    fn check(access: &Access, method: &Method, headers: &[(&str, &str)]) -> Result<(), Refusal> {
        let headers = headers.iter().map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        });
        access.check(method, &headers.collect(), 0)
    }

    fn access(token: Option<OperatorToken>, is_loopback: bool) -> Access {
        Access {
            token,
            sessions: Sessions::default(),
            is_loopback,
        }
    }

    #[test]
    fn token_is_required_where_there_is_one_or_others_can_connect() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, format!("{TOKEN}\n")).unwrap();
        let token = OperatorToken::read(&file).unwrap();
        let open = access(None, false);
        let get = &Method::GET;
        let host = ("host", "10.0.0.7:8079");
        assert_eq!(check(&open, get, &[host]), Err(Refusal::NoToken));
        for is_loopback in [true, false] {
            let access = access(Some(token.clone()), is_loopback);
            let rows = [
                (None, Err(Refusal::NotLoggedIn)),
                (Some(WRONG), Err(Refusal::NotLoggedIn)),
                (Some("Bearer 0123456789abcdef"), Err(Refusal::NotLoggedIn)),
                (Some(RIGHT), Ok(())),
            ];
            for (credentials, expected) in rows {
                let credentials = credentials.map(|it| ("authorization", it));
                let headers: Vec<_> = credentials.into_iter().chain([host]).collect();
                assert_eq!(check(&access, get, &headers), expected, "{headers:?}");
            }
        }
    }

    #[test]
    fn without_a_token_the_request_names_this_machine() {
        let access = access(None, true);
        for host in [
            "127.0.0.1:8079",
            "localhost:8079",
            "LOCALHOST",
            "[::1]:8079",
            "127.1.2.3",
        ] {
            assert_eq!(
                check(&access, &Method::GET, &[("host", host)]),
                Ok(()),
                "{host}"
            );
        }
        for host in [
            "evil.example:8079",
            "localhost.evil.example",
            "10.0.0.7",
            "",
            "a b",
        ] {
            let refused = check(&access, &Method::GET, &[("host", host)]);
            assert_eq!(refused, Err(Refusal::OtherHost), "{host}");
        }
        assert_eq!(check(&access, &Method::GET, &[]), Err(Refusal::OtherHost));
    }

    #[test]
    fn change_comes_from_the_page() {
        let access = access(None, true);
        let (host, change) = (("host", "localhost:8079"), ("x-operator", "1"));
        let own = ("origin", "http://localhost:8079");
        let refused = Err(Refusal::OtherSite);
        let rows = [
            (vec![host, change, own], Ok(())),
            (vec![host, change], Ok(())),
            (vec![host, own], refused),
            (
                vec![host, change, ("origin", "http://localhost:3000")],
                refused,
            ),
            (vec![host, change, ("origin", "null")], refused),
        ];
        for (headers, expected) in rows {
            assert_eq!(
                check(&access, &Method::POST, &headers),
                expected,
                "{headers:?}"
            );
        }
    }
}
