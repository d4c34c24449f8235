//! The levels that `[[severity]]` chooses for what lint says: by the operations that the place is in, or that reach it.

use std::collections::{BTreeMap, BTreeSet};

use spec_diff::{ListedOperation, list_operations};
use spec_model::{ChosenLevel, Diagnostic, Document, Level, Node, Severity, chosen_level};
use spec_schema::pointer;

/// A component by its section and its name.
type Component = (String, String);

/// The levels of a document.
pub(super) struct Levels<'s> {
    entries: &'s [Severity],
    operations: Vec<ListedOperation>,
    /// The indices of the operations that reach a component.
    reached: BTreeMap<Component, Vec<usize>>,
}

impl<'s> Levels<'s> {
    pub(super) fn new(entries: &'s [Severity], document: &Document) -> Levels<'s> {
        let mut levels = Levels {
            entries,
            operations: Vec::new(),
            reached: BTreeMap::new(),
        };
        // Most settings do not ask which operation it is.
        if entries.iter().any(Severity::is_about_operations) {
            levels.operations = list_operations(document);
            levels.reached = reach_components(document, &levels.operations);
        }
        levels
    }

    /// The level of a diagnostic: the highest at the operations that it is about. `None` if the settings turn it off at all.
    pub(super) fn choose(&self, level: Level, diagnostic: &Diagnostic) -> Option<Level> {
        let rule = diagnostic.rule;
        let at = |operation: &usize| {
            let selected = self.operations[*operation].selected();
            let chosen = chosen_level(self.entries, rule, Some(selected));
            chosen.map_or(Some(level), ChosenLevel::level)
        };
        let operations = self.operations_at(&diagnostic.pointer);
        if operations.is_empty() {
            let chosen = chosen_level(self.entries, rule, None);
            return chosen.map_or(Some(level), ChosenLevel::level);
        }
        operations.iter().filter_map(at).max()
    }

    /// The operation that a pointer leads into, those of its path, or those that reach its component.
    fn operations_at(&self, at: &str) -> Vec<usize> {
        let tokens = pointer::tokens(at).unwrap_or_default();
        let text: Vec<&str> = tokens.iter().map(String::as_str).collect();
        match text[..] {
            ["paths", path, ref rest @ ..] => {
                let method = rest.first();
                let is_own = |it: &ListedOperation| method.is_some_and(|own| *own == it.method);
                let of_path = self.operations.iter().enumerate();
                let of_path = of_path.filter(|(_, it)| it.path == path);
                let own = of_path.clone().find(|(_, it)| is_own(it));
                match own {
                    Some((index, _)) => vec![index],
                    None => of_path.map(|(index, _)| index).collect(),
                }
            }
            ["components", section, name, ..] => {
                let component = (section.to_owned(), name.to_owned());
                self.reached.get(&component).cloned().unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}

/// The operations that reach each component, through any number of others.
fn reach_components(
    document: &Document,
    operations: &[ListedOperation],
) -> BTreeMap<Component, Vec<usize>> {
    let mut next: BTreeMap<Component, BTreeSet<Component>> = BTreeMap::new();
    let sections = document.root().get("components").and_then(Node::as_object);
    for (section, list) in sections.into_iter().flatten() {
        for (name, component) in list.node.as_object().into_iter().flatten() {
            let mut found = BTreeSet::new();
            collect_references(&component.node, &mut found);
            next.insert((section.clone(), name.clone()), found);
        }
    }
    let mut reached: BTreeMap<Component, Vec<usize>> = BTreeMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let mut seen = references_of(document, operation);
        let mut waiting: Vec<Component> = seen.iter().cloned().collect();
        while let Some(component) = waiting.pop() {
            for other in next.get(&component).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    waiting.push(other.clone());
                }
            }
        }
        for component in seen {
            reached.entry(component).or_default().push(index);
        }
    }
    reached
}

/// The components that an operation names itself, or by its path and its security.
fn references_of(document: &Document, operation: &ListedOperation) -> BTreeSet<Component> {
    let mut found = BTreeSet::new();
    let root = document.root();
    let item = root.get("paths").and_then(|it| it.get(&operation.path));
    let own = item.and_then(|item| item.get(operation.method));
    let parameters = item.and_then(|item| item.get("parameters"));
    for node in [own, parameters].into_iter().flatten() {
        collect_references(node, &mut found);
    }
    let security = own.and_then(|own| own.get("security"));
    let security = security.or_else(|| root.get("security"));
    for requirement in security.and_then(Node::as_array).into_iter().flatten() {
        for (scheme, _) in requirement.as_object().into_iter().flatten() {
            found.insert(("securitySchemes".to_owned(), scheme.clone()));
        }
    }
    found
}

/// The components that the `$ref`s in a node lead to.
fn collect_references(node: &Node, found: &mut BTreeSet<Component>) {
    let mut waiting = vec![node];
    while let Some(node) = waiting.pop() {
        if let Some(reference) = node.get("$ref").and_then(Node::as_str) {
            let tokens = reference.strip_prefix('#').and_then(pointer::tokens);
            if let Some([components, section, name, ..]) = tokens.as_deref()
                && components == "components"
            {
                found.insert((section.clone(), name.clone()));
            }
        }
        waiting.extend(node.as_array().into_iter().flatten());
        let members = node.as_object().into_iter().flatten();
        waiting.extend(members.map(|(_, member)| &member.node));
    }
}
