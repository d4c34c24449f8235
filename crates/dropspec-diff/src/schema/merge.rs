//! Merges the nodes of a set into one schema. Keywords that are not understood go to `rest`, so that no difference is
//! lost.

mod ineffective;
mod keywords;

use std::collections::{BTreeMap, BTreeSet};

use dropspec_model::{Node, Value};

use self::keywords::{LIMITS, merge_flag, merge_limit, merge_text, merge_types};
use super::conditions::FurtherNodes;
use super::null_keywords::is_schema_of_null;
use super::nullable::{allows_null, has_flag};
use super::{Additional, Schema, Schemas, SetId, choices, matches_name};
use crate::canonical;
use crate::tree::Id;

impl<'d> Schemas<'d> {
    pub(super) fn merge(&mut self, set: SetId) -> Schema<'d> {
        let atoms = self.atoms(set).to_vec();
        let mut schema = Schema::default();
        let mut children = Children::default();
        for atom in &atoms {
            if self.tree.node(*atom).as_object().is_none() {
                let text = canonical::to_text(self.tree.node(*atom));
                schema.rest.entry("").or_default().insert(text);
            }
            let members: Vec<(&'d str, Id)> = self.tree.members(*atom).collect();
            for (keyword, id) in &members {
                schema.sites.entry(keyword).or_insert(*id);
                let member = (*keyword, *id);
                if !self.merge_keyword(&mut schema, &mut children, member, (*atom, &atoms)) {
                    let text = canonical::to_text(self.tree.node(*id));
                    schema.rest.entry(keyword).or_default().insert(text);
                }
            }
        }
        self.list_values(&mut schema, &atoms);
        schema.nullable = allows_null(&self.tree, &atoms);
        // Whether `null` is valid beside other values is one thing, whether the list has it or not.
        if let Some(values) = schema.enumeration.as_mut()
            && values.len() > 1
        {
            values.remove("null");
        }
        schema.read_only = has_flag(&self.tree, &atoms, "readOnly");
        schema.write_only = has_flag(&self.tree, &atoms, "writeOnly");
        self.merge_children(&mut schema, children, &atoms);
        self.count_contained(&mut schema);
        self.settle_unevaluated(&mut schema, (self.root(set), &atoms));
        ineffective::take_ineffective(&mut schema);
        schema
    }

