//! What every answer needs: a body with a schema and an example, and the headers that the gate supplies.

use super::Lint;
use crate::content::Response;
use crate::operation::Operation;

/// Headers of every answer, where the document has limits.
const ON_EVERY_ANSWER: [&str; 4] = [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "X-Request-Id",
];
/// Headers that belong to a status.
const BY_STATUS: [(&str, &str); 4] = [
    ("401", "WWW-Authenticate"),
    ("405", "Allow"),
    ("429", "Retry-After"),
    ("503", "Retry-After"),
];
/// What the gate can answer in place of any operation, where the document has limits.
const BY_GATE: [&str; 4] = ["401", "429", "500", "503"];
/// Statuses that have no body.
const WITHOUT_BODY: [&str; 3] = ["204", "205", "304"];

impl Lint<'_> {
    pub(super) fn responses(&mut self) {
        for operation in &self.spec.operations {
            let success = operation
                .responses
                .keys()
                .any(|status| status.starts_with('2'));
            if !success {
                let message = "the operation answers no success";
                self.find(&operation.at, message, "add a status such as `200`");
            }
            self.gate_statuses(operation);
            for (status, response) in &operation.responses {
                self.response_body(status, response);
                self.response_headers(operation, status, response);
            }
        }
    }

    fn gate_statuses(&mut self, operation: &Operation) {
        if !self.spec.extensions.contains_key("x-rate-limits") {
            return;
        }
        let security = operation.security.as_ref().unwrap_or(&self.spec.security);
        let anyone = security.is_empty() || security.iter().any(|way| way.schemes.is_empty());
        for status in BY_GATE
            .iter()
            .filter(|status| !(anyone && **status == "401"))
        {
            if !operation.responses.contains_key(*status) {
                let message = format!("the operation does not declare {status}");
                self.find(
                    &operation.at,
                    message,
                    "the gate can answer it: refer to a response of `components/responses`",
                );
            }
        }
    }

    fn response_body(&mut self, status: &str, response: &Response) {
        let wants_body = !WITHOUT_BODY.contains(&status);
        if wants_body && response.content.is_empty() {
            let message = format!("the answer {status} has no body");
            self.find(
                &response.at,
                message,
                "describe its `content`, or answer 204",
            );
        }
        if !wants_body && !response.content.is_empty() {
            let message = format!("the answer {status} cannot have a body");
            self.find(&response.at, message, "remove its `content` (RFC 9110)");
        }
        for (name, media_type) in &response.content {
            if media_type.schema.is_none() {
                let message = format!("the answer {status} `{name}` has no `schema`");
                self.find(&media_type.at, message, "describe what is sent");
            }
            if media_type.example.is_none() && media_type.examples.is_empty() {
                let message = format!("the answer {status} `{name}` has no example");
                self.find(
                    &media_type.at,
                    message,
                    "add an `example` as it could be sent",
                );
            }
        }
    }

    fn response_headers(&mut self, operation: &Operation, status: &str, response: &Response) {
        if !self.spec.extensions.contains_key("x-rate-limits") {
            return;
        }
        let by_status = BY_STATUS.iter().filter(|(other, _)| *other == status);
        let by_status = by_status.map(|(_, header)| *header);
        let deprecated: &[&str] = match operation.deprecated && status.starts_with('2') {
            true => &["Deprecation", "Sunset"],
            false => &[],
        };
        let successor = !deprecated.is_empty() && operation.extensions.contains_key("x-successor");
        let due = ON_EVERY_ANSWER
            .into_iter()
            .chain(by_status)
            .chain(deprecated.iter().copied())
            .chain(successor.then_some("Link"));
        for header in due {
            let declared = |name: &&String| name.eq_ignore_ascii_case(header);
            if !response.headers.keys().any(|name| declared(&name)) {
                let message = format!("the answer {status} does not declare `{header}`");
                self.find(
                    &response.at,
                    message,
                    "refer to the header in `components/headers`",
                );
            }
        }
        for (name, header) in &response.headers {
            if header.schema.is_none() && header.content.is_empty() {
                let message = format!("the header `{name}` has no `schema`");
                self.find(&header.at, message, "describe its value");
            }
        }
    }
}
