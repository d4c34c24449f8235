//! The types that a plan names: their names, which are unique, and their order.

use std::collections::{HashMap, HashSet};

use dropspec_model::{Place, SchemaRef, Spec};
use indexmap::IndexMap;

use crate::model::{NamedType, Origin, Shape, Type};
use crate::names;
use crate::plan::cycles;
use crate::plan::problems::Problems;

/// Collects the named types of a document during planning.
pub(super) struct Types<'s> {
    pub(super) spec: &'s Spec,
    pub(super) problems: &'s Problems<'s>,
    /// Rust names of the components, by the document's names.
    pub(super) components: HashMap<String, String>,
    /// Rust names of the schemas written inside others, by pointer.
    pub(super) hoisted: HashMap<String, String>,
    /// All names of types so far.
    taken: HashSet<String>,
    /// Those of them that a field may have too: they begin with a digit in the document.
    like_fields: HashSet<String>,
    /// The types by name, in the order in which they are written.
    named: IndexMap<String, NamedType>,
}

impl<'s> Types<'s> {
    /// Chooses the names of the components.
    pub(super) fn new(spec: &'s Spec, problems: &'s Problems<'s>) -> Types<'s> {
        let mut types = Types {
            spec,
            problems,
            components: HashMap::new(),
            hoisted: HashMap::new(),
            taken: HashSet::new(),
            like_fields: HashSet::new(),
            named: IndexMap::new(),
        };
        for (number, (name, schema)) in spec.schemas.iter().enumerate() {
            let wanted = names::type_name(name).unwrap_or_else(|| format!("Schema{}", number + 1));
            let rust = types.claim_name(wanted, name, schema.at());
            types.components.insert(name.clone(), rust);
        }
        types
    }

    /// Takes a name for a type: `wanted`, or with a number if another type has it, which is a warning. `document_name` is
    /// what the document calls it.
    pub(super) fn claim_name(&mut self, wanted: String, document_name: &str, at: &Place) -> String {
        let name = self.take_name(wanted.clone());
        if name != wanted {
            self.problems.warn(
                at,
                format!("`{document_name}` is the Rust type `{name}`, since `{wanted}` is taken"),
                "rename it to choose the name of the type",
            );
        }
        name
    }

    /// The names of types that no field may have, as code that derives make would take it for the constructor of the type.
    pub(super) fn names_like_fields(&self) -> HashSet<String> {
        self.like_fields.clone()
    }

    fn take_name(&mut self, wanted: String) -> String {
        let name = names::make_unique(wanted, &mut self.taken);
        if name.starts_with('_') {
            self.like_fields.insert(name.clone());
        }
        name
    }

    /// Takes a name for a type that the document does not name.
    pub(super) fn derive_name(&mut self, hint: &str) -> String {
        let wanted = names::type_name(hint).unwrap_or_else(|| "Inline".to_owned());
        self.take_name(wanted)
    }

    /// Adds a type whose shape is not known yet.
    pub(super) fn push(&mut self, name: String, pointer: String, docs: String, origin: Origin) {
        let named = NamedType {
            name: name.clone(),
            pointer,
            docs,
            shape: Shape::Newtype(Type::Any),
            origin,
            error: None,
        };
        self.named.insert(name, named);
    }

    pub(super) fn set_shape(&mut self, name: &str, shape: Shape) {
        if let Some(named) = self.find(name) {
            named.shape = shape;
        }
    }

    /// Removes a type that turned out to need no name.
    pub(super) fn give_back(&mut self, name: &str) {
        let is_last = self.named.last().is_some_and(|(last, _)| last == name);
        self.named.shift_remove(name);
        // A type inside may be named after it.
        if is_last {
            self.taken.remove(name);
            self.like_fields.remove(name);
        }
    }

    pub(super) fn find(&mut self, name: &str) -> Option<&mut NamedType> {
        self.named.get_mut(name)
    }

    /// Whether a value of the type is written as one text, as in a header or a path.
    pub(super) fn is_scalar(&self, ty: &Type) -> bool {
        match ty {
            Type::Any | Type::Vec(_) | Type::Map(_) => false,
            Type::Option(inner) | Type::Box(inner) => self.is_scalar(inner),
            Type::Named(name) => match self.named.get(name).map(|named| &named.shape) {
                Some(Shape::Enum(_)) => true,
                Some(Shape::Newtype(inner)) => self.is_scalar(inner),
                _ => false,
            },
            _ => true,
        }
    }

    /// Makes schemas that are only names for each other, in a circle, [`Type::Any`], so that following names ends.
    pub(super) fn break_endless_names(&mut self) {
        for pointer in cycles::break_endless_names(self.named.values_mut()) {
            let node = self.spec.document.pointer(&pointer);
            let at = Place {
                position: node.map_or(self.spec.info.at.position, |node| node.position),
                pointer,
            };
            let message = "the schema is only a name for itself, so that it accepts anything";
            self.problems.warn(&at, message, "give it a type");
        }
    }

    /// The type of a body.
    pub(super) fn resolve_body(&mut self, schema: &SchemaRef, hint: &str) -> Type {
        let ty = self.resolve_type(schema, hint);
        self.mark_body_type(&ty);
        ty
    }

    /// Marks the type of a body, so that its JSON schema is generated even if the document does not name it.
    pub(super) fn mark_body_type(&mut self, ty: &Type) {
        if let Some(name) = ty.named()
            && let Some(named) = self.find(name)
            && named.origin == Origin::Hoisted
        {
            named.origin = Origin::Body;
        }
    }

    pub(super) fn finish(self) -> Vec<NamedType> {
        self.named.into_values().collect()
    }
}
