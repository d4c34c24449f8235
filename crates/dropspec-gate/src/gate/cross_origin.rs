//! Lets pages of other sites call the service (Fetch standard, CORS protocol), if the operator allows their origins.
//!
//! Credentials of the browser are never allowed, so the wildcard stands for all methods and headers. A key is a header that
//! the page itself sends.

use dropshot::Body;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_METHOD,
    HeaderMap, ORIGIN, VARY,
};
use http::{HeaderValue, Method, Response, StatusCode};

use crate::cors::CorsOrigin;

const ALL: HeaderValue = HeaderValue::from_static("*");

/// The wildcard does not stand for `Authorization`.
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static("*, Authorization");

/// Those of limits and of the request's id are named for browsers that do not know the wildcard.
const EXPOSED_HEADERS: HeaderValue = HeaderValue::from_static(
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, X-Request-Id, *",
);

/// How long a browser need not ask again, in seconds: two hours, the longest time that Chromium accepts.
const MAX_AGE: HeaderValue = HeaderValue::from_static("7200");

/// The origins whose pages may read responses.
#[derive(Debug)]
pub struct CrossOrigin {
    /// `None`: all.
    allowed: Option<Vec<HeaderValue>>,
}

impl CrossOrigin {
    /// Allows these origins; `None` if there are none.
    pub fn new(origins: &[CorsOrigin]) -> Option<CrossOrigin> {
        let sites = origins.iter().map(|origin| match origin {
            CorsOrigin::Any => None,
            CorsOrigin::Site(origin) => HeaderValue::try_from(origin).ok(),
        });
        let allowed = sites.collect();
        (!origins.is_empty()).then_some(CrossOrigin { allowed })
    }

    /// The value of `Access-Control-Allow-Origin` for a request with these headers; `None` if it comes from no other site, or
    /// from one that is not allowed.
    pub fn allow(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        let origin = headers.get(ORIGIN)?;
        match &self.allowed {
            None => Some(ALL),
            Some(allowed) => allowed.iter().find(|it| *it == origin).cloned(),
        }
    }

    /// Adds the headers that let the page with this origin read a response.
    pub fn apply<B>(&self, response: &mut Response<B>, origin: Option<HeaderValue>) {
        let headers = response.headers_mut();
        if self.allowed.is_some() {
            headers.append(VARY, HeaderValue::from_name(ORIGIN));
        }
        if let Some(origin) = origin {
            headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED_HEADERS);
        }
    }
}

/// Whether a browser asks by this request what a page of another site may send.
pub fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    *method == Method::OPTIONS
        && headers.contains_key(ORIGIN)
        && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The response to a preflight of an allowed origin. It is the same for every path, so that it does not say what exists.
pub fn preflight_response() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, ALL);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    headers.insert(ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    response
}
