//! Checks requests: parameters, credentials and bodies.

use serde_json::Value;
use spec_schema::Direction;

use super::{Checker, Operation, Refusal, refusal};
use crate::proof::Request;
use crate::proof::credentials::credential;
use crate::proof::message::header;
use crate::proof::parameters::Place;

impl Checker {
    /// Why a request is refused; empty if it is valid.
    pub(in crate::proof) fn check_request(&self, request: &Request) -> Vec<Refusal> {
        let (operation, path) = match self.route(request) {
            Ok(found) => found,
            Err(refused) => return vec![refused],
        };
        let mut found = self.check_credentials(operation, request);
        for parameter in self.parameters(operation) {
            let name = parameter.name;
            let query = request.query();
            let cookies = request.cookies();
            let named = |pairs: &[(String, &'_ str)]| -> Vec<String> {
                let own = pairs.iter().filter(|(found, _)| found == name);
                own.map(|(_, text)| (*text).to_owned()).collect()
            };
            let texts: Vec<String> = match parameter.place {
                Place::Path => {
                    let own = path.iter().filter(|(found, _)| found == name);
                    own.map(|(_, text)| text.clone()).collect()
                }
                Place::Query => named(&query),
                Place::Cookie => named(&cookies),
                Place::Header => header(&request.headers, name)
                    .map(str::to_owned)
                    .into_iter()
                    .collect(),
            };
            let place = format!("the {} parameter `{name}`", parameter.place.name());
            if texts.is_empty() {
                if parameter.required {
                    found.push(refusal(place, "it is required"));
                }
                continue;
            }
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let read = |text: &str, schema| self.read_scalar(text, schema, Direction::Request);
            if let Some(value) = parameter.read(&self.document, &texts, read) {
                found.extend(self.check(parameter.schema, &value, Direction::Request, &place));
            }
        }
        found.extend(self.check_request_body(operation, request));
        found
    }

    fn check_credentials(&self, operation: Operation<'_>, request: &Request) -> Vec<Refusal> {
        let is_met = |requirement: &Value| {
            let mut schemes = requirement.as_object().into_iter().flatten();
            // A scheme that no request shows counts as met.
            schemes.all(|(name, _)| {
                credential(self.scheme(name)).is_none_or(|credential| credential.is_in(request))
            })
        };
        match self.security(operation) {
            Some(requirements) if !requirements.iter().any(is_met) => {
                vec![refusal("the credentials", "they are required")]
            }
            _ => Vec::new(),
        }
    }

    fn check_request_body(&self, operation: Operation<'_>, request: &Request) -> Vec<Refusal> {
        let Some(body) = operation.value.get("requestBody") else {
            return Vec::new();
        };
        let body = self.resolve(body);
        match &request.body {
            None if body["required"] == true => vec![refusal("the body", "it is required")],
            None => Vec::new(),
            Some(text) => {
                let headers = &request.headers;
                self.check_body(&body["content"], headers, text, Direction::Request)
            }
        }
    }
}
