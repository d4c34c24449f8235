//! Examples and defaults are valid by their schemas.

use std::collections::HashMap;

use indexmap::IndexMap;
use spec_model::{
    AdditionalProperties, Example, Header, MediaType, Node, Parameter, Place, Response, SchemaRef,
    Spec, Value,
};
use spec_schema::{Direction, SchemaError, Validator};

use crate::linter::Linter;
use crate::rules::rule;

/// The examples (and default) of one schema, to be validated together.
struct ExampleSet<'e> {
    /// JSON pointer to the schema.
    schema: String,
    direction: Direction,
    /// Place and value of each example.
    examples: Vec<(Place, &'e Node)>,
}

impl<'e> ExampleSet<'e> {
    /// Collects the examples of the parameter, header or media type at `at`.
    fn new(
        at: &Place,
        direction: Direction,
        example: Option<&'e Node>,
        examples: &'e IndexMap<String, Example>,
    ) -> ExampleSet<'e> {
        let single = example.map(|node| (member_place(at, "example", node), node));
        let named = examples.values().filter_map(|example| {
            let node = example.value.as_ref()?;
            // An empty `value` beside `externalValue` is not an example.
            let is_given = node.value != Value::Null || example.external_value.is_none();
            is_given.then(|| (member_place(&example.at, "value", node), node))
        });
        ExampleSet {
            schema: format!("{}/schema", at.pointer),
            direction,
            examples: single.into_iter().chain(named).collect(),
        }
    }
}

/// The place of the member `key`, whose value is `node`, of the object at `at`.
fn member_place(at: &Place, key: &str, node: &Node) -> Place {
    Place {
        pointer: format!("{}/{key}", at.pointer),
        position: node.position,
    }
}

impl Linter<'_> {
    pub(super) fn check_examples(&mut self) {
        let document = self.spec.document.root().to_json();
        let mut validators = HashMap::new();
        for set in collect_example_sets(self.spec) {
            let Some(schema) = document
                .pointer(&set.schema)
                .filter(|_| !set.examples.is_empty())
            else {
                continue;
            };
            let key = (set.schema.clone(), set.direction);
            let validator = validators
                .entry(key)
                .or_insert_with(|| spec_schema::compile(&document, schema, set.direction));
            self.check_example_set(validator, &set);
        }
    }

    fn check_example_set(
        &mut self,
        validator: &Result<Validator, SchemaError>,
        set: &ExampleSet<'_>,
    ) {
        for (at, node) in &set.examples {
            let what = if at.pointer.ends_with("/default") {
                "default"
            } else {
                "example"
            };
            let validator = match validator {
                Ok(validator) => validator,
                Err(error) => {
                    let message = format!("the {what} cannot be checked: {error}");
                    return self.report(rule!("example-schema"), at, message, "correct its schema");
                }
            };
            for error in validator.iter_errors(&node.to_json()) {
                let inside = error.instance_path().to_string();
                let place = Place {
                    position: node
                        .pointer(&inside)
                        .map_or(at.position, |node| node.position),
                    pointer: format!("{}{inside}", at.pointer),
                };
                let message = format!("the {what} is not valid: {error}");
                let help = format!("correct the {what} or its schema");
                self.report(rule!("example-valid"), &place, message, help);
            }
        }
    }
}

/// Collects all examples and defaults of the document, also those of components that nothing refers to.
fn collect_example_sets<'e>(spec: &'e Spec) -> Vec<ExampleSet<'e>> {
    let mut sets = Vec::new();
    let mut schemas: Vec<&SchemaRef> = spec.schemas.values().collect();
    let mut add_set = |at, direction, example: &'e Option<Node>, examples| {
        sets.push(ExampleSet::new(at, direction, example.as_ref(), examples));
    };
    for parameter in all_parameters(spec) {
        let Parameter { at, example, .. } = parameter;
        add_set(at, Direction::Request, example, &parameter.examples);
        schemas.extend(&parameter.schema);
    }
    for header in all_headers(spec) {
        let Header { at, example, .. } = header;
        add_set(at, Direction::Response, example, &header.examples);
        schemas.extend(&header.schema);
    }
    for (media_type, direction) in all_media_types(spec) {
        let MediaType { at, example, .. } = media_type;
        add_set(at, direction, example, &media_type.examples);
        schemas.extend(&media_type.schema);
    }
    while let Some(schema) = schemas.pop() {
        // The target of a `$ref` is reached by itself.
        let SchemaRef::Inline(schema) = schema else {
            continue;
        };
        for (keyword, value) in [("example", &schema.example), ("default", &schema.default)] {
            sets.extend(value.iter().map(|node| ExampleSet {
                schema: schema.at.pointer.clone(),
                direction: Direction::Response,
                examples: vec![(member_place(&schema.at, keyword, node), node)],
            }));
        }
        schemas.extend(schema.properties.values());
        schemas.extend(schema.items.iter().chain(&schema.not));
        schemas.extend(
            [&schema.all_of, &schema.any_of, &schema.one_of]
                .into_iter()
                .flatten(),
        );
        if let Some(AdditionalProperties::Schema(additional)) = &schema.additional_properties {
            schemas.push(additional);
        }
    }
    sets
}

fn all_parameters(spec: &Spec) -> impl Iterator<Item = &Parameter> {
    let operations = spec.operations.iter();
    let used = operations.flat_map(|operation| &operation.parameters);
    used.chain(spec.components.parameters.values())
}

fn all_responses(spec: &Spec) -> impl Iterator<Item = &Response> {
    let operations = spec.operations.iter();
    let used = operations.flat_map(|operation| operation.responses.values());
    used.chain(spec.components.responses.values())
}

fn all_headers(spec: &Spec) -> impl Iterator<Item = &Header> {
    let used = all_responses(spec).flat_map(|response| response.headers.values());
    used.chain(spec.components.headers.values())
}

/// All media types of the document, each with the direction of the messages that it describes.
fn all_media_types(spec: &Spec) -> Vec<(&MediaType, Direction)> {
    let operations = spec.operations.iter();
    let bodies = operations.filter_map(|operation| operation.request_body.as_ref());
    let bodies = bodies.chain(spec.components.request_bodies.values());
    let requests = bodies
        .flat_map(|body| body.content.values())
        .chain(all_parameters(spec).flat_map(|parameter| parameter.content.values()));
    let received = all_responses(spec)
        .flat_map(|response| response.content.values())
        .chain(all_headers(spec).flat_map(|header| header.content.values()));
    let requests = requests.map(|media_type| (media_type, Direction::Request));
    requests
        .chain(received.map(|media_type| (media_type, Direction::Response)))
        .collect()
}
