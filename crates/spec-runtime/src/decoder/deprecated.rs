//! The deprecated parameters and body properties of an operation, and which of them a request uses.
//!
//! An input that cannot be recognized with certainty is not listed: properties of bodies that the handler reads itself,
//! and objects in a query whose properties have any names.

mod graph;

use std::collections::{BTreeMap, BTreeSet};

use http::HeaderMap;
use http::header::COOKIE;
use serde_json::Value;
use spec_schema::{BodyKind, pointer, pointer_of_reference, reference_of};
use wire_codec::{split_cookies, split_query};

use self::graph::{SchemaGraph, SchemaNode};
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
    body: SchemaGraph,
}

/// Builds a [`SchemaGraph`].
struct Builder<'d> {
    document: &'d Document,
    names: Vec<String>,
    graph: SchemaGraph,
    /// The nodes of the schemas at these pointers.
    nodes: BTreeMap<String, usize>,
}

impl DeprecatedInputs {
    /// Finds the deprecated inputs of an operation. `deprecated` are the locations and indexes of its parameters that are.
    pub(super) fn new(
        document: &Document,
        operation: &str,
        decoder: &OperationDecoder,
        deprecated: &[(ParameterLocation, usize)],
    ) -> DeprecatedInputs {
        let known = deprecated.iter().copied();
        let known =
            known.filter(|(location, index)| !decoder.parameter(*location, *index).takes_rest());
        let parameters: Vec<_> = known.collect();
        let names = parameters.iter().map(|(location, index)| {
            let name = decoder.parameter(*location, *index).name;
            format!("{location} {name}")
        });
        let mut builder = Builder {
            document,
            names: names.collect(),
            graph: SchemaGraph::default(),
            nodes: BTreeMap::new(),
        };
        builder.add_body(&pointer::join(operation, "requestBody"));
        DeprecatedInputs {
            names: builder.names,
            parameters,
            body: builder.graph,
        }
    }

    /// The indexes of the inputs that a valid request uses.
    pub(super) fn find(
        &self,
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
                ParameterLocation::Query => query().iter().any(|(name, _)| parameter.owns(name)),
                ParameterLocation::Cookie => cookies().iter().any(|(name, _)| parameter.owns(name)),
                ParameterLocation::Path => true,
            };
            if is_sent {
                found.insert(input);
            }
        }
        let root = self.body.roots.get(request.media_type()).copied();
        if let Some((root, body)) = root.flatten().zip(request.body_value()) {
            self.body.visit(&BTreeSet::from([root]), body, &mut found);
        }
        found.into_iter().collect()
    }
}

impl<'d> Builder<'d> {
    /// Adds the schemas of a request body, unless the handler reads some of its media types itself.
    fn add_body(&mut self, body: &str) {
        let body = self.resolve(body.to_owned());
        let content = self.get(&body).and_then(|body| body.get("content"));
        let Some(content) = content.and_then(Value::as_object) else {
            return;
        };
        let is_decoded = |name: &String| {
            matches!(
                BodyKind::of(name),
                BodyKind::Json | BodyKind::Form | BodyKind::Text
            )
        };
        if !content.keys().all(is_decoded) {
            return;
        }
        for name in content.keys() {
            let media_type = pointer::join(&pointer::join(&body, "content"), name);
            let schema = pointer::join(&media_type, "schema");
            let root = self.get(&schema).is_some().then(|| self.add(schema));
            self.graph.roots.push(root);
        }
        self.graph.prune();
    }

    /// Adds the node of the schemas that apply where the one at this pointer does.
    fn add(&mut self, pointer: String) -> usize {
        let pointer = self.resolve(pointer);
        if let Some(index) = self.nodes.get(&pointer) {
            return *index;
        }
        let index = self.graph.schemas.len();
        self.graph.schemas.push(SchemaNode::default());
        self.nodes.insert(pointer.clone(), index);
        let mut node = SchemaNode::default();
        for schema in self.all_of_same_value(pointer) {
            self.add_children(&schema, &mut node);
        }
        self.graph.schemas[index] = node;
        index
    }

    fn add_children(&mut self, schema: &str, node: &mut SchemaNode) {
        let Some(value) = self.get(schema) else {
            return;
        };
        for keyword in ["items", "additionalProperties"] {
            if value.get(keyword).is_some_and(Value::is_object) {
                node.others.insert(self.add(pointer::join(schema, keyword)));
            }
        }
        let properties = value.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let at = pointer::join(&pointer::join(schema, "properties"), name);
            let is_deprecated = |value: &Value| value.get("deprecated") == Some(&Value::Bool(true));
            let resolved = self.document.resolve(property).unwrap_or(property);
            let entry = node.properties.entry(name.clone()).or_default();
            if is_deprecated(property) || is_deprecated(resolved) {
                entry.inputs.push(self.input(&at));
            }
            let child = self.add(at);
            entry.schemas.insert(child);
        }
    }

    /// The pointers of all schemas that apply to a value to which the one at `pointer` does, or may apply.
    fn all_of_same_value(&self, pointer: String) -> BTreeSet<String> {
        let (mut found, mut open) = (BTreeSet::new(), vec![pointer]);
        while let Some(next) = open.pop() {
            let next = self.resolve(next);
            if !found.insert(next.clone()) {
                continue;
            }
            for keyword in ["allOf", "oneOf", "anyOf"] {
                let parts = self.get(&next).and_then(|schema| schema.get(keyword));
                let parts = parts.and_then(Value::as_array).map_or(0, Vec::len);
                open.extend((0..parts).map(|index| format!("{next}/{keyword}/{index}")));
            }
        }
        found
    }

    /// The index of the input with this name.
    fn input(&mut self, name: &str) -> usize {
        let known = self.names.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The pointer itself, or that of the target of its `$ref`s.
    fn resolve(&self, pointer: String) -> String {
        let (mut pointer, mut seen) = (pointer, BTreeSet::new());
        while seen.insert(pointer.clone()) {
            let value = self.document.json().pointer(&pointer);
            let target = value.and_then(reference_of).and_then(pointer_of_reference);
            match target {
                Some(target) => pointer = target,
                None => break,
            }
        }
        pointer
    }

    fn get(&self, pointer: &str) -> Option<&'d Value> {
        self.document.find(pointer)
    }
}

impl OperationDecoder {
    fn parameter(&self, location: ParameterLocation, index: usize) -> &Parameter {
        &self.list(location).parameters()[index]
    }
}

#[cfg(test)]
mod tests;
