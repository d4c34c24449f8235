//! Fills an error schema of a document with an error of the gate. Each part is chosen by its name, and kept only if it is
//! valid for every error.

use dropspec_schema::{Direction, compile, resolve};
use serde_json::{Map, Value, json};

use super::body::{
    CHOICE, CODE, ENTRIES, LOCATION, MESSAGE, PROBLEM_MESSAGE, PROBLEMS, SAMPLES, fill, per_problem,
};
use super::names::{self, CODES, CONTAINERS, MESSAGES, PLACES, PROBLEM_LISTS, rank};

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
    pub(super) body: Value,
    pub(super) quality: Quality,
}

/// A property: its name, its schema, and whether it is required.
type Property<'d> = (&'d str, &'d Value, bool);

/// Fills schemas of one document.
#[derive(Clone, Copy)]
pub(super) struct SchemaFiller<'d> {
    pub(super) document: &'d Value,
    /// The mark of the place of a problem.
    pub(super) pointer: &'static str,
    /// Whether the schema is that of an item for each problem.
    pub(super) is_item: bool,
}

impl<'d> SchemaFiller<'d> {
    /// Fills a schema at a depth; `None` if it has no place for a text, or if nothing valid was found.
    pub(super) fn fill(&self, schema: &'d Value, depth: usize) -> Option<Filled> {
        if depth > MAX_DEPTH {
            return None;
        }
        let mut own = Vec::new();
        self.collect_parts(schema, depth, &mut own);
        let members = own.iter().flat_map(|part| {
            let lists = ["oneOf", "anyOf"].map(|keyword| part.get(keyword)?.as_array());
            lists.into_iter().flatten().flatten()
        });
        let mut alternatives: Vec<Vec<&Value>> = Vec::new();
        for member in members {
            let mut parts = own.clone();
            self.collect_parts(member, depth, &mut parts);
            alternatives.push(parts);
        }
        alternatives.push(own.clone());
        let mut filled = alternatives
            .iter()
            .filter_map(|parts| self.fill_parts(parts, depth));
        filled.find(|filled| self.is_valid(schema, &filled.body))
    }

    /// Adds a schema and the parts of its `allOf`: what applies together.
    fn collect_parts(&self, schema: &'d Value, depth: usize, parts: &mut Vec<&'d Value>) {
        let schema = resolve(self.document, schema).filter(|_| depth <= MAX_DEPTH);
        parts.extend(schema);
        let members = schema.and_then(|it| it.get("allOf")?.as_array());
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
        match keyword("type").and_then(Value::as_str)? {
            "string" => Some(text(json!(MESSAGE))),
            "array" => {
                let items = keyword("items")?;
                // A list that holds a few at most has the message of all.
                let is_item = keyword("maxItems").is_none();
                let filler = SchemaFiller { is_item, ..*self };
                let Filled { body, quality } = filler.fill(items, depth + 1)?;
                let body = match () {
                    () if is_item => json!({ ENTRIES: per_problem(body) }),
                    () => json!([body]),
                };
                Some(Filled { body, quality })
            }
            "object" => {
                let values = keyword("additionalProperties").filter(|values| values.is_object())?;
                let value = self.fill(values, depth + 1)?.body;
                Some(text(json!({ CODE: value })))
            }
            _ => None,
        }
    }

