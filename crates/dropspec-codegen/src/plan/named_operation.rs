//! An operation of the document with its names.

/// An operation of the document with its names.
pub(super) struct NamedOperation<'s> {
    pub(super) operation: &'s dropspec_model::Operation,
    pub(super) id: String,
    /// The variant of `enum Operation`, which begins the names of types.
    pub(super) variant: String,
}
