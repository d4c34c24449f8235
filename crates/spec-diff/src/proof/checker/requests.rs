//! Checks requests: parameters, credentials and bodies.

use serde_json::Value;
use spec_schema::Direction;
use wire_codec::Location;

use super::{Checker, Operation, Refusal, refusal};
use crate::proof::Request;
use crate::proof::credentials::credential;
use crate::proof::message::header;
use crate::proof::parameters::{Found, Sent};

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
            let sent = match parameter.place {
                Location::Path => {
                    let own = path.iter().find(|(found, _)| found == name);
                    Sent::Text(own.map(|(_, text)| text.as_str()))
                }
                Location::Query => Sent::Pairs(&query),
                Location::Cookie => Sent::Pairs(&cookies),
                Location::Header => Sent::Text(header(&request.headers, name)),
            };
            let place = format!("the {} parameter `{name}`", parameter.place.name());
            let validator = parameter.schema;
            let validator = validator.and_then(|it| self.validator(it, Direction::Request));
            match parameter.read(&self.document, validator, &sent) {
                Found::Nothing if parameter.required => {
                    found.push(refusal(place, "it is required"));
                }
                Found::Nothing | Found::Unclear => {}
                Found::Malformed => {
                    found.push(refusal(place, "it is not written as the document says"));
                }
                Found::Value(value) => {
                    found.extend(self.check(parameter.schema, &value, Direction::Request, &place));
                }
            }
        }
        found.extend(self.check_request_body(operation, request));
        found
    }

    fn check_credentials(&self, operation: Operation<'_>, request: &Request) -> Vec<Refusal> {
        let Some(requirements) = self.security(operation) else {
            return Vec::new();
        };
        let place = "the credentials";
        let mut lacking: Option<Vec<&str>> = None;
        for requirement in requirements {
            let schemes = || requirement.as_object().into_iter().flatten();
            // A scheme that no request shows counts as met.
            let is_shown = schemes().all(|(name, _)| {
                credential(self.scheme(name)).is_none_or(|credential| credential.is_in(request))
            });
            if !is_shown {
                continue;
            }
            let scopes = schemes().flat_map(|(_, scopes)| scopes.as_array().into_iter().flatten());
            let scopes = scopes.filter_map(Value::as_str);
            let missing = scopes.filter(|scope| !request.scopes.iter().any(|own| own == scope));
            let missing: Vec<&str> = missing.collect();
            if missing.is_empty() {
                return Vec::new();
            }
            lacking.get_or_insert(missing);
        }
        vec![match lacking {
            None => refusal(place, "they are required: 401"),
            Some(missing) => {
                let has = match request.scopes.join("`, `") {
                    scopes if scopes.is_empty() => "no scope".to_owned(),
                    scopes => format!("`{scopes}`"),
                };
                let missing = missing.join("`, `");
                refusal(place, format!("they have {has} and lack `{missing}`: 403"))
            }
        }]
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
