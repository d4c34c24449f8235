//! Finds the operations that an error of the document concerns: those that contain its place, and those that refer to
//! it, directly or through other elements. Webhooks are such operations, too. An operation refers to its security schemes by their names.

use std::collections::{HashMap, HashSet};

use dropspec_model::{Diagnostic, Method, Node, Operation, PathItem, Spec, Value};
use dropspec_schema::{pointer, pointer_of_reference};

use crate::files::Unsupported;

/// The errors of a document by operation.
pub(super) struct Blame {
    /// For each operation of the document the errors that concern it, and after them for each operation of the webhooks.
    pub(super) operations: Vec<Vec<Diagnostic>>,
    /// The errors of components that no operation refers to, and of webhooks that could not be read.
    pub(super) unused: Vec<Diagnostic>,
    /// The operations that could not be read at all.
    pub(super) unreadable: Vec<Unsupported>,
    /// The errors that concern the document as a whole.
    pub(super) whole: Vec<Diagnostic>,
}

/// Assigns the errors of a document to its operations.
pub(super) fn assign(spec: &Spec, errors: &[Diagnostic]) -> Blame {
    let operations = spec
        .operations
        .iter()
        .chain(spec.webhooks.values().flatten());
    let operations: Vec<&Operation> = operations.collect();
    let mut blame = Blame {
        operations: vec![Vec::new(); operations.len()],
        unused: Vec::new(),
        unreadable: Vec::new(),
        whole: Vec::new(),
    };
    if errors.is_empty() {
        return blame;
    }
    let mut references = References {
        spec,
        known: HashMap::new(),
    };
    let parts = operations.iter().map(|of| references.reach(of));
    let parts: Vec<HashSet<String>> = parts.collect();
    for error in errors {
        let mut is_assigned = false;
        for (index, operation) in operations.iter().enumerate() {
            // What is wrong with the path itself concerns all its operations.
            let item = find_item(spec, operation);
            let is_of_path = item.is_some_and(|item| item.at.pointer == error.pointer);
            if is_of_path || is_within(&error.pointer, &parts[index]) {
                blame.operations[index].push(error.clone());
                is_assigned = true;
            }
        }
        if is_assigned {
            continue;
        }
        let unreadable = unread_operations(spec, &error.pointer);
        let is_apart = |section: &&str| error.pointer.starts_with(*section);
        if ["/components/", "/webhooks/"].iter().any(is_apart) {
            blame.unused.push(error.clone());
        } else if unreadable.is_empty() {
            blame.whole.push(error.clone());
        }
        let unreadable = unreadable.into_iter().map(|operation| Unsupported {
            operation,
            problems: vec![error.clone()],
            is_answered: false,
        });
        blame.unreadable.extend(unreadable);
    }
    blame
}

fn find_item<'s>(spec: &'s Spec, operation: &Operation) -> Option<&'s PathItem> {
    spec.paths.iter().find(|item| item.path == operation.path)
}

/// The operations at a place that was not read, by method and path: of a whole path all of them.
fn unread_operations(spec: &Spec, place: &str) -> Vec<String> {
    let tokens = pointer::tokens(place).unwrap_or_default();
    let [paths, path, rest @ ..] = tokens.as_slice() else {
        return Vec::new();
    };
    let item = pointer::join("/paths", path);
    let item = spec.document.pointer(&item).and_then(Node::as_object);
    let Some(item) = item.filter(|_| paths == "paths") else {
        return Vec::new();
    };
    let is_blamed = |method: &&Method| {
        let key = method.key();
        item.contains_key(key) && rest.first().is_none_or(|first| first == key)
    };
    let methods = Method::ALL.iter().filter(is_blamed);
    methods.map(|method| format!("{method} {path}")).collect()
}

/// Whether a JSON pointer is one of `parts`, or leads into one of them.
fn is_within(pointer: &str, parts: &HashSet<String>) -> bool {
    let slashes = pointer.match_indices('/').map(|(index, _)| index);
    let ends = slashes.skip(1).chain([pointer.len()]);
    ends.into_iter().any(|end| parts.contains(&pointer[..end]))
}

/// Follows the `$ref`s of the document.
struct References<'s> {
    spec: &'s Spec,
    /// The targets of the `$ref`s within an element, by its JSON pointer.
    known: HashMap<String, Vec<String>>,
}

impl References<'_> {
    /// The JSON pointers of the elements that an operation consists of.
    fn reach(&mut self, operation: &Operation) -> HashSet<String> {
        let mut open = vec![operation.at.pointer.clone()];
        if let Some(item) = find_item(self.spec, operation) {
            let members = self.spec.node(&item.at).and_then(Node::as_object);
            let shared = members.into_iter().flatten().map(|(key, _)| key);
            let shared = shared.filter(|key| Method::of_key(key).is_none());
            open.extend(shared.map(|key| pointer::join(&item.at.pointer, key)));
        }
        let requirements = self.spec.security_of(operation).iter();
        let schemes = requirements.flat_map(|requirement| requirement.schemes.keys());
        open.extend(schemes.map(|name| pointer::join("/components/securitySchemes", name)));
        let mut reached = HashSet::new();
        while let Some(next) = open.pop() {
            if reached.insert(next.clone()) {
                open.extend(self.targets(&next).iter().cloned());
            }
        }
        reached
    }

    fn targets(&mut self, element: &str) -> &[String] {
        let spec = self.spec;
        self.known.entry(element.to_owned()).or_insert_with(|| {
            let mut found = Vec::new();
            if let Some(node) = spec.document.pointer(element) {
                gather_references(node, &mut found);
            }
            found
        })
    }
}

fn gather_references(node: &Node, found: &mut Vec<String>) {
    match &node.value {
        Value::Object(members) => {
            for (key, member) in members {
                let target = member.node.as_str().filter(|_| key == "$ref");
                match target.and_then(pointer_of_reference) {
                    Some(target) => found.push(target.to_string()),
                    None => gather_references(&member.node, found),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| gather_references(item, found)),
        _ => {}
    }
}
