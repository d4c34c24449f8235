//! Fills an error schema of a document with an error of the gate. Each part is chosen by its name, and kept only if it is
//! valid for every error.

use serde_json::Value;
use spec_schema::{Direction, compile, resolve};

use super::body::{Body, SAMPLES};
use super::names::{self, Role};

/// The deepest nesting of objects and arrays that is looked for a text.
const MAX_DEPTH: usize = 4;

/// How telling a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Quality {
    /// A text alone.
    Text,
    /// An object with a title.
    Title,
    /// An object with a text for people.
    Message,
}

/// A body for a schema.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filled {
    pub(super) body: Body,
    pub(super) quality: Quality,
}

/// A property: its name, its schema, and whether it is required.
struct Property<'d> {
    name: &'d str,
    schema: &'d Value,
    required: bool,
}

/// Fills schemas of one document.
pub(super) struct Filling<'d> {
    pub(super) document: &'d Value,
}

impl<'d> Filling<'d> {
    /// Fills a schema; `None` if it has no place for a text, or if nothing valid was found.
    pub(super) fn fill(&self, schema: &'d Value) -> Option<Filled> {
        self.fill_nested(schema, 0)
    }

    fn fill_nested(&self, schema: &'d Value, depth: usize) -> Option<Filled> {
        if depth > MAX_DEPTH {
            return None;
        }
        let resolved = resolve(self.document, schema)?;
        let candidates = self.combinations(resolved).into_iter();
        let mut candidates = candidates.filter_map(|parts| self.fill_parts(&parts, depth));
        candidates.find(|filled| self.is_valid(schema, &filled.body))
    }

