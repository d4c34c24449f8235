//! Checks responses: statuses, headers and bodies.

use dropspec_schema::{BodyKind, Direction};
use serde_json::Value;

use super::{Refusal, RefusalKind, refusal};
use crate::checker::Checker;
use crate::document::has_body;
use crate::proof::message::header;
use crate::proof::{Request, Response};

impl Checker {
    /// Why clients do not understand a response to a request; empty if they do.
    pub(in crate::proof) fn check_response(
        &self,
        request: &Request,
        response: &Response,
    ) -> Vec<Refusal> {
        let Ok((operation, _)) = self.route(request) else {
            return Vec::new();
        };
        let responses = operation.value["responses"].as_object();
        if responses.is_none_or(|it| it.is_empty()) {
            return Vec::new();
        }
        let status = response.status.to_string();
        let declared = find_response(operation.value, response.status);
        let Some(declared) = declared.map(|it| self.resolve(it)) else {
            let refused = refusal("the status", format!("{status} is not declared"));
            return vec![refused.of_kind(RefusalKind::Status)];
        };
        let mut found = Vec::new();
        let headers = declared["headers"].as_object();
        for (name, declared) in headers.into_iter().flatten() {
            let declared = self.resolve(declared);
            let place = format!("the header `{name}`");
            match header(&response.headers, name) {
                None if declared["required"] == true => {
                    found.push(refusal(place, "it is always present"));
                }
                None => {}
                Some(text) => {
                    let schema = declared.get("schema");
                    let value = self.read_scalar(text, schema, Direction::Response);
                    found.extend(self.check(schema, &value, Direction::Response, &place));
                }
            }
        }
        if !has_body(&request.method, &status) {
            return found;
        }
        let content = &declared["content"];
        match &response.body {
            Some(text) => {
                let headers = &response.headers;
                found.extend(self.check_body(content, headers, text, Direction::Response));
            }
            None if has_json(content) => {
                found.push(refusal("the body", "it is always present"));
            }
            None => {}
        }
        found
    }
}

/// The response of an operation for a status: its own, that of its range, or `default`.
pub(in crate::proof) fn find_response(operation: &Value, status: u16) -> Option<&Value> {
    let status = status.to_string();
    let range = format!("{}XX", &status[..1]);
    let keys = [&status, &range, &range.to_lowercase(), "default"];
    keys.into_iter()
        .find_map(|key| operation["responses"].get(key))
}

/// Whether a body is declared that is printed in every case.
fn has_json(content: &Value) -> bool {
    let mut ranges = content.as_object().into_iter().flat_map(|it| it.keys());
    ranges.any(|range| BodyKind::of(range) == BodyKind::Json)
}
