//! Examples and defaults are valid by their schemas.

use dropspec_model::{Kind, Node, ObjectType, Place, Value};
use dropspec_schema::{Check, Direction, Fault, check_all, pointer};
use serde_json::Value as Json;

use crate::linting::linter::Linter;
use crate::linting::rules::rule;

/// The examples (and default) of one schema.
struct ExampleSet<'e> {
    /// JSON pointer to the schema.
    schema: String,
    direction: Direction,
    /// Place and value of each example.
    examples: Vec<(Place, &'e Node)>,
}

impl Linter<'_> {
    pub(super) fn check_examples(&mut self) {
        let root = self.spec.document.root();
        let mut sets = Vec::new();
        collect(
            root,
            root,
            "",
            Kind::DOCUMENT,
            Direction::Response,
            &mut sets,
        );
        let document = root.to_json();
        for direction in [Direction::Request, Direction::Response] {
            let sets = sets.iter().filter(|set| set.direction == direction);
            let sets = sets.filter(|set| !set.examples.is_empty());
            self.check_example_sets(&document, &sets.collect::<Vec<_>>(), direction);
        }
    }

    fn check_example_sets(
        &mut self,
        document: &Json,
        sets: &[&ExampleSet<'_>],
        direction: Direction,
    ) {
        let checks = sets.iter().filter_map(|set| {
            let schema = document.pointer(&set.schema)?;
            let values = set.examples.iter().map(|(_, node)| node.to_json());
            let values = values.collect();
            Some((*set, Check { schema, values }))
        });
        let (sets, mut checks): (Vec<_>, Vec<_>) = checks.unzip();
        check_all(document, &mut checks, direction, &mut |number, fault| {
            let examples = &sets[number].examples;
            let what = |at: &Place| {
                if at.pointer.ends_with("/default") {
                    "default"
                } else {
                    "example"
                }
            };
            match fault {
                Fault::Schema(error) => {
                    let at = &examples[0].0;
                    let message = format!("the {} cannot be checked: {error}", what(at));
                    self.report_rule(rule!("example-schema"), at, message);
                }
                Fault::Value {
                    index,
                    inside,
                    message,
                } => {
                    let (at, node) = &examples[index];
                    let what = what(at);
                    let position = node.pointer(&inside).map(|node| node.position);
                    let place = Place {
                        position: position.unwrap_or(at.position),
                        pointer: format!("{}{inside}", at.pointer),
                    };
                    let message = format!("the {what} is not valid: {message}");
                    let help = format!("correct the {what} or its schema");
                    self.report(rule!("example-valid"), &place, message, help);
                }
            }
        });
    }
}

/// Collects the examples and defaults in a value of a document, also those of components that nothing refers to. `direction` is
/// that of the messages around the value.
fn collect<'e>(
    root: &'e Node,
    node: &'e Node,
    at: &str,
    kind: Kind,
    direction: Direction,
    sets: &mut Vec<ExampleSet<'e>>,
) {
    // The target of a `$ref` is reached by itself.
    if matches!(kind, Kind::Any | Kind::Other) || node.get("$ref").is_some() {
        return;
    }
    let direction = match kind {
        Kind::Object(ObjectType::Parameter | ObjectType::RequestBody) => Direction::Request,
        _ => direction,
    };
    let member = |of: &'e Node, at: &str, key: &str| {
        let value = of.get(key)?;
        let pointer = format!("{at}/{key}");
        let position = value.position;
        Some((Place { pointer, position }, value))
    };
    match kind {
        Kind::SCHEMA => sets.extend(["example", "default"].map(|keyword| ExampleSet {
            schema: at.to_owned(),
            direction: Direction::Response,
            examples: member(node, at, keyword).into_iter().collect(),
        })),
        Kind::Object(ObjectType::Parameter | ObjectType::Header | ObjectType::MediaType) => {
            let named = node.get("examples").and_then(Node::as_object);
            let named = named.into_iter().flatten().filter_map(|(name, example)| {
                let reference = example.node.get("$ref").and_then(Node::as_str);
                let (own, example) = match reference.and_then(|it| it.strip_prefix('#')) {
                    Some(target) => (target.to_owned(), root.pointer(target)?),
                    None => (
                        pointer::join(&format!("{at}/examples"), name),
                        &example.node,
                    ),
                };
                // An empty `value` beside `externalValue` is not an example.
                let found = member(example, &own, "value");
                let found = found.or_else(|| member(example, &own, "dataValue"))?;
                let is_given =
                    found.1.value != Value::Null || example.get("externalValue").is_none();
                is_given.then_some(found)
            });
            sets.push(ExampleSet {
                schema: format!("{at}/schema"),
                direction,
                examples: member(node, at, "example")
                    .into_iter()
                    .chain(named)
                    .collect(),
            });
        }
        _ => {}
    }
    for (key, member) in node.as_object().into_iter().flatten() {
        let at = pointer::join(at, key);
        collect(
            root,
            &member.node,
            &at,
            kind.of_member(key),
            direction,
            sets,
        );
    }
    for (index, item) in node.as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}/{index}");
        collect(root, item, &at, kind.of_item(), direction, sets);
    }
}
