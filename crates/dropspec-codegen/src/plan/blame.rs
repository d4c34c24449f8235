//! Finds the operations that an error of the document concerns: those that contain its place, and those that refer to
//! it, directly or through other elements. Webhooks are such operations, too. An operation refers to its security schemes by their names.

use std::collections::{BTreeSet, HashMap, HashSet};

use dropspec_model::{Diagnostic, Method, Node, Operation, PathItem, PathTemplate, Spec, Value};
use dropspec_schema::{pointer, pointer_of_reference};

use crate::files::Unsupported;

/// The key of operations with other methods (OpenAPI 3.2).
const ADDITIONAL: &str = "additionalOperations";

/// The errors of a document by operation.
pub(super) struct Blame {
    /// For each operation of the document the errors that concern it, and after them for each operation of the webhooks.
    pub(super) operations: Vec<Vec<Diagnostic>>,
    /// The errors of components that no operation refers to, of paths without operations, and of webhooks that could not be read.
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
    let paths = spec.paths.iter().map(|item| (&item.path, item));
    let mut references = ReferenceFollower {
        spec,
        items: paths.collect(),
        known: HashMap::new(),
    };
    // By the JSON pointer of an element, the operations that consist of it among others.
    let mut users: HashMap<String, Vec<usize>> = HashMap::new();
    let mut of_path: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, operation) in operations.iter().enumerate() {
        for part in references.reach(operation) {
            users.entry(part).or_default().push(index);
        }
        if let Some(item) = references.items.get(&operation.path) {
            of_path.entry(&item.at.pointer).or_default().push(index);
        }
    }
    for error in errors {
        // What is wrong with the path itself concerns all its operations.
        let of_path = of_path.get(error.pointer.as_str());
        let around = around(&error.pointer).filter_map(|part| users.get(part));
        let concerned: BTreeSet<&usize> = around.chain(of_path).flatten().collect();
        for index in &concerned {
            blame.operations[**index].push(error.clone());
        }
        if !concerned.is_empty() {
            continue;
        }
        let unreadable = unread_operations(spec, &error.pointer);
        let is_apart = |section: &&str| error.pointer.starts_with(*section);
        let is_apart = ["/components/", "/webhooks/"].iter().any(is_apart);
        if is_apart || unreadable.as_ref().is_some_and(Vec::is_empty) {
            blame.unused.push(error.clone());
        } else if unreadable.is_none() {
            blame.whole.push(error.clone());
        }
        let unreadable = unreadable.into_iter().flatten();
        let unreadable = unreadable.map(|operation| Unsupported {
            operation,
            problems: vec![error.clone()],
            is_answered: false,
        });
        blame.unreadable.extend(unreadable);
    }
    blame
}

/// The operations at a place that was not read, by method and path: of a whole path all of them, or none if it has none. `None` for
/// another place.
fn unread_operations(spec: &Spec, place: &str) -> Option<Vec<String>> {
    let tokens = pointer::tokens(place).unwrap_or_default();
    let tokens: Vec<&str> = tokens.iter().map(|it| &**it).collect();
    let ["paths", path, rest @ ..] = tokens.as_slice() else {
        return None;
    };
    let item = spec.document.pointer(&pointer::join("/paths", path))?;
    let item = item.as_object()?;
    let others = item.get(ADDITIONAL).and_then(|it| it.node.as_object());
    let others = others.into_iter().flatten().map(|(method, _)| method);
    let methods = Method::ALL
        .iter()
        .map(|method| (method.as_str(), method.key()));
    let fixed = methods.filter(|(_, key)| item.contains_key(*key));
    let fixed = fixed.map(|(method, key)| (method, vec![key]));
    let others = others.map(|method| (method.as_str(), vec![ADDITIONAL, method]));
    let blamed = fixed
        .chain(others)
        .filter(|(_, at)| rest.starts_with(at) || at.starts_with(rest));
    let blamed: Vec<String> = blamed
        .map(|(method, _)| format!("{method} {path}"))
        .collect();
    (rest.is_empty() && !item.contains_key("$ref") || !blamed.is_empty()).then_some(blamed)
}

/// The JSON pointers of what a value is in, and its own.
fn around(pointer: &str) -> impl Iterator<Item = &str> {
    let slashes = pointer.match_indices('/').map(|(index, _)| index);
    let ends = slashes.skip(1).chain([pointer.len()]);
    ends.map(|end| &pointer[..end])
}

/// Follows the `$ref`s of the document.
struct ReferenceFollower<'s> {
    spec: &'s Spec,
    items: HashMap<&'s PathTemplate, &'s PathItem>,
    /// The targets of the `$ref`s within an element, by its JSON pointer.
    known: HashMap<String, Vec<String>>,
}

impl ReferenceFollower<'_> {
    /// The JSON pointers of the elements that an operation consists of.
    fn reach(&mut self, operation: &Operation) -> HashSet<String> {
        let mut open = vec![operation.at.pointer.clone()];
        if let Some(item) = self.items.get(&operation.path) {
            let members = self.spec.node(&item.at).and_then(Node::as_object);
            let shared = members.into_iter().flatten().map(|(key, _)| key);
            let shared = shared.filter(|key| Method::of_key(key).is_none() && *key != ADDITIONAL);
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
