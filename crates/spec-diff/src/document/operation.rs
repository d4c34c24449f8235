//! An operation of one document.

use crate::tree::Id;

/// The methods of a path item.
pub(super) const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// An operation, by its nodes.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The operation object.
    pub(crate) id: Id,
    /// The path item.
    pub(crate) item: Id,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The names of the path parameters, in the order of the path.
    pub(crate) names: Vec<String>,
}

impl Operation {
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }
}
