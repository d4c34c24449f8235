//! The operations of a document as it is written, which need not be valid.

use spec_model::{Document, Node};
use spec_schema::{METHODS, pointer};

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
        let items = paths.filter(|(path, _)| !path.starts_with("x-"));
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

    /// The operations that a place of the document belongs to, each by its id, or by its method and path: one, or all those
    /// of a path.
    pub fn at_pointer(&self, place: &str) -> Vec<String> {
        let tokens = pointer::tokens(place).unwrap_or_default();
        let [paths, path, rest @ ..] = tokens.as_slice() else {
            return Vec::new();
        };
        let of_path = self
            .0
            .iter()
            .filter(|it| paths == "paths" && it.path == *path);
        let is_method = |key: &String| METHODS.contains(&key.as_str());
        let method = rest.first().filter(|key| is_method(key));
        let here = of_path.filter(|it| method.is_none_or(|method| it.method == method));
        let names = here.map(|it| {
            let plain = || format!("{} {path}", it.method.to_uppercase());
            it.id.clone().unwrap_or_else(plain)
        });
        names.collect()
    }
}