    /// The schemas that apply together: the schema alone, or with one member of its `oneOf` or `anyOf`.
    fn combinations(&self, schema: &'d Value) -> Vec<Vec<&'d Value>> {
        let mut own = Vec::new();
        self.collect_parts(schema, 0, &mut own);
        let members = ["oneOf", "anyOf"].into_iter().flat_map(|keyword| {
            let members = own
                .iter()
                .filter_map(move |part| part.get(keyword)?.as_array());
            members.flatten()
        });
        let members: Vec<&Value> = members.collect();
        let mut combinations: Vec<Vec<&Value>> = Vec::new();
        for member in members {
            let mut parts = own.clone();
            self.collect_parts(member, 0, &mut parts);
            combinations.push(parts);
        }
        combinations.push(own);
        combinations
    }

    /// Adds a schema and the parts of its `allOf`.
    fn collect_parts(&self, schema: &'d Value, depth: usize, parts: &mut Vec<&'d Value>) {
        let Some(schema) = resolve(self.document, schema).filter(|_| depth <= MAX_DEPTH) else {
            return;
        };
        parts.push(schema);
        let members = schema.get("allOf").and_then(Value::as_array);
        for member in members.into_iter().flatten() {
            self.collect_parts(member, depth + 1, parts);
        }
    }

    fn fill_parts(&self, parts: &[&'d Value], depth: usize) -> Option<Filled> {
        let properties = collect_properties(parts);
        if !properties.is_empty() {
            return self.fill_object(&properties, depth);
        }
        let keyword = |name: &str| parts.iter().find_map(|part| part.get(name));
        let text = |body| Filled {
            body,
            quality: Quality::Text,
        };
        match keyword("type").and_then(Value::as_str) {
            Some("string") => Some(text(Body::Message)),
            Some("array") => {
                let items = self.fill_nested(keyword("items")?, depth + 1)?;
                Some(Filled {
                    body: Body::List(Box::new(items.body)),
                    ..items
                })
            }
            Some("object") => {
                let values = keyword("additionalProperties").filter(|values| values.is_object())?;
                let value = self.fill_nested(values, depth + 1)?;
                Some(text(Body::UnderCode(Box::new(value.body))))
            }
            _ => None,
        }
    }

    fn fill_object(&self, properties: &[Property<'d>], depth: usize) -> Option<Filled> {
        let best = |rank: fn(&str) -> Option<usize>, role: Role, but: Option<&str>| {
            let named = properties
                .iter()
                .filter(|property| Some(property.name) != but);
            let named = named.filter_map(|property| Some((rank(property.name)?, property)));
            let fitting = named.filter(|(_, property)| self.choose(property, role).is_some());
            fitting
                .min_by_key(|(rank, _)| *rank)
                .map(|(_, property)| property.name)
        };
        let message = best(names::message_rank, Role::Message, None);
        let code = best(names::code_rank, Role::Code, message);
        // Without a text of its own the object has one further down.
        let nested = match message.filter(|name| *name != "title") {
            Some(_) => None,
            None => properties.iter().find_map(|property| {
                let filled = self.fill_nested(property.schema, depth + 1)?;
                let is_told = filled.quality > Quality::Text || names::holds_errors(property.name);
                is_told.then_some((property.name, filled))
            }),
        };
        let quality = match (&nested, message) {
            (Some((_, nested)), _) => nested.quality.max(Quality::Title),
            (None, Some("title")) => Quality::Title,
            (None, Some(_)) => Quality::Message,
            (None, None) => return None,
        };
        let mut members = Vec::new();
        for property in properties {
            let name = property.name;
            let chosen = match &nested {
                Some((nested, filled)) if *nested == name => Some(filled.body.clone()),
                Some(_) if message == Some(name) => self.choose(property, Role::Title),
                _ if message == Some(name) => self.choose(property, Role::Message),
                _ if code == Some(name) => self.choose(property, Role::Code),
                _ => names::other_role(name).and_then(|role| self.choose(property, role)),
            };
            let chosen = if property.required {
                Some(chosen.or_else(|| self.placeholder(property, depth))?)
            } else {
                chosen
            };
            members.extend(chosen.map(|body| (name.to_owned(), body)));
        }
        Some(Filled {
            body: Body::Object(members),
            quality,
        })
    }

    /// What a property holds in this role, if its schema allows it.
    fn choose(&self, property: &Property<'d>, role: Role) -> Option<Body> {
        let schema = resolve(self.document, property.schema)?;
        let candidates = names::candidates(property.name, role, schema).into_iter();
        let mut candidates = candidates.filter(|body| self.is_valid(property.schema, body));
        candidates.next()
    }

    /// A value for a required property that an error of the gate has nothing for.
    fn placeholder(&self, property: &Property<'d>, depth: usize) -> Option<Body> {
        let role = names::code_rank(property.name).map(|_| Role::Code);
        let second_code = role.and_then(|role| self.choose(property, role));
        let nested = || Some(self.fill_nested(property.schema, depth + 1)?.body);
        let schema = resolve(self.document, property.schema)?;
        let declared = ["default", "example"]
            .into_iter()
            .filter_map(|key| schema.get(key));
        let empty = [Value::Null, "".into(), 0.into(), false.into()];
        let simple = declared.cloned().chain(empty).map(Body::Constant);
        let mut simple = simple.filter(|body| self.is_valid(property.schema, body));
        let sampled = || {
            let samples =
                spec_samples::samples(self.document, property.schema, Direction::Response);
            samples.ok()?.valid.into_iter().next().map(Body::Constant)
        };
        let is_object = |body: &Body| !matches!(body, Body::Message);
        second_code
            .or_else(|| nested().filter(is_object))
            .or_else(|| simple.next())
            .or_else(sampled)
    }

    /// Whether a schema accepts the body for every error of the gate.
    pub(super) fn is_valid(&self, schema: &Value, body: &Body) -> bool {
        let validator = compile(self.document, schema, Direction::Response);
        let is_valid = |accepts: &dyn Fn(&Value) -> bool| {
            SAMPLES
                .into_iter()
                .all(|sample| accepts(&body.fill(sample)))
        };
        validator.is_ok_and(|validator| is_valid(&|value| validator.is_valid(value)))
    }
}

/// The properties of schemas that apply together, each once.
fn collect_properties<'d>(parts: &[&'d Value]) -> Vec<Property<'d>> {
    let required = parts
        .iter()
        .filter_map(|part| part.get("required")?.as_array());
    let required: Vec<&str> = required.flatten().filter_map(Value::as_str).collect();
    let mut properties: Vec<Property<'d>> = Vec::new();
    let declared = parts
        .iter()
        .filter_map(|part| part.get("properties")?.as_object());
    for (name, schema) in declared.flatten() {
        if !properties.iter().any(|known| known.name == name) {
            properties.push(Property {
                name,
                schema,
                required: required.contains(&name.as_str()),
            });
        }
    }
    properties
}
