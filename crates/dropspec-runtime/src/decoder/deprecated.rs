//! The deprecated parameters and body properties of an operation, and which of them a request uses.
//!
//! An input that cannot be recognized with certainty is not listed: properties of bodies that the handler reads itself,
//! and objects in a query whose properties have any names.

use std::collections::{BTreeSet, HashMap};

use dropspec_schema::wire::{split_cookies, split_query};
use dropspec_schema::{BodyKind, pointer, pointer_of_reference, reference_of, resolve};
use http::HeaderMap;
use http::header::COOKIE;
use serde_json::Value;

use super::OperationDecoder;
use crate::document::Document;
use crate::parameters::{Parameter, find_texts};
use crate::rejection::ParameterLocation;
use crate::request::DecodedRequest;

/// The deprecated inputs of one operation.
#[derive(Debug, Default)]
pub(super) struct DeprecatedInputs {
    /// `query parameter limit`, `header X-Old`, `cookie session`; of a property the JSON pointer of its schema in the document.
    pub(super) names: Vec<String>,
    /// The locations of the parameters, which are the first names, and their indexes in the lists of the decoder.
    parameters: Vec<(ParameterLocation, usize)>,
    properties: Properties,
    /// The schema of each media type of the body, if it leads to a deprecated property.
    bodies: Vec<Option<&'static Value>>,
}

/// The deprecated properties, by the addresses of their schemas in the document: the indexes of their names.
type Properties = HashMap<usize, usize>;

/// Finds the deprecated properties below a schema.
struct Search<'s> {
    document: &'static Document,
    names: &'s mut Vec<String>,
    properties: &'s mut Properties,
    /// The pointers of the schemas that were searched.
    seen: BTreeSet<String>,
}

impl DeprecatedInputs {
    /// Finds the deprecated inputs of an operation. `deprecated` are the locations and indexes of its parameters that are.
    pub(super) fn new(
        document: &'static Document,
        operation: &str,
        decoder: &OperationDecoder,
        deprecated: &[(ParameterLocation, usize)],
    ) -> DeprecatedInputs {
        let mut inputs = DeprecatedInputs::default();
        for (location, index) in deprecated {
            let parameter = decoder.parameter(*location, *index);
            if !parameter.takes_rest() {
                inputs.names.push(format!("{location} {}", parameter.name));
                inputs.parameters.push((*location, *index));
            }
        }
        let body = document.target(pointer::join(operation, "requestBody"));
        let content = pointer::join(&body, "content");
        let media_types = document.find(&content).and_then(Value::as_object);
        let is_decoded = |name: &String| {
            let kind = BodyKind::of(name);
            matches!(kind, BodyKind::Json | BodyKind::Form | BodyKind::Text)
        };
        let media_types = media_types.filter(|it| it.keys().all(is_decoded));
        for (name, media_type) in media_types.into_iter().flatten() {
            let mut search = Search {
                document,
                names: &mut inputs.names,
                properties: &mut inputs.properties,
                seen: BTreeSet::new(),
            };
            let media_type_at = pointer::join(&content, name);
            let is_found = search.collect_properties(pointer::join(&media_type_at, "schema"));
            inputs
                .bodies
                .push(media_type.get("schema").filter(|_| is_found));
        }
        inputs
    }

    /// The indexes of the inputs that a valid request uses.
    pub(super) fn find(
        &self,
        document: &'static Document,
        decoder: &OperationDecoder,
        query: Option<&str>,
        headers: &HeaderMap,
        request: &DecodedRequest,
    ) -> Vec<usize> {
        let mut found = BTreeSet::new();
        let query = || split_query(query.unwrap_or_default()).unwrap_or_default();
        let cookies = || split_cookies(&find_texts(headers, COOKIE.as_str()).unwrap_or_default());
        for (input, (location, index)) in self.parameters.iter().enumerate() {
            let parameter = decoder.parameter(*location, *index);
            let is_sent = match location {
                ParameterLocation::Header => headers.contains_key(parameter.name),
                ParameterLocation::Query if parameter.is_whole_query => !query().is_empty(),
                ParameterLocation::Query => query().iter().any(|(name, _)| parameter.owns(name)),
                ParameterLocation::Cookie => cookies().iter().any(|(name, _)| parameter.owns(name)),
                ParameterLocation::Path => true,
            };
            if is_sent {
                found.insert(input);
            }
        }
        let schema = self.bodies.get(request.media_type()).copied();
        if let Some((schema, body)) = schema.flatten().zip(request.body_value()) {
            self.add_used_properties(document, vec![schema], body, &mut found);
        }
        found.into_iter().collect()
    }

