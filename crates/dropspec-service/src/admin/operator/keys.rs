//! The key commands and reads of the page of the operator, which run where the connections of the database are.

use std::sync::Arc;

use anyhow::Context;
use chrono::{DateTime, Utc};
use dropspec_gate::gate::Service;
use dropspec_gate::keys::commands::KeyConsole;
use dropspec_gate::keys::{ApiKey, Author};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use serde_json::Value;

use super::{MAX_COMMAND, Operator};
use crate::admin::answer::{PLAIN, answer};
use crate::admin::listener::PanelBody;

impl<S: Service> Operator<S> {
    pub(super) async fn run_key_command(&self, request: Request<Incoming>) -> Response<PanelBody> {
        let body = Limited::new(request.into_body(), MAX_COMMAND)
            .collect()
            .await;
        let words = body.ok().map(|body| body.to_bytes());
        let words = words.and_then(|body| serde_json::from_slice::<Vec<String>>(&body).ok());
        let Some(words) = words else {
            let message =
                "send the words of a key command as a JSON array, such as [\"revoke\", \"3\"]\n";
            return answer(StatusCode::BAD_REQUEST, PLAIN, message);
        };
        let reads = |name: &String| matches!(&**name, "list" | "log" | "show");
        let changes = !words.first().is_some_and(reads);
        let mark = self.console.as_ref().map(|it| it.keys.settings().mark);
        let is_secret = |word: &str| mark.is_some_and(|mark| ApiKey::parse(mark, word).is_some());
        let shown = words
            .iter()
            .map(|word| if is_secret(word) { "…" } else { word });
        let command = shown.collect::<Vec<&str>>().join(" ");
        if changes {
            slog::info!(self.gate.log(), "the operator runs a key command"; "command" => &command);
        }
        let name = format!("operator's page, {}", self.name);
        let run = |console: Arc<KeyConsole>, time| async move {
            console.run(words, Author { name, time }).await
        };
        let response = self.ask(run).await;
        if changes && !response.status().is_success() {
            slog::info!(self.gate.log(), "the key command was refused"; "command" => command);
        }
        response
    }

    /// Runs a call on keys, and responds with its result as JSON.
    pub(super) async fn ask<F>(
        &self,
        call: impl FnOnce(Arc<KeyConsole>, DateTime<Utc>) -> F,
    ) -> Response<PanelBody>
    where
        F: Future<Output = anyhow::Result<Value>> + Send + 'static,
    {
        let Some(console) = self.console.clone() else {
            return answer(
                StatusCode::NOT_FOUND,
                PLAIN,
                "the service has no API keys\n",
            );
        };
        let called = self.runtime.spawn(call(console, self.gate.now().wall));
        let result = called.await.context("the call failed").flatten();
        match result {
            Ok(value) => answer(StatusCode::OK, "application/json", value.to_string()),
            Err(error) => answer(StatusCode::BAD_REQUEST, PLAIN, format!("{error:#}\n")),
        }
    }
}