    /// Merges one keyword; false if its value is not understood.
    fn merge_keyword(
        &mut self,
        schema: &mut Schema<'d>,
        children: &mut Children<'d>,
        (keyword, id): (&'d str, Id),
        (atom, atoms): (Id, &[Id]),
    ) -> bool {
        let node = self.tree.node(id);
        match keyword {
            "type" if is_schema_of_null(&self.tree, atom) => true,
            "type" => merge_types(schema, node),
            "format" => merge_text(&mut schema.formats, node),
            "nullable" => node.as_bool().is_some(),
            "uniqueItems" => merge_flag(node, &mut schema.unique),
            "readOnly" | "writeOnly" => node.as_bool().is_some(),
            "deprecated" => merge_flag(node, &mut schema.deprecated),
            "enum" => self.merge_values(&mut schema.enumeration, id),
            "x-extensible-enum" => self.merge_values(&mut schema.extensible_enum, id),
            "default" => {
                schema.defaults.insert(canonical::to_text(node));
                true
            }
            // A flag has no effect by itself.
            "exclusiveMaximum" | "exclusiveMinimum" if node.as_bool().is_some() => true,
            "exclusiveMaximum" => merge_limit(schema, "maximum", node, true),
            "exclusiveMinimum" => merge_limit(schema, "minimum", node, true),
            "pattern" => merge_text(&mut schema.patterns, node),
            "multipleOf" => node.as_number().is_some_and(|number| {
                schema.multiples.insert(canonical::number_text(number));
                true
            }),
            "properties" => {
                for (name, property) in self.tree.members(id).collect::<Vec<_>>() {
                    children.properties.entry(name).or_default().push(property);
                }
                node.as_object().is_some()
            }
            "required" => node.as_array().is_some_and(|items| {
                let names = items.iter().map(Node::as_str);
                let sites = self.tree.items(id).iter().copied();
                for (name, site) in names.zip(sites) {
                    if let Some(name) = name {
                        schema.required.entry(name).or_insert(site);
                    }
                }
                items.iter().all(|item| item.as_str().is_some())
            }),
            "items" => {
                children.items.push(id);
                node.as_object().is_some()
            }
            "not" => {
                let set = self.set_at(id);
                if self.is_empty(set) {
                    // The schema `false`.
                    schema.types = Some(BTreeSet::new());
                } else {
                    schema.not.push(set);
                }
                node.as_object().is_some()
            }
            "oneOf" => self.merge_choice(&mut schema.choices[0], (atom, keyword, id), atoms),
            "anyOf" => self.merge_choice(&mut schema.choices[1], (atom, keyword, id), atoms),
            "allOf" => node.as_array().is_some(),
            "additionalProperties" => match &node.value {
                Value::Bool(_) => true,
                Value::Object(_) => {
                    children.additional.push(id);
                    true
                }
                _ => false,
            },
            "discriminator" => self.merge_discriminator(schema, id, atom),
            "xml" => node.as_object().is_some_and(|object| object.is_empty()),
            _ => match LIMITS.iter().find(|known| **known == keyword) {
                Some(keyword) => {
                    let exclusive = keyword.replacen('m', "exclusiveM", 1);
                    merge_limit(schema, keyword, node, self.tree.flag(atom, &exclusive))
                }
                None if self.tree.document().uses_json_schema() => {
                    let further = &mut children.further;
                    self.merge_newer_keyword(schema, further, keyword, (id, atom))
                }
                None => false,
            },
        }
    }

    /// Merges an enum: only values in all enums remain.
    pub(super) fn merge_values(&self, values: &mut Option<BTreeMap<String, Id>>, id: Id) -> bool {
        let node = self.tree.node(id);
        if node.as_array().is_none() {
            return false;
        }
        let own: BTreeMap<String, Id> = self
            .tree
            .items(id)
            .iter()
            .map(|item| (canonical::to_text(self.tree.node(*item)), *item))
            .collect();
        match values {
            Some(values) => values.retain(|value, _| own.contains_key(value)),
            None => *values = Some(own),
        }
        true
    }

    /// The schemas of the `patternProperties` of a node that apply to a property.
    fn patterns_of(&self, atom: Id, name: &str) -> impl Iterator<Item = Id> {
        let patterns = self.tree.members_of(atom, "patternProperties");
        let is_read = self.tree.document().uses_json_schema();
        patterns
            .filter(move |(pattern, _)| is_read && matches_name(pattern, name))
            .map(|(_, schema)| schema)
    }

    /// Merges properties, items and additional properties. `additionalProperties` of a node also applies to the
    /// properties that only other nodes name, and `patternProperties` to those that they match.
    fn merge_children(&mut self, schema: &mut Schema<'d>, children: Children<'d>, atoms: &[Id]) {
        let mut properties = children.properties;
        for atom in atoms {
            let Some(additional) = self.tree.get(*atom, "additionalProperties") else {
                continue;
            };
            let own = self.tree.get(*atom, "properties");
            let named = |name: &str| {
                own.is_some_and(|own| self.tree.get(own, name).is_some())
                    || self.patterns_of(*atom, name).next().is_some()
            };
            match &self.tree.node(additional).value {
                Value::Bool(false) => {
                    schema.additional = Additional::Forbidden;
                    properties.retain(|name, _| named(name));
                }
                Value::Object(_) => {
                    for (name, nodes) in &mut properties {
                        if !named(name) {
                            nodes.push(additional);
                        }
                    }
                }
                _ => {}
            }
        }
        for (name, mut nodes) in properties {
            let patterns = atoms.iter().flat_map(|atom| self.patterns_of(*atom, name));
            nodes.extend(patterns.collect::<Vec<_>>());
            let set = self.combine_nodes(&nodes);
            schema.properties.insert(name, set);
        }
        for (key, mut nodes) in children.further {
            // `items` of a node applies behind its own `prefixItems`.
            let (keyword, _, index) = key;
            let behind = atoms.iter().filter(|atom| {
                keyword == "prefixItems" && self.tree.list(**atom, keyword).len() <= index
            });
            nodes.extend(behind.filter_map(|atom| self.tree.get(*atom, "items")));
            let set = self.combine_nodes(&nodes);
            schema.further.insert(key, set);
        }
        if !children.items.is_empty() {
            let set = self.combine_nodes(&children.items);
            if !self.is_empty(set) {
                schema.items = Some(set);
            }
        }
        // `additionalProperties: {}` equals `true`.
        if schema.additional == Additional::Any && !children.additional.is_empty() {
            let set = self.combine_nodes(&children.additional);
            if !self.is_empty(set) {
                schema.additional = Additional::Schema(set);
            }
        }
    }

    /// Whether all nodes are `{}`, apart from `allOf`.
    pub(super) fn is_empty(&self, set: SetId) -> bool {
        self.atoms(set).iter().all(|atom| {
            let object = self.tree.node(*atom).as_object();
            object.is_some_and(|object| object.keys().all(|keyword| keyword == "allOf"))
        })
    }

    /// The set of several nodes.
    fn combine_nodes(&mut self, nodes: &[Id]) -> SetId {
        if let [node] = nodes {
            return self.set_at(*node);
        }
        if self.is_exhausted() {
            return self.set_at(nodes[0]);
        }
        let mut atoms = Vec::new();
        for node in nodes {
            let root = self.tree.resolve(*node);
            atoms.extend(choices::flatten(&self.tree, root, &[]));
        }
        let before = self.sets.len();
        let set = self.intern(atoms);
        self.combined_sets += self.sets.len() - before;
        set
    }
}

/// The nodes of the schemas inside the merged schema.
#[derive(Default)]
struct Children<'d> {
    properties: BTreeMap<&'d str, Vec<Id>>,
    items: Vec<Id>,
    additional: Vec<Id>,
    further: FurtherNodes<'d>,
}
