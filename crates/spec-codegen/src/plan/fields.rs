//! The properties of objects, including those merged by `allOf`.

use std::collections::HashSet;

use indexmap::IndexMap;
use spec_model::{AdditionalProperties, Node, Place, Schema, SchemaRef, SchemaType, Value};

use crate::model::{Field, Literal, Presence, Shape, Struct, Type, Variant};
use crate::names;
use crate::plan::schemas::PlannedType;
use crate::plan::types::Types;
use crate::plan::{docs, scalars};

impl Types<'_> {
    /// One field per property, in the order of the document.
    pub(super) fn plan_fields(
        &mut self,
        properties: &IndexMap<String, SchemaRef>,
        owner: &str,
        requires: impl Fn(&str) -> bool,
    ) -> Vec<Field> {
        let mut taken = HashSet::new();
        let mut fields = Vec::new();
        for (property, schema) in properties {
            let Some(name) = names::field_name(property) else {
                let message = format!("no Rust name can be made of the property `{property}`");
                self.problems
                    .report(schema.at(), message, "name the property in ASCII letters");
                continue;
            };
            let name = names::make_unique(name, &mut taken);
            let hint = format!("{owner}{}", names::type_name(property).unwrap_or_default());
            let ty = self.resolve_type(schema, hint.trim_end_matches("Schema"));
            let text = self.describe_property(schema, property);
            let required = requires(property) && !one_way(schema);
            fields.push(self.plan_field(name, property, text, ty, required, schema));
        }
        fields
    }

    /// Plans a field whose type is already resolved: whether it is required, optional or has a default.
    pub(super) fn plan_field(
        &self,
        name: String,
        wire: &str,
        docs: String,
        ty: Type,
        required: bool,
        schema: &SchemaRef,
    ) -> Field {
        let default = match schema {
            SchemaRef::Inline(schema) if !required => schema.default.as_ref(),
            SchemaRef::Ref { .. } if !required => self
                .spec
                .resolve(schema)
                .and_then(|schema| schema.default.as_ref()),
            _ => None,
        };
        let (ty, presence) = match default.filter(|node| node.value != Value::Null) {
            _ if required => (ty, Presence::Required),
            None => (ty.optional(), Presence::Optional),
            Some(node) => match self.convert_default(&ty, node) {
                Some(literal) => (ty, Presence::Default(literal)),
                None => {
                    let place = Place {
                        position: node.position,
                        pointer: format!("{}/default", schema.at().pointer),
                    };
                    self.problems.report(
                        &place,
                        "this default cannot be written as a Rust value",
                        "leave the default out and say in the description what absence means",
                    );
                    (ty.optional(), Presence::Optional)
                }
            },
        };
        Field {
            name,
            wire: wire.to_owned(),
            docs,
            ty,
            presence,
        }
    }

    /// The doc comment of a property: its own description, or else that of its type, or else its name.
    pub(super) fn describe_property(&self, schema: &SchemaRef, property: &str) -> String {
        let own = match schema {
            SchemaRef::Inline(schema) => docs::describe(schema),
            SchemaRef::Ref { .. } => String::new(),
        };
        if !own.is_empty() {
            return own;
        }
        let reference = match schema {
            SchemaRef::Inline(inline) => inline.all_of.first().unwrap_or(schema),
            SchemaRef::Ref { .. } => schema,
        };
        let of_type = self
            .spec
            .resolve(reference)
            .and_then(|schema| schema.description.as_deref());
        docs::or_name(docs::first_paragraph(of_type.unwrap_or_default()), property)
    }

    pub(super) fn plan_variants<'v>(
        &self,
        at: &Place,
        values: impl Iterator<Item = (&'v str, String)>,
    ) -> Vec<Variant> {
        let mut taken = HashSet::new();
        let mut seen = HashSet::new();
        let mut variants = Vec::new();
        for (wire, docs) in values {
            if !seen.insert(wire.to_owned()) {
                let message = format!("`{wire}` is listed twice");
                self.problems.report(at, message, "remove one of the two");
                continue;
            }
            // A value without letters is named by its place.
            let name = names::variant_name(wire).unwrap_or_else(|| format!("Value{}", seen.len()));
            let name = names::make_unique(name, &mut taken);
            variants.push(Variant {
                name,
                wire: wire.to_owned(),
                docs,
            });
        }
        variants
    }

    pub(super) fn plan_all_of(&mut self, schema: &Schema, name: &str) -> PlannedType {
        let owns = !schema.properties.is_empty() || schema.additional_properties.is_some();
        if let ([only], false) = (schema.all_of.as_slice(), owns) {
            return match only {
                SchemaRef::Ref { .. } => PlannedType::Type(self.resolve_type(only, name)),
                SchemaRef::Inline(inner) if inner.nullable => {
                    PlannedType::Type(self.resolve_type(only, name))
                }
                SchemaRef::Inline(inner) => self.plan_type(inner, name),
            };
        }
        let mut merged = Merged::default();
        self.merge(schema, &mut merged);
        if merged.properties.is_empty() && !merged.only_objects {
            self.problems.report(
                &schema.at,
                "an `allOf` of anything but objects has no Rust type",
                "write the combined schema out",
            );
            return PlannedType::Type(Type::Any);
        }
        if let Some(place) = merged.closed.as_ref().filter(|_| merged.parts > 1) {
            self.problems.report(
                place,
                "this schema is closed, so that nothing can be added to it by an `allOf`",
                "spell all properties out in one schema, or remove `additionalProperties: false`",
            );
        }
        let rest = merged
            .rest
            .take()
            .map(|rest| self.resolve_type(&rest, &format!("{name}Value")));
        let required = std::mem::take(&mut merged.required);
        let fields = self.plan_fields(&merged.properties, name, |property| {
            required.contains(property)
        });
        let closed = merged.closed.is_some();
        PlannedType::Shape(Shape::Struct(Struct {
            fields,
            rest,
            closed,
        }))
    }

    /// Merges the properties of a schema and of the schemas in its `allOf`.
    fn merge(&self, schema: &Schema, merged: &mut Merged) {
        for part in &schema.all_of {
            if let Some(part) = self.spec.resolve(part) {
                // A circle of `allOf` would hold itself; the reader cannot see it.
                if merged.open.contains(&part.at.pointer) {
                    self.problems.report(
                        &part.at,
                        "an `allOf` leads back to this schema",
                        "break the circle",
                    );
                    continue;
                }
                merged.open.push(part.at.pointer.clone());
                self.merge(part, merged);
                merged.open.pop();
            }
        }
        let composed = !schema.one_of.is_empty() || !schema.any_of.is_empty();
        let other_type = schema.schema_type.is_some_and(|t| t != SchemaType::Object);
        if composed || other_type || schema.enumeration.is_some() {
            self.problems.report(
                &schema.at,
                "inside an `allOf`, only objects can be merged",
                "write the combined schema out",
            );
        }
        merged.only_objects |= schema.schema_type == Some(SchemaType::Object);
        for (property, part) in &schema.properties {
            if let Some(earlier) = merged.properties.get(property)
                && !self.is_same(earlier, part)
            {
                let message = format!("the `allOf` declares `{property}` twice, differently");
                self.problems.report(part.at(), message, "declare it once");
            }
            merged.properties.insert(property.clone(), part.clone());
        }
        merged
            .required
            .extend(schema.required.iter().map(|name| name.value.clone()));
        merged.parts += usize::from(!schema.properties.is_empty());
        match &schema.additional_properties {
            Some(AdditionalProperties::Forbidden) => merged.closed = Some(schema.at.clone()),
            Some(AdditionalProperties::Schema(rest)) => merged.rest = Some(rest.clone()),
            Some(AdditionalProperties::Allowed) | None => {}
        }
    }

    /// Whether two schemas are the same reference or are written alike.
    pub(super) fn is_same(&self, a: &SchemaRef, b: &SchemaRef) -> bool {
        match (a, b) {
            (SchemaRef::Ref { name: a, .. }, SchemaRef::Ref { name: b, .. }) => a == b,
            _ => {
                let json = |schema: &SchemaRef| self.spec.node(schema.at()).map(Node::to_json);
                json(a) == json(b)
            }
        }
    }

    fn convert_default(&self, ty: &Type, node: &Node) -> Option<Literal> {
        match (ty, &node.value) {
            (Type::Option(inner), _) => self.convert_default(inner, node),
            (Type::Bool, Value::Bool(value)) => Some(Literal::Bool(*value)),
            (Type::Integer(width), Value::Number(number)) if scalars::holds(width, number) => {
                Some(Literal::Number(number.to_string()))
            }
            (Type::Float(_), Value::Number(number)) => {
                let digits = number.to_string();
                let dotted = digits.contains(['.', 'e']);
                Some(Literal::Number(if dotted { digits } else { digits + ".0" }))
            }
            (Type::String, Value::String(text)) => Some(Literal::String(text.clone())),
            (Type::Vec(_), Value::Array(items)) if items.is_empty() => Some(Literal::Empty),
            (Type::Map(_), Value::Object(members)) if members.is_empty() => Some(Literal::Empty),
            (Type::Named(name), Value::String(text)) => {
                let named = self.types.iter().find(|named| named.name == *name)?;
                let Shape::Enum(variants) = &named.shape else {
                    return None;
                };
                let variant = variants.iter().find(|variant| variant.wire == *text)?;
                Some(Literal::Variant {
                    ty: name.clone(),
                    variant: variant.name.clone(),
                })
            }
            _ => None,
        }
    }
}

/// The properties and rules of an `allOf`, merged from its schemas.
#[derive(Default)]
struct Merged {
    properties: IndexMap<String, SchemaRef>,
    required: HashSet<String>,
    rest: Option<SchemaRef>,
    closed: Option<Place>,
    /// How many of the schemas name properties.
    parts: usize,
    only_objects: bool,
    open: Vec<String>,
}

/// Whether a property is only in requests or only in responses, so that it may be absent.
fn one_way(schema: &SchemaRef) -> bool {
    match schema {
        SchemaRef::Ref { .. } => false,
        SchemaRef::Inline(schema) => schema.read_only || schema.write_only,
    }
}
