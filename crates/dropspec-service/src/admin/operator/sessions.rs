//! Who has logged in on the page of the operator. A session is a random id in a cookie; the server keeps its hash in memory,
//! so that a restart ends all sessions.

use std::collections::VecDeque;

use http::header::{COOKIE, HOST, HeaderMap, HeaderValue};
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

/// How long a session lasts, in seconds.
const LIFETIME: i64 = 12 * 60 * 60;

/// The largest number of sessions; a further one ends the oldest.
const MAX_SESSIONS: usize = 32;

/// The number of random bytes of an id.
const ID_LENGTH: usize = 32;

/// The sessions of the operators.
#[derive(Debug, Default)]
pub(super) struct Sessions(Mutex<VecDeque<Session>>);

#[derive(Debug)]
struct Session {
    /// The hash of the id.
    id: [u8; 32],
    /// When it ends (Unix seconds).
    end: i64,
}

impl Sessions {
    /// Begins a session at `now` (Unix seconds), and returns the value of `Set-Cookie` for it.
    pub(super) fn begin(
        &self,
        headers: &HeaderMap,
        now: i64,
    ) -> Result<HeaderValue, getrandom::Error> {
        let mut bytes = [0; ID_LENGTH];
        getrandom::fill(&mut bytes)?;
        let id: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut sessions = self.0.lock();
        sessions.retain(|session| session.end > now);
        if sessions.len() >= MAX_SESSIONS {
            sessions.pop_front();
        }
        sessions.push_back(Session {
            id: hash(&id),
            end: now + LIFETIME,
        });
        Ok(cookie(headers, &id, LIFETIME))
    }

    /// Whether a request at `now` (Unix seconds) belongs to a session.
    pub(super) fn has(&self, headers: &HeaderMap, now: i64) -> bool {
        let Some(id) = find_id(headers) else {
            return false;
        };
        self.0.lock().iter().any(|it| it.id == id && it.end > now)
    }

    /// Ends the session of a request, and returns the value of `Set-Cookie` that removes its cookie.
    pub(super) fn end(&self, headers: &HeaderMap) -> HeaderValue {
        if let Some(id) = find_id(headers) {
            self.0.lock().retain(|session| session.id != id);
        }
        cookie(headers, "", 0)
    }
}

/// The cookie of a session. No script and no other site can read or send it.
fn cookie(headers: &HeaderMap, id: &str, seconds: i64) -> HeaderValue {
    let name = cookie_name(headers);
    let text = format!("{name}={id}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict");
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static(""))
}

/// The name of the cookie. It has the port by which the panel is reached, as browsers send a cookie to all ports of a host:
/// panels of several servers on one host would end each other's sessions.
fn cookie_name(headers: &HeaderMap) -> String {
    let host = headers.get(HOST).and_then(|it| it.to_str().ok());
    let port = host.and_then(|host| host.parse::<http::uri::Authority>().ok()?.port_u16());
    match port {
        Some(port) => format!("operator-{port}"),
        None => "operator".to_owned(),
    }
}

/// The hash of the id that a request has.
fn find_id(headers: &HeaderMap) -> Option<[u8; 32]> {
    let name = cookie_name(headers);
    let lines = headers.get_all(COOKIE).iter();
    let mut cookies = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='));
    let (_, id) = cookies.find(|(given, _)| *given == name)?;
    Some(hash(id))
}

fn hash(id: &str) -> [u8; 32] {
    Sha256::digest(id.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_800_000_000;

    fn headers(host: &str, cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        headers.insert(COOKIE, cookie.parse().unwrap());
        headers
    }

    /// Logs in, and returns the headers of the next request.
    fn log_in(sessions: &Sessions, host: &str, now: i64) -> HeaderMap {
        let set = sessions.begin(&headers(host, "other=1"), now).unwrap();
        let (pair, attributes) = set.to_str().unwrap().split_once(';').unwrap();
        assert!(attributes.contains("HttpOnly") && attributes.contains("SameSite=Strict"));
        headers(host, &format!("other=1; {pair}"))
    }

    #[test]
    fn session_lasts_until_its_end_or_the_logout() {
        let sessions = Sessions::default();
        let first = log_in(&sessions, "panel:8079", NOW);
        let second = log_in(&sessions, "panel:8079", NOW + 1);
        assert!(sessions.has(&first, NOW + LIFETIME - 1));
        assert!(!sessions.has(&first, NOW + LIFETIME));
        assert!(sessions.has(&second, NOW + LIFETIME));
        let removal = sessions.end(&second);
        assert!(removal.to_str().unwrap().contains("Max-Age=0"));
        assert!(!sessions.has(&second, NOW + 2));
        assert!(sessions.has(&first, NOW + 2));
        for cookie in ["", "operator-8079=", "operator-8079=0", "a=b"] {
            assert!(
                !sessions.has(&headers("panel:8079", cookie), NOW),
                "{cookie}"
            );
        }
    }

    #[test]
    fn panels_on_several_ports_of_a_host_have_cookies_of_their_own() {
        let sessions = Sessions::default();
        let here = log_in(&sessions, "panel:8079", NOW);
        let mut there = here.clone();
        there.insert(HOST, "panel:8082".parse().unwrap());
        assert!(sessions.has(&here, NOW) && !sessions.has(&there, NOW));
        let by_proxy = log_in(&sessions, "panel.example", NOW);
        assert!(sessions.has(&by_proxy, NOW));
    }

    #[test]
    fn number_of_sessions_is_bounded() {
        let sessions = Sessions::default();
        let all: Vec<_> = (0..=MAX_SESSIONS)
            .map(|_| log_in(&sessions, "panel:8079", NOW))
            .collect();
        assert!(!sessions.has(&all[0], NOW));
        assert!(all[1..].iter().all(|it| sessions.has(it, NOW)));
    }
}
