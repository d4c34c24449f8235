//! Sends requests with the same headers: an API key or none, and proxies.

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method, Request, Uri};

use crate::key::API_KEY;
use crate::{Response, TestApp, raw_http};

/// Sends requests to an app, each with the headers of this caller. The app's checker checks the responses.
#[derive(Clone)]
pub struct Caller<'a> {
    app: &'a TestApp,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl<'a> Caller<'a> {
    pub(crate) fn with_key(app: &'a TestApp, key: &str) -> Caller<'a> {
        Caller::without_key(app).with_header(API_KEY, key)
    }

    pub(crate) fn without_key(app: &'a TestApp) -> Caller<'a> {
        Caller {
            app,
            headers: Vec::new(),
        }
    }

    /// Adds a header to each request.
    #[must_use]
    pub fn with_header(mut self, name: &'static str, value: &str) -> Caller<'a> {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        let value = HeaderValue::from_str(value).unwrap();
        self.headers.push((name, value));
        self
    }

    /// Adds an `X-Forwarded-For` header to each request.
    #[must_use]
    pub fn forwarded_for(self, hops: &str) -> Caller<'a> {
        self.with_header("X-Forwarded-For", hops)
    }

    /// Sends a request.
    pub async fn send(&self, mut request: Request<raw_http::Body>) -> Response {
        for (name, value) in &self.headers {
            request.headers_mut().append(name, value.clone());
        }
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let response = raw_http::send(self.app.address(), request).await;
        self.app.checker().check(&method, &path, &response);
        response
    }

    /// Sends the head of a request as it is, and adds the headers of this caller only. Each line of `head` ends in CRLF.
    pub async fn send_head(&self, head: &str) -> Response {
        let mut words = head.split(' ');
        let mut next = || words.next().unwrap();
        let (method, target): (Method, Uri) = (next().parse().unwrap(), next().parse().unwrap());
        let headers = self.headers.iter();
        let headers =
            headers.map(|(name, value)| format!("{name}: {}\r\n", value.to_str().unwrap()));
        let text = format!(
            "{head}{}Connection: close\r\n\r\n",
            headers.collect::<String>()
        );
        let response = raw_http::send_request_text(self.app.address(), &text).await;
        self.app.checker().check(&method, target.path(), &response);
        response
    }

    /// Sends a request without a body.
    pub async fn call(&self, method: Method, target: &str) -> Response {
        let request = Request::builder().method(method).uri(target);
        self.send(request.body(raw_http::empty_body()).unwrap())
            .await
    }

    /// Sends a GET. The target is a path, with or without a query.
    pub async fn get(&self, target: &str) -> Response {
        self.call(Method::GET, target).await
    }

    /// Sends a body as `application/json`, whether it is JSON or not.
    pub async fn send_text(&self, method: Method, target: &str, body: &str) -> Response {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header(CONTENT_TYPE, "application/json");
        let body = raw_http::full_body(body.to_owned());
        self.send(request.body(body).unwrap()).await
    }
}
