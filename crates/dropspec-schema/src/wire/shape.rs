//! What the text of a parameter can become by its schema: scalars, an array, an object, or several of them.

mod fields;

use std::borrow::Cow;

pub(crate) use fields::Fields;
use serde_json::{Map, Value};

use crate::wire::escape::{self, DecodeText};
use crate::wire::json;
use crate::wire::node::Node;
use crate::wire::parameter::Location;
use crate::wire::scalar::{ScalarError, ScalarTypes};

/// The deepest nesting of schemas that is followed. What is deeper is read as text, or as JSON.
const MAX_DEPTH: usize = 8;

/// The kinds of values that a schema allows, through references and combinations.
#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub(crate) scalars: ScalarTypes,
    pub(crate) items: Option<Box<Shape>>,
    pub(crate) fields: Option<Fields>,
    pub(crate) nullable: bool,
}

impl Shape {
    /// The shape that a schema defines.
    pub fn of_schema(document: &Value, schema: &Value) -> Self {
        let mut shape = Self::default();
        shape.add(document, schema, &mut Vec::new());
        shape.or_text()
    }

    /// The shape of a parameter in a place where every kind of value can be told by its notation: without a type, a schema
    /// allows texts, and lists and objects of them.
    pub(crate) fn of_parameter(document: &Value, schema: &Value) -> Self {
        let mut shape = Self::default();
        shape.add(document, schema, &mut Vec::new());
        if shape.is_untyped() {
            shape = Self {
                nullable: shape.nullable,
                ..Self::any()
            };
        }
        shape.or_text()
    }

    /// Texts, and lists and objects of values without a type.
    fn any() -> Self {
        Self {
            scalars: ScalarTypes::string(),
            items: Some(Box::default()),
            fields: Some(Fields {
                known: Vec::new(),
                rest: Some(Box::default()),
            }),
            nullable: false,
        }
    }

    fn is_untyped(&self) -> bool {
        self.is_scalar() && self.scalars.is_empty()
    }

    /// Whether the value is a string in any case.
    pub fn is_text(&self) -> bool {
        self.is_scalar() && self.scalars == ScalarTypes::string()
    }

    /// Whether the value is a scalar in any case.
    pub fn is_scalar(&self) -> bool {
        self.items.is_none() && self.fields.is_none()
    }

    /// Whether values may be of several kinds: scalars, arrays, objects.
    pub fn is_ambiguous(&self) -> bool {
        let kinds = [
            !self.scalars.is_empty(),
            self.items.is_some(),
            self.fields.is_some(),
        ];
        kinds.into_iter().filter(|is_allowed| *is_allowed).count() > 1
    }

    /// Reads scalars of no declared type as text, at every depth.
    pub(crate) fn allow_text(&mut self) {
        if !self.scalars.is_empty() {
            self.scalars.add_named("string");
        }
        self.items.iter_mut().for_each(|it| it.allow_text());
        self.fields.iter_mut().for_each(Fields::allow_text);
    }

    /// A schema that names no type is read as text.
    fn or_text(mut self) -> Self {
        if self.is_scalar() {
            self.scalars.or_string();
        }
        self
    }

