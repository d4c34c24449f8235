//! Writes responses.

use serde_json::Value;
use spec_schema::Direction;

use super::Drafter;
use crate::proof::Response;
use crate::proof::checker::Checker;
use crate::proof::message::scalar_text;

impl<'d> Drafter<'d> {
    /// Responses, those of successes first.
    pub(in crate::proof) fn responses(&self) -> Vec<Response> {
        let responses = self.operation.value["responses"].as_object();
        let mut declared: Vec<(u16, &'d Value, &'d str)> = Vec::new();
        for (key, response) in responses.into_iter().flatten() {
            let status = match key.as_str() {
                "default" => Some(500),
                key => key.replace(['X', 'x'], "0").parse().ok(),
            };
            let status = status.filter(|status| (100..600).contains(status));
            declared.extend(
                status.map(|status| (status, self.checker.resolve(response), key.as_str())),
            );
        }
        if declared.is_empty() {
            declared.push((200, &Value::Null, ""));
        }
        declared.sort_by_key(|(status, _, _)| ((*status < 200 || *status >= 300), *status));
        let other = self.other.and_then(|(checker, operation)| {
            Some((checker, operation.value["responses"].as_object()?))
        });
        let mut found = Vec::new();
        for (status, response, key) in declared {
            let other = other.and_then(|(checker, responses)| {
                let same = responses.get(key);
                Some((checker, checker.resolve(same?)))
            });
            self.push_responses(status, response, other, &mut found);
        }
        found
    }

    fn push_responses(
        &self,
        status: u16,
        response: &'d Value,
        other: Option<(&'d Checker, &'d Value)>,
        found: &mut Vec<Response>,
    ) {
        let mut required = Vec::new();
        let mut variants = Vec::new();
        for (name, header) in response["headers"].as_object().into_iter().flatten() {
            let header = self.checker.resolve(header);
            let schema = header.get("schema");
            let other = other.and_then(|(checker, response)| {
                let same = response["headers"].get(name);
                Some((checker, checker.resolve(same?).get("schema")?))
            });
            let values = schema.map(|schema| self.values(schema, other, Direction::Response));
            let values = values.unwrap_or_default().into_iter();
            let mut texts = values.filter_map(|value| scalar_text(&value));
            if header["required"] == true {
                required.push((name.clone(), texts.next().unwrap_or_default()));
            }
            variants.extend(texts.map(|text| (name.clone(), text)));
        }
        let other = other.map(|(checker, response)| (checker, response.get("content")));
        let content = &response["content"];
        let bodies = self.bodies(content, other, Direction::Response);
        let mut bodies: Vec<_> = bodies.into_iter().map(Some).collect();
        if bodies.is_empty() {
            bodies.push(None);
        }
        let write = |headers: Vec<(String, String)>, body: Option<(String, String)>| {
            let mut headers = headers;
            let body = body.map(|(media_type, text)| {
                headers.push(("Content-Type".to_owned(), media_type));
                text
            });
            Response {
                status,
                headers,
                body,
            }
        };
        let first = bodies[0].clone();
        found.extend(bodies.into_iter().map(|body| write(required.clone(), body)));
        for (name, text) in variants {
            let others = required.iter().filter(|(other, _)| *other != name);
            let mut headers: Vec<_> = others.cloned().collect();
            headers.push((name, text));
            found.push(write(headers, first.clone()));
        }
    }
}
