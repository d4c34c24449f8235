//! Values for a call of an operation: those of the document's examples, or else samples of its schemas.

use serde_json::Value;
use spec_schema::{BodyKind, Direction, compile, pointer, resolve};

/// The longest sample of a body that is taken before a shorter one, in characters.
const LONGEST: usize = 300;

/// The values of one operation.
pub(super) struct SampleValues<'d> {
    document: &'d Value,
    /// The path item, and the operation.
    owners: [Option<&'d Value>; 2],
}

impl<'d> SampleValues<'d> {
    pub(super) fn new(document: &'d Value, method: &str, path: &str) -> SampleValues<'d> {
        let item = document.pointer(&pointer::join("/paths", path));
        let operation = item.and_then(|item| item.get(method.to_ascii_lowercase()));
        SampleValues {
            document,
            owners: [operation, item],
        }
    }

    /// A value of a parameter; `usual` if nothing speaks against it.
    pub(super) fn parameter(&self, location: &str, name: &str, usual: Value) -> Option<Value> {
        let lists = self.owners.iter().flatten();
        let lists = lists.filter_map(|owner| owner.get("parameters")?.as_array());
        let mut parameters = lists.flatten().filter_map(|it| resolve(self.document, it));
        let is_wanted = |of: &&Value| of["in"] == location && of["name"].as_str() == Some(name);
        let parameter = parameters.find(is_wanted)?;
        self.choose(parameter, Some(usual), Direction::Request)
    }

    /// A value of a JSON body.
    pub(super) fn body(&self) -> Option<Value> {
        let body = self.owners[0]?.get("requestBody")?;
        self.choose_json(body, Direction::Request)
    }

    /// A value of the JSON body of the first success.
    pub(super) fn result(&self) -> Option<Value> {
        let mut responses = self.owners[0]?.get("responses")?.as_object()?.iter();
        let success = responses.find(|(status, _)| status.starts_with('2'))?;
        self.choose_json(success.1, Direction::Response)
    }

    /// A value of a request body or a response.
    fn choose_json(&self, described: &Value, direction: Direction) -> Option<Value> {
        let described = resolve(self.document, described)?;
        let mut content = described.get("content")?.as_object()?.iter();
        let json = content.find(|(media_type, _)| BodyKind::of(media_type) == BodyKind::Json)?;
        self.choose(json.1, None, direction)
    }

    /// A valid value for what has a schema: an example, the usual value, or a sample.
    fn choose(
        &self,
        described: &Value,
        usual: Option<Value>,
        direction: Direction,
    ) -> Option<Value> {
        let schema = described.get("schema")?;
        let validator = compile(self.document, schema, direction).ok()?;
        let named = described.get("examples").and_then(Value::as_object);
        let named = named.into_iter().flat_map(|named| named.values());
        let named = named.filter_map(|it| resolve(self.document, it)?.get("value"));
        let of_schema = resolve(self.document, schema);
        let of_schema = of_schema.and_then(|schema| schema.get("example"));
        let examples = described.get("example").into_iter().chain(named);
        let mut candidates = examples.chain(of_schema).cloned().chain(usual);
        candidates
            .find(|value| validator.is_valid(value))
            .or_else(|| {
                let samples = spec_samples::samples(self.document, schema, direction);
                let samples = samples.ok()?.valid;
                let length = |value: &&Value| value.to_string().len();
                let first = samples.first().filter(|first| length(first) <= LONGEST);
                first.or_else(|| samples.iter().min_by_key(length)).cloned()
            })
    }
}

/// A text as a raw string of Rust.
pub(super) fn raw_string(text: &str) -> String {
    let mut hashes = "#".to_owned();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_examples_or_usual_ones_or_samples() {
        let parameter = |name: &str, rest: Value| {
            let mut parameter = json!({ "name": name, "in": "query" });
            for (key, value) in rest.as_object().into_iter().flatten() {
                parameter[key] = value.clone();
            }
            parameter
        };
        let text = json!({ "type": "string" });
        let document = json!({
            "paths": { "/books/{id}": {
                "parameters": [{ "$ref": "#/components/parameters/shared" }],
                "put": {
                    "parameters": [
                        parameter("example", json!({ "schema": text, "example": "Emma" })),
                        parameter("named", json!({ "schema": text, "examples": { "a": { "value": "b" } } })),
                        parameter("wrong", json!({ "schema": text, "example": 7 })),
                        parameter("kind", json!({ "schema": { "type": "string", "enum": ["novel"] } })),
                    ],
                    "requestBody": { "content": { "text/plain": {}, "application/json": { "schema": {
                        "type": "object", "required": ["title"], "properties": { "title": text }
                    } } } },
                    "responses": { "default": {}, "201": { "content": { "application/json": {
                        "schema": { "type": "integer" }, "example": 7
                    } } } }
                }
            } },
            "components": { "parameters": {
                "shared": parameter("shared", json!({ "schema": { "type": "integer", "minimum": 5 } }))
            } }
        });
        let values = SampleValues::new(&document, "PUT", "/books/{id}");
        for (name, usual, expected) in [
            ("example", json!("usual"), json!("Emma")),
            ("named", json!("usual"), json!("b")),
            ("wrong", json!("usual"), json!("usual")),
            ("kind", json!("usual"), json!("novel")),
            ("shared", json!(1), json!(5)),
        ] {
            assert_eq!(
                values.parameter("query", name, usual),
                Some(expected),
                "{name}"
            );
        }
        assert_eq!(values.parameter("header", "kind", json!("a")), None);
        assert_eq!(values.body(), Some(json!({ "title": "text" })));
        assert_eq!(values.result(), Some(json!(7)));
        assert_eq!(
            SampleValues::new(&document, "GET", "/books/{id}").body(),
            None
        );
    }
}
