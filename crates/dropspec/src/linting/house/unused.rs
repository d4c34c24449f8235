//! Every component and every tag is used. Others would become needless types, and empty chapters of the reference page.

use std::collections::HashSet;

use dropspec_model::{Node, Place, Value};

use crate::linting::linter::Linter;
use crate::linting::openapi::{Element, list_members};
use crate::linting::rules::rule;

impl Linter<'_> {
    pub(super) fn check_unused_parts(&mut self) {
        let spec = self.spec;
        let root = spec.document.root();
        let mut used = HashSet::new();
        collect_references(root, &mut used);
        let element = Element {
            node: root,
            at: &Place::root(&spec.document),
        };
        let security = spec
            .operations
            .iter()
            .flat_map(|operation| &operation.security);
        let requirements = spec.security.iter().chain(security.flatten());
        let schemes: HashSet<&str> = requirements
            .flat_map(|requirement| requirement.schemes.keys().map(String::as_str))
            .collect();
        for (kind, at, components) in element.list_map_entries("components") {
            for (name, at, _) in list_members(components, &at) {
                let is_used = match kind {
                    "securitySchemes" => schemes.contains(name),
                    _ => used.contains(&format!("#{}", at.pointer)) || kind.starts_with("x-"),
                };
                if !is_used {
                    let message = format!("nothing refers to the component `{name}`");
                    self.report_rule(rule!("house-unused-component"), &at, message);
                }
            }
        }
        let used = spec.operations.iter().flat_map(|operation| &operation.tags);
        let used: HashSet<&str> = used.map(|tag| tag.value.as_str()).collect();
        for tag in &spec.tags {
            let name = tag.name.as_str();
            if !used.contains(name) {
                let message = format!("no operation has the tag `{name}`");
                self.report_rule(rule!("house-unused-tag"), &tag.at, message);
            }
        }
    }
}

/// Collects the components that the strings of a document refer to, in a `$ref` or in the mapping of a discriminator. A
/// reference to a part of a component counts for the component.
fn collect_references(node: &Node, found: &mut HashSet<String>) {
    match &node.value {
        Value::String(text) if text.starts_with('#') => {
            let component: Vec<&str> = text.split('/').take(4).collect();
            found.insert(component.join("/"));
        }
        Value::Array(items) => items
            .iter()
            .for_each(|item| collect_references(item, found)),
        Value::Object(members) => members
            .values()
            .for_each(|member| collect_references(&member.node, found)),
        _ => {}
    }
}
