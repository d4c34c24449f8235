//! An operation of a document that is compared.

use dropspec_model::Stability;

use crate::session::ReachedOperation;
use crate::tree::{Id, Tree};

/// An operation of one document, by its nodes.
#[derive(Debug, Clone)]
pub(super) struct Operation {
    /// The operation object.
    pub(super) id: Id,
    /// The path item.
    pub(super) item: Id,
    pub(super) method: &'static str,
    pub(super) path: String,
    /// The names of the path parameters, in the order of the path.
    pub(super) names: Vec<String>,
}

impl Operation {
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    /// What edits of the operation reach. The tags are those of the node `id` of a document.
    pub(super) fn reached(
        &self,
        tree: &Tree<'_>,
        id: Id,
        stability: Stability,
    ) -> ReachedOperation {
        let tags = tree.list(id, "tags").iter();
        let tags = tags.filter_map(|tag| tree.node(*tag).as_str());
        ReachedOperation {
            label: self.label(),
            path: self.path.clone(),
            tags: tags.map(str::to_owned).collect(),
            stability,
            sent_as: None,
            status: None,
        }
    }
}
