//! The fields of parameter structs, which parameters and response headers become.

use std::collections::HashSet;

use indexmap::IndexMap;
use spec_model::{MediaType, SchemaRef};
use spec_schema::media_type::BodyKind;

use crate::model::{Encoding, Field, ParameterField, Presence, Shape, Type};
use crate::names;
use crate::plan::docs;
use crate::plan::types::Types;

/// A parameter or response header that becomes a field.
pub(super) struct FieldSource<'m> {
    pub(super) name: &'m str,
    pub(super) description: Option<&'m str>,
    pub(super) required: bool,
    /// How its value is written, if it has a schema.
    pub(super) style: Encoding,
    pub(super) schema: Option<&'m SchemaRef>,
    /// `content`, instead of a schema.
    pub(super) content: &'m IndexMap<String, MediaType>,
}

impl Types<'_> {
    /// The field of a parameter or response header. `hint` names its type if the schema has no name; `taken` are the
    /// names of the other fields.
    pub(super) fn plan_parameter_field(
        &mut self,
        hint: &str,
        source: &FieldSource<'_>,
        taken: &mut HashSet<String>,
    ) -> ParameterField {
        let name = names::field_name(source.name);
        let name = name.unwrap_or_else(|| format!("parameter_{}", taken.len() + 1));
        let name = names::make_unique(name, taken);
        let text = source.description.unwrap_or_default().trim().to_owned();
        let content = source.content.first();
        let content_schema = content.and_then(|(_, media_type)| media_type.schema.as_ref());
        let encoding = match content {
            Some((name, _)) if BodyKind::of(name) == BodyKind::Json => Encoding::Json,
            _ => source.style,
        };
        let schema = source.schema.or(content_schema);
        let field = match schema.filter(|_| content.is_none() || encoding == Encoding::Json) {
            Some(schema) => {
                let ty = self.resolve_type(schema, hint);
                let text = if text.is_empty() {
                    self.describe_property(schema, source.name)
                } else {
                    text
                };
                self.plan_field(name, source.name, text, ty, source.required, schema)
            }
            None => {
                let ty = match encoding {
                    Encoding::Json => Type::Any,
                    Encoding::Style { .. } => Type::String,
                };
                Field {
                    name,
                    wire: source.name.to_owned(),
                    docs: docs::or_name(text, source.name),
                    ty: if source.required { ty } else { ty.optional() },
                    presence: if source.required {
                        Presence::Required
                    } else {
                        Presence::Optional
                    },
                }
            }
        };
        ParameterField { field, encoding }
    }

    /// Whether a value of the type is written as one text, as in a header or a path.
    pub(super) fn is_scalar(&self, ty: &Type) -> bool {
        match ty {
            Type::Any | Type::Vec(_) | Type::Map(_) => false,
            Type::Option(inner) | Type::Box(inner) => self.is_scalar(inner),
            Type::Named(name) => match self.get(name).map(|named| &named.shape) {
                Some(Shape::Enum(_)) => true,
                Some(Shape::Newtype(inner)) => self.is_scalar(inner),
                _ => false,
            },
            _ => true,
        }
    }
}
