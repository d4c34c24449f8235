//! The operations of a document with what settings select them by.

use dropspec_model::{Document, Node, Selected, Stability};
use dropspec_schema::METHODS;

use crate::lifecycle::{STABILITIES, parse_stability};

/// An operation of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedOperation {
    /// The path, such as `/pets/{petId}`.
    pub path: String,
    /// The method in lower case.
    pub method: &'static str,
    /// The tags.
    pub tags: Vec<String>,
    /// The stability; stable if none is declared that is known.
    pub stability: Stability,
}

/// Lists the operations under `paths`.
pub fn list_operations(document: &Document) -> Vec<ListedOperation> {
    let paths = document.root().get("paths").and_then(Node::as_object);
    let mut found = Vec::new();
    for (path, item) in paths.into_iter().flatten() {
        for method in METHODS {
            let additional = || item.node.get("additionalOperations")?.get(method);
            let Some(operation) = item.node.get(method).or_else(additional) else {
                continue;
            };
            let tags = operation.get("tags").and_then(Node::as_array);
            let tags = tags.into_iter().flatten().filter_map(Node::as_str);
            let stability = STABILITIES
                .iter()
                .filter_map(|key| operation.get(key)?.as_str());
            let stability = stability.filter_map(parse_stability).next();
            found.push(ListedOperation {
                path: path.clone(),
                method,
                tags: tags.map(str::to_owned).collect(),
                stability: stability.unwrap_or(Stability::Stable),
            });
        }
    }
    found
}

impl ListedOperation {
    /// Method and path for people, such as `GET /pets`.
    pub fn label(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }

    /// The operation for entries of settings.
    pub fn selected(&self) -> Selected<'_> {
        Selected {
            path: &self.path,
            tags: &self.tags,
            stability: self.stability,
        }
    }
}
