//! The headers that every response carries: rate limits, when to retry, how to authenticate, deprecation, caching and
//! protection of browsers.

use std::cell::Cell;
use std::thread::LocalKey;

use bytes::Bytes;
use dropspec_runtime::SecuritySchemeInfo;
use http::header::{
    CACHE_CONTROL, ETAG, HeaderName, RETRY_AFTER, STRICT_TRANSPORT_SECURITY, VARY,
    WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Method, Response, StatusCode};
use itoa::Integer;

use super::deprecation::DeprecationHeaders;
use crate::rate_limit::RateLimitInfo;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// More headers than [`ResponseHeaders::apply`] and dropshot add to a response.
const ADDED_HEADERS: usize = 10;

/// The value of `Retry-After` in every 503 response, in seconds.
const UNAVAILABLE_RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

const NO_STORE: HeaderValue = HeaderValue::from_static("no-store");
/// The client may store the response, and must ask with `If-None-Match` each time.
const REVALIDATE: HeaderValue = HeaderValue::from_static("private, no-cache");
const NO_SNIFF: HeaderValue = HeaderValue::from_static("nosniff");
/// A year, for this host only: the server does not know the other hosts of its domain (RFC 6797, section 6.1).
const ONLY_TLS: HeaderValue = HeaderValue::from_static("max-age=31536000");

/// A number and its header value.
type RecentNumber<N> = Cell<Option<(N, HeaderValue)>>;

thread_local! {
    // Most responses of a thread have the limit and the end of the window of the one before. Sharing these values takes a
    // fifth off the instructions of `ResponseHeaders::apply`.
    static RECENT_LIMIT: RecentNumber<u64> = const { Cell::new(None) };
    static RECENT_RESET: RecentNumber<i64> = const { Cell::new(None) };
}

/// Adds the headers that every response of one server carries.
#[derive(Debug)]
pub struct ResponseHeaders {
    vary: Option<HeaderValue>,
    uses_tls: bool,
}

impl ResponseHeaders {
    /// Prepares the headers of a server whose clients authenticate by these schemes. `uses_tls` is whether the public
    /// listener speaks TLS.
    pub fn new(
        schemes: impl Iterator<Item = SecuritySchemeInfo>,
        uses_tls: bool,
    ) -> ResponseHeaders {
        // The request headers that name the sender (RFC 9110, section 12.5.5). The query is a part of the URL.
        let mut names: Vec<&str> = schemes.filter_map(|scheme| scheme.kind.header()).collect();
        names.sort_unstable_by_key(|name| name.to_ascii_lowercase());
        names.dedup_by(|one, other| one.eq_ignore_ascii_case(other));
        // Never freed, so that copies share no reference count, which all cores would have to change.
        let vary = (!names.is_empty()).then(|| names.join(", ").leak().as_bytes());
        let vary = vary.map(|names| HeaderValue::from_maybe_shared(Bytes::from_static(names)));
        ResponseHeaders {
            vary: vary.and_then(Result::ok),
            uses_tls,
        }
    }

    /// Adds the headers of every response: rate limit, deprecation, caching, and those that its status needs. A
    /// `Cache-Control` that the response has already is kept. `challenges` say how to authenticate.
    pub fn apply<B>(
        &self,
        response: &mut Response<B>,
        method: &Method,
        rate_limit: Option<&RateLimitInfo>,
        deprecation: Option<&DeprecationHeaders>,
        challenges: &[HeaderValue],
    ) {
        let status = response.status();
        let headers = response.headers_mut();
        // The map grows once at most.
        headers.reserve(ADDED_HEADERS);
        if let Some(info) = rate_limit {
            headers.insert(LIMIT, recent_number(&RECENT_LIMIT, info.limit));
            headers.insert(REMAINING, number(info.remaining));
            headers.insert(RESET, recent_number(&RECENT_RESET, info.reset));
        }
        for (name, value) in deprecation.into_iter().flatten() {
            headers.append(name, value.clone());
        }
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let is_current = matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED);
        let may_be_stored = is_read && is_current && headers.contains_key(ETAG);
        let caching = if may_be_stored { REVALIDATE } else { NO_STORE };
        headers.entry(CACHE_CONTROL).or_insert(caching);
        if let Some(vary) = &self.vary {
            headers.append(VARY, vary.clone());
        }
        headers.insert(X_CONTENT_TYPE_OPTIONS, NO_SNIFF);
        if self.uses_tls {
            headers.insert(STRICT_TRANSPORT_SECURITY, ONLY_TLS);
        }
        match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                for challenge in challenges {
                    headers.append(WWW_AUTHENTICATE, challenge.clone());
                }
            }
            StatusCode::TOO_MANY_REQUESTS => {
                let retry_after = rate_limit.and_then(|info| info.retry_after);
                headers.insert(RETRY_AFTER, retry_after.unwrap_or(1).into());
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(RETRY_AFTER, UNAVAILABLE_RETRY_AFTER);
            }
            _ => {}
        }
    }
}

