//! The types of the schemas of a document alone, without its operations: what a test of the types needs.

use spec_model::{Diagnostic, Spec};

use crate::plan;
use crate::source::print_tokens;
use crate::spelling::spell;
use crate::type_definitions;

/// The types of all schemas of a document.
#[derive(Debug)]
pub struct SchemaTypes {
    /// The text of `types.rs`, not formatted.
    pub content: String,
    /// The JSON pointer of each component and of each schema that an operation uses, and its Rust type.
    pub schemas: Vec<(String, String)>,
    /// What the types lose or change.
    pub warnings: Vec<Diagnostic>,
}

/// Generates the types of the schemas of a document.
///
/// # Errors
///
/// What is wrong in the schemas.
pub fn generate_types(spec: &Spec) -> Result<SchemaTypes, Vec<Diagnostic>> {
    let planned = plan::plan_types(spec)?;
    let tokens = type_definitions::render(&planned.types);
    let schemas = planned.schemas.iter();
    Ok(SchemaTypes {
        content: print_tokens(tokens, "types"),
        schemas: schemas
            .map(|(pointer, ty)| (pointer.clone(), spell(ty).to_string().replace(' ', "")))
            .collect(),
        warnings: planned.warnings,
    })
}
