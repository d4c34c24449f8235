//! Examples and defaults are valid by their schemas.

use std::collections::HashMap;

use indexmap::IndexMap;

use super::Lint;
use crate::content::{Example, Header, MediaType, Response};
use crate::document::{Node, Position, Value, escape_token};
use crate::json_schema::{Direction, json_schema};
use crate::parameter::Parameter;
use crate::reader::Place;
use crate::schema::SchemaRef;
use crate::spec::Spec;

type Validators = HashMap<(String, Direction), Option<jsonschema::Validator>>;

impl Lint<'_> {
    pub(super) fn examples(&mut self) {
        let spec = self.spec;
        let mut validators = Validators::new();
        for parameter in parameters(spec) {
            let values = values(
                &parameter.at,
                parameter.example.as_ref(),
                &parameter.examples,
            );
            if parameter.schema.is_some() {
                let schema = format!("{}/schema", parameter.at.pointer);
                self.validate(&mut validators, &schema, Direction::Request, &values);
            }
        }
        for (media_type, direction) in media_types(spec) {
            self.media_type(&mut validators, media_type, direction);
        }
        for header in headers(spec) {
            let values = values(&header.at, header.example.as_ref(), &header.examples);
            if header.schema.is_some() {
                let schema = format!("{}/schema", header.at.pointer);
                self.validate(&mut validators, &schema, Direction::Response, &values);
            }
        }
        self.schema_values(&mut validators);
    }

    fn media_type(
        &mut self,
        validators: &mut Validators,
        media_type: &MediaType,
        direction: Direction,
    ) {
        if media_type.schema.is_some() {
            let values = values(
                &media_type.at,
                media_type.example.as_ref(),
                &media_type.examples,
            );
            let schema = format!("{}/schema", media_type.at.pointer);
            self.validate(validators, &schema, direction, &values);
        }
    }

    /// `example` and `default` of schemas, wherever they stand.
    fn schema_values(&mut self, validators: &mut Validators) {
        let spec = self.spec;
        let mut waiting: Vec<&SchemaRef> = spec.schemas.values().collect();
        waiting.extend(parameters(spec).filter_map(|parameter| parameter.schema.as_ref()));
        waiting.extend(headers(spec).filter_map(|header| header.schema.as_ref()));
        let media_types = media_types(spec).into_iter();
        waiting.extend(media_types.filter_map(|(media_type, _)| media_type.schema.as_ref()));
        while let Some(schema) = waiting.pop() {
            // What a `$ref` leads to is met where it stands.
            let SchemaRef::Inline(schema) = schema else {
                continue;
            };
            for (keyword, value) in [("example", &schema.example), ("default", &schema.default)] {
                let pointer = format!("{}/{keyword}", schema.at.pointer);
                if let Some(node) = value {
                    let position = node.position;
                    let values = [(Place { pointer, position }, node)];
                    self.validate(validators, &schema.at.pointer, Direction::Response, &values);
                }
            }
            waiting.extend(schema.properties.values());
            waiting.extend(schema.items.iter().chain(&schema.not));
            waiting.extend(
                schema
                    .all_of
                    .iter()
                    .chain(&schema.any_of)
                    .chain(&schema.one_of),
            );
            if let Some(crate::schema::AdditionalProperties::Schema(additional)) =
                &schema.additional_properties
            {
                waiting.push(additional);
            }
        }
    }

    fn validate(
        &mut self,
        validators: &mut Validators,
        schema: &str,
        direction: Direction,
        values: &[(Place, &Node)],
    ) {
        if values.is_empty() {
            return;
        }
        let document = &self.spec.document;
        let validator = validators
            .entry((schema.to_owned(), direction))
            .or_insert_with(|| {
                let schema = json_schema(document, schema, direction)?;
                let options = jsonschema::draft4::options();
                options.should_validate_formats(false).build(&schema).ok()
            });
        let Some(validator) = validator else {
            let at = &values[0].0;
            let message = "the schema of this example cannot be checked";
            self.find(
                at,
                message,
                "its `pattern` is probably not a regular expression",
            );
            return;
        };
        let mut mistakes = Vec::new();
        for (at, node) in values {
            let value = node.to_json();
            for error in validator.iter_errors(&value) {
                let inside = error.instance_path().to_string();
                let place = Place {
                    position: node
                        .pointer(&inside)
                        .map_or(at.position, |node| node.position),
                    pointer: format!("{}{inside}", at.pointer),
                };
                mistakes.push((place, format!("the example is not valid: {error}")));
            }
        }
        for (at, message) in mistakes {
            self.find(
                &at,
                message,
                "mend the example, or the schema that it shows to be wrong",
            );
        }
    }
}

/// All parameters, also those that no operation refers to.
fn parameters(spec: &Spec) -> impl Iterator<Item = &Parameter> {
    let used = spec
        .operations
        .iter()
        .flat_map(|operation| &operation.parameters);
    used.chain(spec.components.parameters.values())
}

fn responses(spec: &Spec) -> impl Iterator<Item = &Response> {
    let used = spec.operations.iter();
    let used = used.flat_map(|operation| operation.responses.values());
    used.chain(spec.components.responses.values())
}

fn headers(spec: &Spec) -> impl Iterator<Item = &Header> {
    let used = responses(spec).flat_map(|response| response.headers.values());
    used.chain(spec.components.headers.values())
}

/// All media types, and which way their values travel.
fn media_types(spec: &Spec) -> Vec<(&MediaType, Direction)> {
    let used = spec.operations.iter();
    let bodies = used.filter_map(|operation| operation.request_body.as_ref());
    let bodies = bodies.chain(spec.components.request_bodies.values());
    let sent = bodies.flat_map(|body| body.content.values());
    let sent = sent.chain(parameters(spec).flat_map(|parameter| parameter.content.values()));
    let received = responses(spec).flat_map(|response| response.content.values());
    let received = received.chain(headers(spec).flat_map(|header| header.content.values()));
    let sent = sent.map(|media_type| (media_type, Direction::Request));
    sent.chain(received.map(|media_type| (media_type, Direction::Response)))
        .collect()
}

/// All examples of an element, with where each stands.
fn values<'e>(
    at: &Place,
    example: Option<&'e Node>,
    examples: &'e IndexMap<String, Example>,
) -> Vec<(Place, &'e Node)> {
    let place = |pointer: String, position: Position| Place { pointer, position };
    let own = example.map(|node| {
        (
            place(format!("{}/example", at.pointer), node.position),
            node,
        )
    });
    let named = examples.values().filter_map(|example| {
        let node = example.value.as_ref()?;
        // An empty value stands for none.
        let given = !matches!(node.value, Value::Null) || example.external_value.is_none();
        let pointer = format!("{}/{}", example.at.pointer, escape_token("value"));
        given.then(|| (place(pointer, node.position), node))
    });
    own.into_iter().chain(named).collect()
}
