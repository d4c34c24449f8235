//! The fields of parameter structs, which parameters and response headers become.

use std::collections::HashSet;

use spec_model::{Place, SchemaRef};

use crate::model::{Field, Shape, Type};
use crate::names;
use crate::plan::types::Types;

/// A parameter or response header that becomes a field.
pub(super) struct FieldSource<'m> {
    pub(super) name: &'m str,
    pub(super) description: Option<&'m str>,
    pub(super) required: bool,
    /// The place that diagnostics about it show.
    pub(super) place: &'m Place,
}

impl Types<'_> {
    /// The field of a parameter or response header. `hint` names its type if the schema has no name; `taken` are the
    /// names of the other fields.
    pub(super) fn plan_parameter_field(
        &mut self,
        hint: &str,
        source: &FieldSource<'_>,
        schema: &SchemaRef,
        taken: &mut HashSet<String>,
    ) -> Option<Field> {
        let Some(name) = names::field_name(source.name) else {
            let message = format!("no Rust name can be made of `{}`", source.name);
            self.problems
                .report(source.place, message, "name it in ASCII letters");
            return None;
        };
        let name = names::make_unique(name, taken);
        let ty = self.resolve_type(schema, hint);
        if !self.is_scalar(&ty) {
            self.problems.report(
                source.place,
                format!(
                    "`{}` is no scalar, and dropshot takes only scalars here",
                    source.name
                ),
                "send a list or an object in the body, or as a string",
            );
        }
        let mut text = source.description.unwrap_or_default().trim().to_owned();
        if text.is_empty() {
            text = self.describe_property(schema, source.name);
        }
        Some(self.plan_field(name, source.name, text, ty, source.required, schema))
    }

    /// Reports a schema that has the name of a parameter struct. `at` is the operation of the struct.
    pub(super) fn check_struct_name(&self, name: &str, at: &Place) {
        if self.get(name).is_some() {
            let message = format!("the schema `{name}` has the name of a parameter struct");
            self.problems
                .report(at, message, "rename the schema or the operation");
        }
    }

    /// Whether a value of the type is written as one text, as in a header or a path.
    fn is_scalar(&self, ty: &Type) -> bool {
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
