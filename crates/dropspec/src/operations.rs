//! The operations of a document as it is written, which need not be valid.

use spec_model::{Document, Node};
use spec_schema::pointer;

const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The operations of a document.
#[derive(Debug, Default)]
pub struct Operations(Vec<Operation>);

#[derive(Debug)]
struct Operation {
    path: String,
    method: &'static str,
    id: Option<String>,
}

impl Operations {
    /// Finds the operations of a document.
    pub fn find(document: &Document) -> Operations {
        let paths = document.root().get("paths").and_then(Node::as_object);
        let paths = paths.into_iter().flatten();
        let items = paths.filter(|(path, _)| path.starts_with('/'));
        let operations = items.flat_map(|(path, item)| {
            METHODS.into_iter().filter_map(|method| {
                let operation = item.node.get(method)?;
                let id = operation.get("operationId").and_then(Node::as_str);
                Some(Operation {
                    path: path.clone(),
                    method,
                    id: id.map(str::to_owned),
                })
            })
        });
        Operations(operations.collect())
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The operation that a place of the document belongs to: its id, or its method and path.
    pub fn at_pointer(&self, place: &str) -> Option<String> {
        let tokens = pointer::tokens(place)?;
        let [paths, path, method, ..] = tokens.as_slice() else {
            return None;
        };
        let is_here = |operation: &&Operation| {
            paths == "paths" && operation.path == *path && operation.method == method
        };
        let operation = self.0.iter().find(is_here)?;
        let plain = || format!("{} {path}", method.to_uppercase());
        Some(operation.id.clone().unwrap_or_else(plain))
    }
}
