//! The types that a plan names.

use std::collections::{HashMap, HashSet};

use spec_model::Spec;

use crate::model::NamedType;
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
    pub(super) taken: HashSet<String>,
    pub(super) types: Vec<NamedType>,
}
