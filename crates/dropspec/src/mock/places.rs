//! Where records are in a response: alone, in a list, or in a map, and that at its top or in an object of it.

use std::cmp::Reverse;

use dropspec_schema::resolve;
use dropspec_schema::wire::{is_list, properties};
use serde_json::{Map, Value};

use super::tables::Tables;

/// The most objects around records: `_embedded` and the response.
const DEPTH: usize = 2;

/// The most schemas, each a part of the one before, in which a keyword is looked for.
const MOST_PARTS: usize = 4;

/// A place of a response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    /// The properties that lead to it.
    pub(super) path: Vec<String>,
    pub(super) kind: Kind,
    /// The schema of a record there.
    pub(super) schema: Value,
}

/// How records are written in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Record,
    List,
    /// An object that has each record under its id.
    Map,
}

impl Place {
    /// The place of records with this schema and this property as their id in a response: of one, or of many.
    pub(super) fn find(
        (sample, schema): (&Value, &Value),
        (record, id): (&Value, &str),
        is_of_many: bool,
    ) -> Option<Place> {
        let all = Place::all(sample, schema).into_iter();
        let ranked = all.filter_map(|place| {
            let rank = likeness(&place.schema, record, id)?;
            let is_meant = is_of_many || rank.0 != SOME_PROPERTIES;
            let is_meant = is_meant && is_of_many == (place.kind != Kind::Record);
            is_meant.then_some(((rank, place.path.len()), place))
        });
        Some(ranked.min_by_key(|(rank, _)| *rank)?.1)
    }

    /// All places of a response that could have records.
    pub(super) fn all(sample: &Value, schema: &Value) -> Vec<Place> {
        let mut found = Vec::new();
        visit(Some(sample), schema, &mut Vec::new(), &mut found);
        found
    }

    /// What a response has there.
    pub(super) fn get<'v>(&self, whole: &'v Value) -> Option<&'v Value> {
        self.path.iter().try_fold(whole, |at, name| at.get(name))
    }

    /// A response with something else there.
    pub(super) fn put(&self, whole: &Value, inner: Value) -> Value {
        let mut whole = whole.clone();
        let mut at = &mut whole;
        for name in &self.path {
            if !at.is_object() {
                *at = Map::new().into();
            }
            at = &mut at[name];
        }
        *at = inner;
        whole
    }
}

fn visit(sample: Option<&Value>, schema: &Value, path: &mut Vec<String>, found: &mut Vec<Place>) {
    let document = Tables::document().json();
    let Some(schema) = resolve(document, schema) else {
        return;
    };
    let mut add = |kind, schema: &Value| {
        found.push(Place {
            path: path.clone(),
            kind,
            schema: schema.clone(),
        });
    };
    let any = Value::Object(Map::new());
    let items = keyword(schema, "items", MOST_PARTS);
    if items.is_some() || is_list(schema) || sample.is_some_and(Value::is_array) {
        return add(Kind::List, items.unwrap_or(&any));
    }
    let rest = keyword(schema, "additionalProperties", MOST_PARTS);
    if let Some(rest) = rest.filter(|rest| rest.is_object()) {
        add(Kind::Map, rest);
    }
    add(Kind::Record, schema);
    if path.len() == DEPTH {
        return;
    }
    let declared = properties(document, schema);
    let shown = sample.and_then(Value::as_object).into_iter().flatten();
    let undeclared = shown.filter(|(name, _)| !declared.iter().any(|(it, _)| it == name));
    let undeclared = undeclared.map(|(name, _)| (name.as_str(), &any));
    let all = declared.iter().map(|(name, schema)| (*name, &**schema));
    for (name, schema) in all.chain(undeclared) {
        path.push(name.to_owned());
        visit(sample.and_then(|it| it.get(name)), schema, path, found);
        path.pop();
    }
}

/// A keyword of a schema, or of one of its parts.
fn keyword<'d>(schema: &'d Value, name: &str, depth: usize) -> Option<&'d Value> {
    let schema = resolve(Tables::document().json(), schema).filter(|_| depth > 0)?;
    let parts = ["allOf", "anyOf", "oneOf"].into_iter();
    let mut parts = parts.filter_map(|of| schema.get(of)?.as_array()).flatten();
    let own = schema.get(name);
    own.or_else(|| parts.find_map(|part| keyword(part, name, depth - 1)))
}

/// The rank of a schema that has some properties of a record, but not its id.
const SOME_PROPERTIES: u8 = 2;

/// How much a schema is like that of a record, least first; `None` if it cannot be meant.
fn likeness(schema: &Value, record: &Value, id: &str) -> Option<(u8, Reverse<usize>)> {
    let document = Tables::document().json();
    let schema = resolve(document, schema)?;
    if Some(schema) == resolve(document, record) {
        return Some((0, Reverse(0)));
    }
    let (own, known) = (properties(document, schema), properties(document, record));
    let is_known = |name: &str| known.iter().any(|(it, _)| *it == name);
    let shared = own.iter().filter(|(name, _)| is_known(name)).count();
    let can_be_object = schema.get("type").is_none_or(|it| it == "object");
    match shared {
        _ if own.iter().any(|(name, _)| *name == id) => Some((1, Reverse(shared))),
        0 if own.is_empty() && can_be_object => Some((3, Reverse(0))),
        0 => None,
        shared => Some((SOME_PROPERTIES, Reverse(shared))),
    }
}
