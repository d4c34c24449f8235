//! The properties of an object, and what their texts become.

use serde_json::{Map, Value};

use super::Shape;
use crate::wire::escape::DecodeText;
use crate::wire::node::Node;

/// The properties of an object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fields {
    pub(super) known: Vec<(String, Shape)>,
    /// The shape of other properties, if the schema declares that there may be some.
    pub(super) rest: Option<Box<Shape>>,
}

impl Fields {
    /// The properties that a schema defines, through references and combinations.
    pub(crate) fn of_schema(document: &Value, schema: &Value) -> Self {
        Shape::of_schema(document, schema)
            .fields
            .unwrap_or_default()
    }

    pub(crate) fn allow_text(&mut self) {
        self.known.iter_mut().for_each(|(_, it)| it.allow_text());
        self.rest.iter_mut().for_each(|it| it.allow_text());
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.known.iter().position(|(known, _)| known == name)
    }

    /// Whether the schema declares a property of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.position(name).is_some()
    }

    /// The names of the declared properties.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|(name, _)| name.as_str())
    }

    /// Whether the schema declares that there may be other properties.
    pub(crate) fn takes_rest(&self) -> bool {
        self.rest.is_some()
    }

    /// Parses the properties at a node. Unknown ones are kept as text, so that validation decides about them.
    pub(crate) fn parse(&self, node: &Node<'_>, decode: DecodeText) -> Result<Value, String> {
        let mut object = Map::new();
        for (name, member) in &node.members {
            let value = self.parse_member(name, member, decode);
            let value = value.map_err(|message| format!("property {name:?} {message}"))?;
            object.insert(name.clone(), value);
        }
        Ok(Value::Object(object))
    }

    /// Parses one property.
    pub(crate) fn parse_member(
        &self,
        name: &str,
        node: &Node<'_>,
        decode: DecodeText,
    ) -> Result<Value, String> {
        let shape = match self.position(name) {
            Some(index) => Some(&self.known[index].1),
            None => self.rest.as_deref(),
        };
        let untyped = Shape::default();
        shape.unwrap_or(&untyped).parse_node(node, decode)
    }
}
