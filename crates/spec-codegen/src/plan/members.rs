//! What a parameter and a response header have in common: a name, a scalar, and a field for it.

use std::collections::HashSet;

use spec_model::{Place, SchemaRef};

use crate::model::{Field, Shape, Type};
use crate::names;
use crate::plan::Types;
use crate::plan::parameters::Parameters;

/// What a parameter and a response header have in common.
pub(super) struct Member<'m> {
    pub(super) name: &'m str,
    pub(super) description: Option<&'m str>,
    pub(super) required: bool,
    pub(super) place: &'m Place,
}

impl<'s> Parameters<'s> {
    /// The field of a parameter or header.
    pub(super) fn plan_member(
        &self,
        types: &mut Types<'s>,
        hint: &str,
        member: &Member<'_>,
        schema: &SchemaRef,
        taken: &mut HashSet<String>,
    ) -> Option<Field> {
        let Some(name) = names::field_name(member.name) else {
            let message = format!("no Rust name can be made of `{}`", member.name);
            self.problems
                .report(member.place, message, "name it in ASCII letters");
            return None;
        };
        let name = names::make_unique(name, taken);
        let ty = types.resolve_type(schema, hint);
        if !types.is_scalar(&ty) {
            self.problems.report(
                member.place,
                format!(
                    "`{}` is no scalar, and dropshot takes only scalars here",
                    member.name
                ),
                "send a list or an object in the body, or as a string",
            );
        }
        let mut text = member.description.unwrap_or_default().trim().to_owned();
        if text.is_empty() {
            text = types.describe_property(schema, member.name);
        }
        Some(types.plan_field(name, member.name, text, ty, member.required, schema))
    }
}

impl Types<'_> {
    /// A name for a parameter struct that no schema has; the same one for the same struct each time.
    pub(super) fn take_struct_name(&mut self, name: String, pointer: &str) -> String {
        if self.types.iter().any(|named| named.name == name) {
            let message = format!("the schema `{name}` has the name of a parameter struct");
            let place = Place {
                pointer: pointer.to_owned(),
                position: self.position_of(pointer),
            };
            self.problems
                .report(&place, message, "rename the schema or the operation");
        }
        name
    }

    fn position_of(&self, pointer: &str) -> spec_model::Position {
        let found = self.spec.document.member(pointer);
        let position = found.map(|(key, node)| key.unwrap_or(node.position));
        position.unwrap_or(spec_model::Position { line: 1, column: 1 })
    }

    fn is_scalar(&self, ty: &Type) -> bool {
        match ty {
            Type::Any | Type::Vec(_) | Type::Map(_) => false,
            Type::Option(inner) | Type::Box(inner) => self.is_scalar(inner),
            Type::Named(name) => {
                let shape = self
                    .types
                    .iter()
                    .find(|named| named.name == *name)
                    .map(|named| &named.shape);
                match shape {
                    Some(Shape::Enum(_)) => true,
                    Some(Shape::Newtype(inner)) => self.is_scalar(inner),
                    _ => false,
                }
            }
            _ => true,
        }
    }
}
