//! The properties of objects, and the values of enums.

use std::collections::HashSet;

use dropspec_model::{Located, Place, Schema, SchemaRef, Value};
use dropspec_schema::pointer;
use indexmap::IndexMap;
use serde_json::{Value as Json, json};

use crate::model::{DefaultValue, Field, Presence, Type, Variant};
use crate::names;
use crate::plan::docs;
use crate::plan::types::Types;
use crate::plan::unions::tags;

impl Types<'_> {
    /// One field per property, in the order of the document.
    pub(super) fn plan_fields(
        &mut self,
        properties: &IndexMap<String, SchemaRef>,
        owner: &str,
        required: &[Located<String>],
    ) -> Vec<Field> {
        let required: HashSet<&str> = required.iter().map(|name| name.value.as_str()).collect();
        let mut taken = self.names_like_fields();
        let mut fields = Vec::new();
        for (property, schema) in properties {
            let number = fields.len() + 1;
            let name = names::field_name(property).unwrap_or_else(|| format!("property_{number}"));
            let name = names::make_unique(name, &mut taken);
            let hint = names::type_name(property).unwrap_or_else(|| format!("Property{number}"));
            let hint = format!("{owner}{hint}");
            let ty = self.resolve_type(schema, hint.trim_end_matches("Schema"));
            let text = self.describe_property(schema, property);
            // Null is a value in both directions, so that the field may always be sent.
            let is_always_sent =
                matches!(ty, Type::Option(_)) || !self.is_read_or_write_only(schema);
            let required = required.contains(property.as_str()) && is_always_sent;
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
        let holder = match schema {
            // A default beside a reference in an `allOf` is that of the property, one behind it is not. Beside null, the only
            // other schema is that of the property.
            SchemaRef::Inline(inline) if inline.default.is_none() => {
                let unions = [&inline.one_of, &inline.any_of].into_iter();
                let only = unions.filter_map(|union| tags::only_beside_null(union));
                let parts = inline.all_of.iter().rev().chain(only);
                let mut parts = parts.filter_map(|part| tags::as_inline(&part));
                parts.find(|part| part.default.is_some())
            }
            _ => self.spec.resolve(schema),
        };
        let default = holder.and_then(|holder| Some((&holder.at, holder.default.as_ref()?)));
        let default = default.filter(|(_, node)| !required && node.value != Value::Null);
        let (ty, presence) = match default {
            _ if required => (ty, Presence::Required),
            None => (ty.optional(), Presence::Optional),
            Some((at, node)) => {
                let default = DefaultValue {
                    value: node.to_json(),
                    at: Place {
                        position: node.position,
                        pointer: format!("{}/default", at.pointer),
                    },
                    schema: self.schema_json(schema),
                };
                (ty, Presence::Default(Box::new(default)))
            }
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
        let mut taken = names::reserve_list();
        let mut seen = HashSet::new();
        let mut variants = Vec::new();
        for (wire, docs) in values {
            if !seen.insert(wire.to_owned()) {
                let message = format!("`{wire}` is listed twice");
                self.problems.warn(at, message, "remove one of the two");
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

    /// The JSON of a schema, for a validator that knows the document. A merged schema has none in the document.
    fn schema_json(&self, schema: &SchemaRef) -> Json {
        match schema {
            SchemaRef::Ref { name, .. } => {
                let pointer = pointer::join("/components/schemas", name).replace('%', "%25");
                json!({ "$ref": format!("#{pointer}") })
            }
            SchemaRef::Inline(inline) => match self.spec.node(&inline.at) {
                Some(node) => node.to_json(),
                None => {
                    let parts = inline.all_of.iter().map(|part| self.schema_json(part));
                    json!({ "allOf": parts.collect::<Vec<_>>() })
                }
            },
        }
    }

    /// Whether a property is only in requests or only in responses, so that it may be absent.
    pub(super) fn is_read_or_write_only(&self, schema: &SchemaRef) -> bool {
        let Some(target) = self.spec.resolve(schema) else {
            return false;
        };
        let mut parts = target
            .all_of
            .iter()
            .filter_map(|part| self.spec.resolve(part));
        let flagged = |schema: &Schema| schema.read_only || schema.write_only;
        flagged(target) || parts.any(flagged)
    }
}
