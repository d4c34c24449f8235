//! Checks requests: parameters, credentials and bodies.

use std::rc::Rc;

use dropspec_schema::Direction;
use dropspec_schema::wire::{
    Check, Encoding, Location, ParameterDecoder, ParameterList, Shape, UnknownNames, schema_of,
};
use serde_json::Value;

use super::{Operation, Refusal, refusal};
use crate::checker::{Checker, SchemaValidator};
use crate::proof::Request;
use crate::proof::message::{credential, header};
use crate::proof::parameters::Parameter;

/// Chooses among several readings of a text. What is invalid is read as well, and judged later.
pub(super) struct Preference(pub(super) Option<Rc<SchemaValidator>>);

impl Check for Preference {
    fn is_valid(&self, value: &Value) -> bool {
        let validator = self.0.as_ref();
        validator.is_none_or(|it| it.is_valid(value) != Some(false))
    }

    fn describe_problem(&self, _: &Value) -> Option<String> {
        None
    }

    fn describe_expectation(&self, _: &Value) -> Option<String> {
        None
    }
}

impl Checker {
    /// Why a request is refused; empty if it is valid.
    pub(in crate::proof) fn check_request(&self, request: &Request) -> Vec<Refusal> {
        let (operation, path) = match self.route(request) {
            Ok(found) => found,
            Err(refused) => return vec![refused],
        };
        let mut found = self.check_credentials(operation, request);
        for parameter in self.list_parameters(operation) {
            found.extend(self.check_parameter(&parameter, request, &path));
        }
        found.extend(self.check_request_body(operation, request));
        found
    }

    /// Checks a parameter, given the texts of all parameters in the path.
    fn check_parameter(
        &self,
        parameter: &Parameter<'_>,
        request: &Request,
        path: &[(String, String)],
    ) -> Vec<Refusal> {
        let (schema, definition) = (parameter.schema, parameter.definition);
        let (name, place) = (parameter.written.name, parameter.written.location);
        let validator = schema.and_then(|it| self.validator(it, Direction::Request));
        let preference = Preference(validator);
        let decoder = ParameterDecoder::new(self.document(), name, place, definition, preference);
        let decoder = decoder.or_text();
        let text = match place {
            Location::Path => {
                let own = path.iter().find(|(found, _)| found == name);
                own.map(|(_, text)| text.as_str())
            }
            Location::Header => header(&request.headers, name),
            Location::Query if decoder.is_whole_query => {
                request.target.split_once('?').map(|(_, query)| query)
            }
            Location::Query | Location::Cookie => None,
        };
        // Other names may be those of other parameters.
        let mut pairs = request.pairs(place);
        pairs.retain(|(name, _)| decoder.owns(name));
        let subject = format!("the {} parameter `{name}`", place.name());
        let shape = Shape::of_schema(self.document(), schema_of(definition));
        let read = match text {
            None if pairs.is_empty() => Ok(None),
            // It may be read in several ways.
            _ if matches!(parameter.written.encoding, Encoding::Style { .. })
                && shape.is_ambiguous() =>
            {
                return Vec::new();
            }
            Some(text) => decoder.parse_texts(vec![text]),
            None => {
                let mut list = ParameterList::default();
                list.push(decoder);
                let read = list.parse_pairs(&pairs, UnknownNames::Ignore);
                let read = read.map_err(|(_, message)| message);
                read.map(|values| values.into_iter().next().map(|(_, value)| value))
            }
        };
        match read {
            Ok(Some(value)) => self.check(schema, &value, Direction::Request, &subject),
            Ok(None) if parameter.written.required => vec![refusal(subject, "it is required")],
            Ok(None) => Vec::new(),
            Err(_) => vec![refusal(subject, "it is not written as the document says")],
        }
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
                credential(self.scheme(name)).is_none_or(|credential| request.shows(credential))
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
