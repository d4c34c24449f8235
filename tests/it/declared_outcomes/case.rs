//! One request that provokes an outcome, with what must happen before it.

use std::time::Duration;

use chrono::TimeDelta;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request};
use petstore_api::Operation;
use serde_json::{Map, Value, json};
use test_support::{Caller, Response, TestApp, examples, raw_http};

use super::sample_data;
use super::sender::Sender;
use super::store_fault::StoreFault;

/// A request that provokes one outcome. It begins as one that succeeds; the table of cases changes it.
#[derive(Debug)]
pub struct Case {
    pub method: Method,
    pub target: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<String>,
    /// The example of the document, which is as valid: another body if the operation has a request of its own, or a replacement.
    pub example: Option<String>,
    /// Whether the rest of the body is never sent.
    pub body_is_unfinished: bool,
    pub sender: Sender,
    /// Bodies that the same request is sent with before.
    pub earlier_bodies: Vec<String>,
    /// Whether another record is created with the same body before.
    pub is_taken: bool,
    pub fault: StoreFault,
}

impl Case {
    /// The request that succeeds on the [`sample_data`].
    pub fn succeeding(operation: Operation) -> Case {
        let info = operation.info();
        let (target, body) = sample_data::request(operation);
        let json = ("content-type", "application/json".to_owned());
        Case {
            method: Method::from_bytes(info.method.as_str().as_bytes()).unwrap(),
            target,
            headers: body.as_ref().map(|_| json).into_iter().collect(),
            body,
            example: examples::example_of_body(info).map(|it| it.to_string()),
            body_is_unfinished: false,
            sender: Sender::Owner,
            earlier_bodies: Vec::new(),
            is_taken: false,
            fault: StoreFault::None,
        }
    }

    /// Whether the request leaves a server as it found it.
    pub fn can_share_a_server(&self) -> bool {
        let succeeds = self.sender == Sender::FreeKey || !self.earlier_bodies.is_empty();
        let is_address = self.sender == Sender::ExhaustedAddress;
        let needs_records = succeeds || self.is_taken;
        let needs_settings = self.fault != StoreFault::None || self.body_is_unfinished;
        !(needs_records || is_address || needs_settings)
    }

    /// Sends the request to a server of its own.
    pub async fn run(&self) -> Response {
        let mut prepared = self.fault.prepare();
        let start = prepared.start_app(|config| {
            if self.body_is_unfinished {
                // Long enough for the bodies of the sample data.
                config.requests.body_timeout = Duration::from_millis(500);
            }
        });
        let app = start.await;
        sample_data::create(&app).await;
        let caller = self.sender.prepare(&app).await;
        if self.is_taken {
            let list = self
                .target
                .trim_end_matches(|it: char| it == '/' || it.is_ascii_digit());
            let body = serde_json::from_str(self.body.as_deref().unwrap()).unwrap();
            let response = app.send_json(Method::POST, list, body).await;
            assert!(response.is_success(), "the other record: {response:?}");
        }
        for body in &self.earlier_bodies {
            let response = caller.send(self.request(body)).await;
            assert!(response.is_success(), "earlier request: {response:?}");
        }
        let _fault = prepared.begin(&app);
        self.send(&caller).await
    }

    /// Sends the request to a server that others use before and after.
    pub async fn run_on(&self, app: &TestApp) -> Response {
        // So that the address can send requests without a key again.
        app.clock.advance(TimeDelta::minutes(1));
        let caller = self.sender.prepare(app).await;
        self.send(&caller).await
    }

    async fn send(&self, caller: &Caller<'_>) -> Response {
        let body = self.body.as_deref().unwrap_or_default();
        caller.send(self.request(body)).await
    }

    fn request(&self, body: &str) -> Request<raw_http::Body> {
        let mut request = Request::builder().method(&self.method).uri(&self.target);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let body = if self.body_is_unfinished {
            request = request.header(CONTENT_LENGTH, body.len());
            raw_http::unfinished_body(body[..body.len() / 2].to_owned())
        } else if body.is_empty() {
            raw_http::empty_body()
        } else {
            raw_http::full_body(body.to_owned())
        };
        request.body(body).unwrap()
    }

    /// Replaces the media type.
    pub fn set_content_type(&mut self, media_type: &str) {
        self.headers.retain(|(name, _)| *name != CONTENT_TYPE);
        self.headers.push(("content-type", media_type.to_owned()));
    }

    /// Replaces the ids of other records in the body by one that does not exist.
    pub fn use_unknown_reference(&mut self) {
        let body = self.body.as_deref().unwrap_or_default();
        let mut object: Map<String, Value> = serde_json::from_str(body).unwrap();
        for (_, id) in object.iter_mut().filter(|(name, _)| name.ends_with("Id")) {
            *id = json!(424242);
        }
        self.body = Some(Value::Object(object).to_string());
    }

    /// Replaces the last id in the path by one that does not exist.
    pub fn use_unknown_id(&mut self) {
        let mut segments: Vec<&str> = self.target.split('/').collect();
        let is_id = |segment: &&str| segment.parse::<i64>().is_ok();
        let last_id = segments.iter().rposition(is_id).unwrap();
        segments[last_id] = "424242";
        self.target = segments.join("/");
    }
}