    fn fill_object(&self, properties: &[Property<'d>], depth: usize) -> Option<Filled> {
        let best = |list, values: &[Value], but: Option<&str>| {
            let named = properties.iter().filter(|it| Some(it.0) != but);
            let is_place = |name: &str| self.is_item && rank(name, PLACES).is_some();
            let named = named.filter(|it| !is_place(it.0));
            let named = named.filter_map(|it| Some((rank(it.0, list)?, it)));
            let fitting = named.filter(|(_, it)| self.choose(it.1, values).is_some());
            let found = fitting.min_by_key(|(rank, _)| *rank)?;
            Some(found.1.0)
        };
        let message = best(MESSAGES, &[json!(MESSAGE)], None);
        let code = best(CODES, &names::values_of_code(), message);
        // Without a text of its own the object has one further down.
        let nested = match message {
            None | Some("title") => properties.iter().find_map(|(name, schema, _)| {
                let filled = self.fill(schema, depth + 1)?;
                let is_error = filled.quality > Quality::Text || rank(name, CONTAINERS).is_some();
                is_error.then_some((*name, filled))
            }),
            Some(_) => None,
        };
        let quality = match (&nested, message) {
            (Some((_, nested)), _) => nested.quality.max(Quality::Title),
            (None, Some("title")) => Quality::Title,
            (None, message) => message.map(|_| Quality::Message)?,
        };
        let mut members = Map::new();
        for (name, schema, is_required) in properties {
            let chosen = match &nested {
                Some((nested, filled)) if nested == name => Some(filled.body.clone()),
                None if message == Some(name) => Some(json!(MESSAGE)),
                _ if code == Some(name) => self.choose(schema, &names::values_of_code()),
                _ => self.problem_part(name, schema, depth),
            };
            let chosen =
                match chosen.or_else(|| self.choose(schema, &names::values_of_property(name))) {
                    None if *is_required => Some(self.placeholder(schema, depth)?),
                    chosen => chosen,
                };
            members.extend(chosen.map(|value| ((*name).to_owned(), value)));
        }
        let body = Value::Object(members);
        Some(Filled { body, quality })
    }

    /// What a property has of the problems of a request: their list, or the place of one of them.
    fn problem_part(&self, name: &str, schema: &'d Value, depth: usize) -> Option<Value> {
        if self.is_item {
            rank(name, PLACES)?;
            return self.choose(schema, &[json!(self.pointer), json!(LOCATION)]);
        }
        rank(name, PROBLEM_LISTS)?;
        let filler = SchemaFiller {
            is_item: true,
            ..*self
        };
        let items = resolve(self.document, schema)?.get("items")?;
        let item = per_problem(filler.fill(items, depth + 1)?.body);
        self.choose(schema, &[json!({ PROBLEMS: item })])
    }

    /// Adds the list of problems to problem details (RFC 9457, section 3) whose schema does not say how it is.
    pub(super) fn add_problems(&self, schema: &'d Value, filled: &mut Filled) {
        let mut body = filled.body.clone();
        if let Some(members) = body.as_object_mut().filter(|it| !it.contains_key("errors")) {
            let item = json!({ "pointer": self.pointer, "detail": PROBLEM_MESSAGE });
            members.insert("errors".to_owned(), json!({ PROBLEMS: item }));
            if self.is_valid(schema, &body) {
                filled.body = body;
            }
        }
    }

    /// The value of an enumeration for each error of the gate.
    fn choose_of_enum(&self, schema: &Value) -> Option<Value> {
        let values = resolve(self.document, schema)?.get("enum")?.as_array()?;
        let values: Vec<&str> = values.iter().filter_map(Value::as_str).collect();
        let first = *values.first()?;
        let choices = SAMPLES.into_iter().map(|sample| {
            let value = names::choose_by_words(&values, sample).unwrap_or(first);
            (sample.0.to_owned(), json!(value))
        });
        let choices: Map<String, Value> = choices.collect();
        let differ = choices.values().any(|value| *value != first);
        differ.then(|| json!({ CHOICE: choices }))
    }

    /// The first of the values that a schema accepts.
    fn choose(&self, schema: &Value, values: &[Value]) -> Option<Value> {
        let mut values = values.iter();
        values.find(|it| self.is_valid(schema, it)).cloned()
    }

    /// A value for a required property that an error of the gate has nothing for.
    fn placeholder(&self, schema: &'d Value, depth: usize) -> Option<Value> {
        let resolved = resolve(self.document, schema)?;
        let declared = ["default", "example"].map(|key| resolved.get(key).cloned());
        let plain = [Value::Null, json!(""), json!(0), json!(false)];
        let simple: Vec<Value> = declared.into_iter().flatten().chain(plain).collect();
        let nested = || Some(self.fill(schema, depth + 1)?.body).filter(|it| !it.is_string());
        let sampled = || {
            let samples =
                dropspec_schema::samples::samples(self.document, schema, Direction::Response);
            samples.ok()?.valid.into_iter().next()
        };
        nested()
            .or_else(|| self.choose_of_enum(schema))
            .or_else(|| self.choose(schema, &simple))
            .or_else(sampled)
    }

    /// Whether a schema accepts the body for every error of the gate.
    fn is_valid(&self, schema: &Value, body: &Value) -> bool {
        let validator = compile(self.document, schema, Direction::Response);
        validator.is_ok_and(|validator| {
            let mut bodies = SAMPLES.into_iter().map(|sample| fill(body, sample));
            bodies.all(|body| validator.is_valid(&body))
        })
    }
}

/// The properties of schemas that apply together, each once.
fn collect_properties<'d>(parts: &[&'d Value]) -> Vec<Property<'d>> {
    let required = parts.iter().filter_map(|it| it.get("required")?.as_array());
    let required: Vec<&Value> = required.flatten().collect();
    let declared = parts
        .iter()
        .filter_map(|it| it.get("properties")?.as_object());
    let mut properties: Vec<Property<'d>> = Vec::new();
    for (name, schema) in declared.flatten() {
        if !properties.iter().any(|known| known.0 == name) {
            properties.push((name, schema, required.iter().any(|it| *it == name)));
        }
    }
    properties
}
