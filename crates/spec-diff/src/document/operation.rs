//! An operation of one document.

use crate::edit::Edit;
use crate::lifecycle::{self, Lifecycle};
use crate::rules::rule;
use crate::session::Session;
use crate::tree::{Id, Tree};

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

/// The tags of an operation.
pub(super) fn tags_of(tree: &Tree<'_>, operation: Id) -> Vec<String> {
    let tags = tree.list(operation, "tags").iter();
    let names = tags.filter_map(|tag| tree.node(*tag).as_str());
    names.map(str::to_owned).collect()
}

/// Reports a stability that is unknown; returns whether it is.
pub(crate) fn report_unknown_stability(
    session: &mut Session<'_>,
    life: &Lifecycle,
    edit: Edit,
) -> bool {
    let Some(text) = life.unknown_stability() else {
        return false;
    };
    let message = lifecycle::describe_unknown_stability(text);
    let edit = edit.item("stability");
    session.report(rule!("api-invalid-stability-level"), edit, message);
    true
}
