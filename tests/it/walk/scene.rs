//! One request of a walk with all that has to be before it, and the server that it is played on.

use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request};
use petstore_api::Operation;
use test_support::{Answer, TestApp, wire};

use super::sender::Sender;
use super::stage;
use super::trouble::Trouble;

/// A scene. It begins as the request of an operation that succeeds; a table changes it into any other.
#[derive(Debug)]
pub struct Scene {
    pub method: Method,
    pub target: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<String>,
    pub sending: Sending,
    pub sender: Sender,
    /// Bodies that the same request is sent with first.
    pub before: Vec<String>,
    pub trouble: Trouble,
}

/// How much of the body is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sending {
    Whole,
    Halfway,
}

impl Scene {
    /// The request that succeeds on the [`stage`].
    pub fn of(operation: Operation) -> Scene {
        let info = operation.info();
        let (target, body) = stage::request(operation);
        let json = ("content-type", "application/json".to_owned());
        Scene {
            method: Method::from_bytes(info.method.as_str().as_bytes()).unwrap(),
            target: target.to_owned(),
            headers: body.map(|_| json).into_iter().collect(),
            body: body.map(str::to_owned),
            sending: Sending::Whole,
            sender: Sender::Owner,
            before: Vec::new(),
            trouble: Trouble::None,
        }
    }

    /// Plays the scene on a server of its own.
    pub async fn play(&self) -> Answer {
        let app = TestApp::start_with(|config| {
            self.trouble.prepare(config);
            if self.sending == Sending::Halfway {
                // Short, yet long enough for the whole bodies that set the stage.
                config.body_timeout = Duration::from_secs(2);
            }
        })
        .await;
        stage::set(&app).await;
        let caller = self.sender.appear(&app).await;
        for body in &self.before {
            let answer = caller.send(self.request(body)).await;
            assert!(answer.status.is_success(), "before: {answer:?}");
        }
        let _trouble = self.trouble.begin(&app).await;
        let body = self.body.as_deref().unwrap_or_default();
        let mut answer = caller.send(self.request(body)).await;
        while self.trouble.comes_and_goes() && answer.status.is_success() {
            answer = caller.send(self.request(body)).await;
        }
        answer
    }

    fn request(&self, body: &str) -> Request<wire::Body> {
        let mut request = Request::builder().method(&self.method).uri(&self.target);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        let body = match (self.sending, body) {
            (Sending::Whole, "") => wire::empty(),
            (Sending::Whole, body) => wire::whole(body.to_owned()),
            (Sending::Halfway, body) => {
                request = request.header(CONTENT_LENGTH, body.len());
                wire::halfway(body[..body.len() / 2].to_owned())
            }
        };
        request.body(body).unwrap()
    }

    /// Says that the body is something else.
    pub fn content_type(&mut self, media_type: &str) {
        self.headers.retain(|(name, _)| *name != CONTENT_TYPE);
        self.headers.push(("content-type", media_type.to_owned()));
    }

    /// Replaces the id at the end of the path by one that nothing has.
    pub fn nowhere(&mut self) {
        let (parent, _) = self.target.rsplit_once('/').unwrap();
        self.target = format!("{parent}/424242");
    }
}