    /// Adds the deprecated properties in a value, to which `schemas` apply. Each value is visited once, however many schemas there
    /// are.
    fn add_used_properties(
        &self,
        document: &'static Document,
        schemas: Vec<&'static Value>,
        value: &Value,
        found: &mut BTreeSet<usize>,
    ) {
        let schemas = document.all_of_same_value(schemas);
        let children = |keyword: &str| {
            let children = schemas.iter().filter_map(|schema| schema.get(keyword));
            children.filter(|it| it.is_object()).collect::<Vec<_>>()
        };
        let items = value.as_array().into_iter().flatten();
        items.for_each(|item| self.add_used_properties(document, children("items"), item, found));
        let properties = children("properties");
        for (name, member) in value.as_object().into_iter().flatten() {
            let declared: Vec<&Value> = properties.iter().filter_map(|it| it.get(name)).collect();
            let inputs = declared
                .iter()
                .filter_map(|it| self.properties.get(&address(it)));
            found.extend(inputs);
            let mut schemas = children("additionalProperties");
            schemas.extend(declared);
            if !schemas.is_empty() {
                self.add_used_properties(document, schemas, member, found);
            }
        }
    }
}

impl Search<'_> {
    /// Collects the deprecated properties below the schema at a pointer, and says whether there are any. A schema is searched once.
    fn collect_properties(&mut self, schema: String) -> bool {
        let schema = self.document.target(schema);
        let Some(value) = self.document.find(&schema) else {
            return false;
        };
        if !self.seen.insert(schema.clone()) {
            return false;
        }
        let mut is_found = false;
        let properties = value.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let at = pointer::join(&pointer::join(&schema, "properties"), name);
            let is_deprecated = |value: &Value| value.get("deprecated") == Some(&Value::Bool(true));
            let resolved = self.document.resolve(property).unwrap_or(property);
            if is_deprecated(property) || is_deprecated(resolved) {
                is_found = true;
                self.properties.entry(address(property)).or_insert_with(|| {
                    self.names.push(at.clone());
                    self.names.len() - 1
                });
            }
            is_found |= self.collect_properties(at);
        }
        for keyword in ["items", "additionalProperties"] {
            is_found |= value.get(keyword).is_some_and(Value::is_object)
                && self.collect_properties(pointer::join(&schema, keyword));
        }
        for keyword in COMBINATIONS {
            let parts = value.get(keyword).and_then(Value::as_array);
            for index in 0..parts.map_or(0, Vec::len) {
                is_found |= self.collect_properties(format!("{schema}/{keyword}/{index}"));
            }
        }
        is_found
    }
}

/// The keywords whose schemas apply, or may apply, to the same value.
const COMBINATIONS: [&str; 3] = ["allOf", "oneOf", "anyOf"];

impl Document {
    /// The pointer itself, or that of the target of its `$ref`s.
    fn target(&self, mut pointer: String) -> String {
        let mut seen = BTreeSet::new();
        while seen.insert(pointer.clone()) {
            let value = self.json().pointer(&pointer);
            match value.and_then(reference_of).and_then(pointer_of_reference) {
                Some(target) => pointer = target,
                None => break,
            }
        }
        pointer
    }

    /// All schemas that apply, or may apply, to a value to which these do.
    fn all_of_same_value(&'static self, mut open: Vec<&'static Value>) -> Vec<&'static Value> {
        let mut found: Vec<&Value> = Vec::new();
        while let Some(schema) = open.pop() {
            let Some(schema) = resolve(self.json(), schema) else {
                continue;
            };
            if found.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            found.push(schema);
            for keyword in COMBINATIONS {
                let parts = schema.get(keyword).and_then(Value::as_array);
                open.extend(parts.into_iter().flatten());
            }
        }
        found
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

impl OperationDecoder {
    fn parameter(&self, location: ParameterLocation, index: usize) -> &Parameter {
        &self.list(location).parameters()[index]
    }
}

#[cfg(test)]
mod tests;