    fn add<'d>(&mut self, document: &'d Value, schema: &'d Value, outer: &mut Vec<&'d Value>) {
        let Some(schema) = crate::resolve(document, schema) else {
            return;
        };
        if outer.len() >= MAX_DEPTH || outer.iter().any(|other| std::ptr::eq(*other, schema)) {
            return;
        }
        outer.push(schema);
        self.nullable |= schema.get("nullable") == Some(&Value::Bool(true));
        match schema.get("type").and_then(Value::as_str) {
            Some("array") => {
                let items = schema.get("items").unwrap_or(&Value::Null);
                self.items
                    .get_or_insert_default()
                    .add(document, items, outer);
            }
            Some("object") => self.add_fields(document, schema, outer),
            Some(name) => self.scalars.add_named(name),
            None if ["properties", "additionalProperties"]
                .iter()
                .any(|it| schema.get(it).is_some()) =>
            {
                self.add_fields(document, schema, outer);
            }
            None if schema.get("items").is_some() => {
                self.items
                    .get_or_insert_default()
                    .add(document, &schema["items"], outer);
            }
            None => {
                let values = schema.get("enum").and_then(Value::as_array);
                for value in values.into_iter().flatten() {
                    self.scalars.add_type_of(value);
                }
            }
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let schemas = schema.get(keyword).and_then(Value::as_array);
            for schema in schemas.into_iter().flatten() {
                self.add(document, schema, outer);
            }
        }
        outer.pop();
    }

    fn add_fields<'d>(
        &mut self,
        document: &'d Value,
        schema: &'d Value,
        outer: &mut Vec<&'d Value>,
    ) {
        let fields = self.fields.get_or_insert_default();
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            let index = fields.position(name).unwrap_or_else(|| {
                fields.known.push((name.clone(), Self::default()));
                fields.known.len() - 1
            });
            fields.known[index].1.add(document, property, outer);
        }
        let combines = ["allOf", "anyOf", "oneOf"]
            .iter()
            .any(|it| schema.get(it).is_some());
        let additional = match schema.get("additionalProperties") {
            Some(Value::Bool(false)) => None,
            Some(additional) => Some(additional),
            // An object of which nothing is declared is free in its properties.
            None => (properties.is_none_or(Map::is_empty) && !combines).then_some(&Value::Null),
        };
        if let Some(additional) = additional {
            fields
                .rest
                .get_or_insert_default()
                .add(document, additional, outer);
        }
    }

    /// Parses a text that is not encoded, such as a part of a body.
    ///
    /// # Errors
    /// A phrase to follow the name of the value.
    pub fn parse_plain(&self, text: &str) -> Result<Value, String> {
        if self.is_text() {
            Ok(Value::from(text))
        } else {
            self.parse_part(text, escape::of_location(Location::Header))
        }
    }

    /// Parses the text of a value that is a part of another one, where no style defines a notation: scalars as usual,
    /// arrays and objects as JSON, or an array as its only item.
    pub(crate) fn parse_part(&self, raw: &str, decode: DecodeText) -> Result<Value, String> {
        let text = decode(raw)?;
        if !self.is_scalar()
            && text.starts_with(['[', '{'])
            && let Ok(value) = json::parse(text.as_bytes())
        {
            // One object is the only item of a list of objects.
            let is_item = self.items.is_some() && self.fields.is_none() && value.is_object();
            return Ok(if is_item {
                Value::Array(vec![value])
            } else {
                value
            });
        }
        let scalars = self.text_types();
        let parsed = scalars.parse(&text, |_| true);
        match (parsed, &self.items) {
            (Ok(value), _) if self.is_scalar() || !self.scalars.is_empty() => Ok(value),
            (_, Some(items)) => Ok(Value::Array(vec![items.parse_part(raw, decode)?])),
            (_, None) if self.nullable && text.is_empty() => Ok(Value::Null),
            (Err(ScalarError::OutOfRange(nearest)), None) => Ok(nearest),
            (Err(ScalarError::WrongType(message)), None) => Err(message),
            (Ok(_), None) => Err("must be an object in JSON".to_owned()),
        }
    }

    fn text_types(&self) -> Cow<'_, ScalarTypes> {
        if self.scalars.is_empty() {
            Cow::Owned(ScalarTypes::string())
        } else {
            Cow::Borrowed(&self.scalars)
        }
    }

    /// Parses the value at a node.
    pub(crate) fn parse_node(&self, node: &Node<'_>, decode: DecodeText) -> Result<Value, String> {
        if self.is_untyped() && !(node.members.is_empty() && node.values.len() == 1) {
            return Self::any().parse_node(node, decode);
        }
        // `name[]=a` is an item where there may be one.
        let is_list = self.items.is_some() && node.members().all(|(name, _)| name.is_empty());
        if let (Some(fields), false) = (&self.fields, is_list || node.members.is_empty()) {
            return fields.parse(node, decode);
        }
        if let Some(items) = &self.items
            && (!node.members.is_empty() || node.values.len() > 1)
        {
            // `name[]=a`, `name[0]=a` and `name=a&name=b` are arrays alike.
            let values = node.values.iter().map(|raw| items.parse_part(raw, decode));
            let members = node.members.iter().flat_map(|(_, member)| {
                if member.members.is_empty() {
                    member
                        .values
                        .iter()
                        .map(|raw| items.parse_part(raw, decode))
                        .collect()
                } else {
                    vec![items.parse_node(member, decode)]
                }
            });
            return values.chain(members).collect();
        }
        match node.values.as_slice() {
            [raw] if node.members.is_empty() => self.parse_part(raw, decode),
            [] => Err("must be a single value".to_owned()),
            values => Err(format!("must be given once, got {} values", values.len())),
        }
    }
}
