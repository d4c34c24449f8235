//! An operation with the names that the generated code has for it.

/// An operation of the document with its names.
pub(super) struct Named<'s> {
    pub(super) operation: &'s spec_model::Operation,
    pub(super) id: String,
    /// The variant of `enum Operation`, which begins the names of types.
    pub(super) variant: String,
}