/// The value of a number: that of the last one on this thread if it is the same number.
fn recent_number<N: Integer + PartialEq>(
    recent: &'static LocalKey<RecentNumber<N>>,
    wanted: N,
) -> HeaderValue {
    let last = recent.take().filter(|(last, _)| *last == wanted);
    let value = last.map_or_else(|| number(wanted), |(_, value)| value);
    recent.set(Some((wanted, value.clone())));
    value
}

/// The value of a number. `HeaderValue::from` would allocate twice, as it does not know the length.
fn number(number: impl Integer) -> HeaderValue {
    let mut digits = itoa::Buffer::new();
    HeaderValue::from_str(digits.format(number)).expect("digits are a header value")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(uses_tls: bool) -> ResponseHeaders {
        ResponseHeaders {
            vary: Some(HeaderValue::from_static("Authorization")),
            uses_tls,
        }
    }

    #[test]
    fn only_responses_to_reads_with_an_etag_may_be_stored() {
        let tag = &[(ETAG, "\"7\"")][..];
        let rows = [
            (Method::GET, 200, tag, "private, no-cache"),
            (Method::HEAD, 200, tag, "private, no-cache"),
            (Method::GET, 304, tag, "private, no-cache"),
            (Method::GET, 200, &[], "no-store"),
            (Method::GET, 404, tag, "no-store"),
            (Method::PUT, 200, tag, "no-store"),
            (Method::POST, 201, tag, "no-store"),
            (Method::GET, 503, &[], "no-store"),
            (Method::GET, 200, &[(CACHE_CONTROL, "public")], "public"),
        ];
        for (method, status, header, expected) in rows {
            let mut response = Response::builder().status(status);
            for (name, value) in header {
                response = response.header(name, *value);
            }
            let mut response = response.body(()).expect("a response");
            headers(false).apply(&mut response, &method, None, None, &[]);
            let caching = &response.headers()[CACHE_CONTROL];
            assert_eq!(caching, expected, "{method} {status} {header:?}");
        }
    }

    #[test]
    fn link_to_a_successor_is_added_to_that_of_the_handler() {
        let link = |text| (http::header::LINK, HeaderValue::from_static(text));
        let mut response = Response::new(());
        response.headers_mut().extend([link("</a?after=2>")]);
        let deprecation = vec![link("</b>")];
        headers(false).apply(&mut response, &Method::GET, None, Some(&deprecation), &[]);
        assert_eq!(response.headers().get_all("link").iter().count(), 2);
    }

    #[test]
    fn numbers_are_those_of_this_response_whatever_the_last_one_had() {
        for (limit, remaining, reset) in [(60, 59, 7), (60, 58, 7), (300, 58, 8), (60, 0, 7)] {
            let info = RateLimitInfo {
                limit,
                remaining,
                reset,
                retry_after: None,
            };
            let mut response = Response::new(());
            headers(false).apply(&mut response, &Method::GET, Some(&info), None, &[]);
            let sent = [LIMIT, REMAINING, RESET].map(|name| response.headers()[name].clone());
            let expected = [limit.to_string(), remaining.to_string(), reset.to_string()];
            assert_eq!(
                sent,
                expected.map(|it| HeaderValue::try_from(it).expect("a number"))
            );
        }
    }

    #[test]
    fn browsers_are_bound_to_tls_only_over_tls() {
        for (uses_tls, expected) in [(true, Some("max-age=31536000")), (false, None)] {
            let mut response = Response::new(());
            headers(uses_tls).apply(&mut response, &Method::GET, None, None, &[]);
            let header = response.headers().get(STRICT_TRANSPORT_SECURITY);
            assert_eq!(header.map(|it| it.as_bytes()), expected.map(str::as_bytes));
        }
    }
}
