//! Who sends a request: someone with a key or without, and through which proxies.

use http::header::CONTENT_TYPE;
use http::{HeaderName, HeaderValue, Method, Request};

use crate::key::API_KEY;
use crate::{Answer, TestApp, wire};

/// Someone who sends requests to an app. The app's witness sees the answers.
#[derive(Clone)]
pub struct Caller<'a> {
    app: &'a TestApp,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl<'a> Caller<'a> {
    pub(crate) fn with_key(app: &'a TestApp, key: &str) -> Caller<'a> {
        Caller::without_key(app).showing(API_KEY, key)
    }

    pub(crate) fn without_key(app: &'a TestApp) -> Caller<'a> {
        Caller {
            app,
            headers: Vec::new(),
        }
    }

    /// The same with one more header in each request.
    #[must_use]
    pub fn showing(mut self, name: &'static str, value: &str) -> Caller<'a> {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        let value = HeaderValue::from_str(value).unwrap();
        self.headers.push((name, value));
        self
    }

    /// The same behind a proxy that says so in `X-Forwarded-For`.
    #[must_use]
    pub fn forwarded_for(self, hops: &str) -> Caller<'a> {
        self.showing("X-Forwarded-For", hops)
    }

    /// Sends a request.
    pub async fn send(&self, mut request: Request<wire::Body>) -> Answer {
        for (name, value) in &self.headers {
            request.headers_mut().append(name, value.clone());
        }
        let (method, path) = (request.method().clone(), request.uri().path().to_owned());
        let answer = wire::exchange(self.app.address(), request).await;
        self.app.witness().see(&method, &path, &answer);
        answer
    }

    /// Sends a request without a body.
    pub async fn call(&self, method: Method, target: &str) -> Answer {
        let request = Request::builder().method(method).uri(target);
        self.send(request.body(wire::empty()).unwrap()).await
    }

    /// Gets what is at a target: a path, with or without a query.
    pub async fn get(&self, target: &str) -> Answer {
        self.call(Method::GET, target).await
    }

    /// Sends a body, as JSON by its content type, whatever it is.
    pub async fn send_text(&self, method: Method, target: &str, body: &str) -> Answer {
        let request = Request::builder()
            .method(method)
            .uri(target)
            .header(CONTENT_TYPE, "application/json");
        let body = wire::whole(body.to_owned());
        self.send(request.body(body).unwrap()).await
    }
}
