//! The schemas of a request body that lead to deprecated properties, and the visit of a body by them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// The schemas of a request body, as far as they lead to deprecated properties.
#[derive(Debug, Default)]
pub(super) struct SchemaGraph {
    /// The schema of each media type.
    pub(super) roots: Vec<Option<usize>>,
    pub(super) schemas: Vec<SchemaNode>,
}

/// What all schemas that apply to one value say about the values inside it.
#[derive(Debug, Default)]
pub(super) struct SchemaNode {
    pub(super) properties: BTreeMap<String, Property>,
    /// The schemas of items and of additional properties.
    pub(super) others: BTreeSet<usize>,
}

#[derive(Debug, Default)]
pub(super) struct Property {
    /// The names of the inputs that it is.
    pub(super) inputs: Vec<usize>,
    pub(super) schemas: BTreeSet<usize>,
}

impl SchemaGraph {
    /// Adds the inputs in a value, to which `schemas` apply. Each value is visited once, however many schemas there are.
    pub(super) fn visit(
        &self,
        schemas: &BTreeSet<usize>,
        value: &Value,
        found: &mut BTreeSet<usize>,
    ) {
        let nodes = schemas.iter().map(|index| &self.schemas[*index]);
        let others = || nodes.clone().flat_map(|node| &node.others).copied();
        match value {
            Value::Array(items) => {
                let schemas = others().collect();
                self.visit_each(&schemas, items.iter(), found);
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let declared = nodes.clone().filter_map(|node| node.properties.get(name));
                    let mut schemas: BTreeSet<usize> = others().collect();
                    for property in declared {
                        found.extend(&property.inputs);
                        schemas.extend(&property.schemas);
                    }
                    self.visit_each(&schemas, [member].into_iter(), found);
                }
            }
            _ => {}
        }
    }

    fn visit_each<'v>(
        &self,
        schemas: &BTreeSet<usize>,
        values: impl Iterator<Item = &'v Value>,
        found: &mut BTreeSet<usize>,
    ) {
        if !schemas.is_empty() {
            values.for_each(|value| self.visit(schemas, value, found));
        }
    }

    /// Removes the ways that lead to no deprecated property, so that bodies without one cost nothing.
    pub(super) fn prune(&mut self) {
        let mut useful = vec![false; self.schemas.len()];
        loop {
            let leads = |schemas: &BTreeSet<usize>| schemas.iter().any(|index| useful[*index]);
            let next = self.schemas.iter().map(|node| {
                let mut properties = node.properties.values();
                leads(&node.others)
                    || properties.any(|it| !it.inputs.is_empty() || leads(&it.schemas))
            });
            let next: Vec<bool> = next.collect();
            if next == useful {
                break;
            }
            useful = next;
        }
        for root in &mut self.roots {
            *root = root.filter(|index| useful[*index]);
        }
        for node in &mut self.schemas {
            node.others.retain(|index| useful[*index]);
            for property in node.properties.values_mut() {
                property.schemas.retain(|index| useful[*index]);
            }
            let is_used = |it: &Property| !it.inputs.is_empty() || !it.schemas.is_empty();
            node.properties.retain(|_, property| is_used(property));
        }
    }
}
