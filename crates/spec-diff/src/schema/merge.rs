//! Puts together what the nodes of a set say. Whatever is not understood is kept by its keyword, so that no difference is lost.

use std::collections::{BTreeMap, BTreeSet};

use spec_model::{Node, Value};

use super::{Additional, Bound, Discriminator, MappingTarget, Schema, Schemas, SetId};
use crate::canonical;
use crate::tree::Id;

/// Counts of which the smallest holds when several apply.
const UPPER: [&str; 3] = ["maxLength", "maxItems", "maxProperties"];
/// Counts of which the largest holds; absent is the same as 0.
const LOWER: [&str; 3] = ["minLength", "minItems", "minProperties"];

impl<'d> Schemas<'d> {
    pub(super) fn merge(&mut self, set: SetId) -> Schema<'d> {
        let atoms = self.atoms(set).to_vec();
        let mut schema = Schema::default();
        let mut children = Children::default();
        for atom in &atoms {
            if self.tree.node(*atom).as_object().is_none() {
                let text = canonical::text(self.tree.node(*atom));
                schema.rest.entry("").or_default().insert(text);
            }
            let members: Vec<(&'d str, Id)> = self.tree.members(*atom).collect();
            for (keyword, id) in &members {
                schema.sites.entry(keyword).or_insert(*id);
                if !self.keyword(&mut schema, &mut children, keyword, *id, *atom) {
                    let text = canonical::text(self.tree.node(*id));
                    schema.rest.entry(keyword).or_default().insert(text);
                }
            }
        }
        // `minLength: 0` says nothing, as `required: []` and `properties: {}` do.
        schema
            .counts
            .retain(|keyword, count| !LOWER.contains(keyword) || *count > 0.0);
        self.objects(&mut schema, children, &atoms);
        schema
    }

    /// Takes up one keyword; false if its value is not what the keyword can have.
    fn keyword(
        &mut self,
        schema: &mut Schema<'d>,
        children: &mut Children<'d>,
        keyword: &'d str,
        id: Id,
        atom: Id,
    ) -> bool {
        let node = self.tree.node(id);
        match keyword {
            "type" => types(schema, node),
            "format" => text(&mut schema.formats, node),
            "nullable" => flag(node, &mut schema.nullable),
            "uniqueItems" => flag(node, &mut schema.unique),
            "readOnly" => flag(node, &mut schema.read_only),
            "writeOnly" => flag(node, &mut schema.write_only),
            "deprecated" => flag(node, &mut schema.deprecated),
            "enum" => self.values(&mut schema.enumeration, id),
            "x-extensible-enum" => self.values(&mut schema.extensible_enum, id),
            "default" => {
                schema.defaults.insert(canonical::text(node));
                true
            }
            "maximum" => bound(self, &mut schema.maximum, atom, node, "exclusiveMaximum"),
            "minimum" => bound(self, &mut schema.minimum, atom, node, "exclusiveMinimum"),
            "exclusiveMaximum" => exclusive(self, &mut schema.maximum, atom, node, "maximum"),
            "exclusiveMinimum" => exclusive(self, &mut schema.minimum, atom, node, "minimum"),
            "pattern" => text(&mut schema.patterns, node),
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
                let set = self.at(id);
                schema.not.push(set);
                node.as_object().is_some()
            }
            "oneOf" => self.composition(&mut schema.one_of, id),
            "anyOf" => self.composition(&mut schema.any_of, id),
            "allOf" => node.as_array().is_some(),
            "additionalProperties" => match &node.value {
                Value::Bool(_) => true,
                Value::Object(_) => {
                    children.additional.push(id);
                    true
                }
                _ => false,
            },
            "discriminator" => self.discriminator(schema, id),
            _ => match UPPER.iter().chain(&LOWER).find(|known| **known == keyword) {
                Some(keyword) => count(schema, keyword, node),
                None => false,
            },
        }
    }

    fn values(&self, values: &mut Option<BTreeMap<String, Id>>, id: Id) -> bool {
        let node = self.tree.node(id);
        if node.as_array().is_none() {
            return false;
        }
        let own: BTreeMap<String, Id> = self
            .tree
            .items(id)
            .iter()
            .map(|item| (canonical::text(self.tree.node(*item)), *item))
            .collect();
        match values {
            Some(values) => values.retain(|value, _| own.contains_key(value)),
            None => *values = Some(own),
        }
        true
    }

    fn composition(&mut self, members: &mut Vec<SetId>, id: Id) -> bool {
        for item in self.tree.items(id).to_vec() {
            let set = self.at(item);
            members.push(set);
        }
        self.tree.node(id).as_array().is_some()
    }

    fn discriminator(&mut self, schema: &mut Schema<'d>, id: Id) -> bool {
        let Some(property) = self.tree.text(id, "propertyName") else {
            return false;
        };
        if schema.discriminator.is_some() {
            return false;
        }
        let mut mapping = BTreeMap::new();
        if let Some(entries) = self.tree.get(id, "mapping") {
            for (value, site) in self.tree.members(entries).collect::<Vec<_>>() {
                let written = self.tree.node(site).as_str().unwrap_or_default();
                let pointer = match written.strip_prefix('#') {
                    Some(pointer) => pointer.to_owned(),
                    None => format!("/components/schemas/{written}"),
                };
                let target = self.tree.lookup(&pointer);
                let schema = target.map(|target| self.at(target));
                let target = MappingTarget {
                    site,
                    written,
                    schema,
                };
                mapping.insert(value, target);
            }
        }
        schema.discriminator = Some(Discriminator {
            site: id,
            property,
            mapping,
        });
        let known = ["propertyName", "mapping"];
        self.tree.members(id).all(|(key, _)| known.contains(&key))
    }

    /// Joins the children. An atom that is closed, or says what its additional properties are, says so of every property
    /// that the other atoms name and it does not.
    fn objects(&mut self, schema: &mut Schema<'d>, children: Children<'d>, atoms: &[Id]) {
        let mut properties = children.properties;
        for atom in atoms {
            let Some(additional) = self.tree.get(*atom, "additionalProperties") else {
                continue;
            };
            let own = self.tree.get(*atom, "properties");
            let named = |name: &str| own.is_some_and(|own| self.tree.get(own, name).is_some());
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
        for (name, nodes) in properties {
            let set = self.union(&nodes);
            schema.properties.insert(name, set);
        }
        if !children.items.is_empty() {
            schema.items = Some(self.union(&children.items));
        }
        // `additionalProperties: {}` says no more than `true`.
        if schema.additional == Additional::Any && !children.additional.is_empty() {
            let set = self.union(&children.additional);
            let says_nothing = |atom: &Id| {
                let object = self.tree.node(*atom).as_object();
                object.is_some_and(|object| object.is_empty())
            };
            if !self.atoms(set).iter().all(says_nothing) {
                schema.additional = Additional::Schema(set);
            }
        }
    }

    fn union(&mut self, nodes: &[Id]) -> SetId {
        if let [node] = nodes {
            return self.at(*node);
        }
        let mut atoms = Vec::new();
        for node in nodes {
            let root = self.tree.resolve(*node);
            self.flatten(root, &[], &mut atoms);
        }
        self.intern(atoms)
    }
}

#[derive(Default)]
struct Children<'d> {
    properties: BTreeMap<&'d str, Vec<Id>>,
    items: Vec<Id>,
    additional: Vec<Id>,
}

fn flag(node: &Node, value: &mut bool) -> bool {
    match node.as_bool() {
        Some(truth) => {
            *value |= truth;
            true
        }
        None => false,
    }
}

/// Everything matches an empty pattern, and an empty format is none.
fn text<'d>(texts: &mut BTreeSet<&'d str>, node: &'d Node) -> bool {
    texts.extend(node.as_str().filter(|text| !text.is_empty()));
    node.as_str().is_some()
}

fn types<'d>(schema: &mut Schema<'d>, node: &'d Node) -> bool {
    let own: Option<BTreeSet<&str>> = match &node.value {
        Value::String(name) => Some([name.as_str()].into()),
        Value::Array(items) => items.iter().map(Node::as_str).collect(),
        _ => None,
    };
    let Some(mut own) = own else {
        return false;
    };
    // OpenAPI 3.1 writes what 3.0 calls nullable as a type.
    if own.len() > 1 && own.remove("null") {
        schema.nullable = true;
    }
    schema.types = Some(match schema.types.take() {
        Some(others) => intersection(&others, &own),
        None => own,
    });
    true
}

/// `integer` is a kind of `number`.
fn intersection<'d>(a: &BTreeSet<&'d str>, b: &BTreeSet<&'d str>) -> BTreeSet<&'d str> {
    let covers = |types: &BTreeSet<&str>, name: &str| {
        types.contains(name) || (name == "integer" && types.contains("number"))
    };
    a.iter()
        .chain(b)
        .copied()
        .filter(|name| covers(a, name) && covers(b, name))
        .collect()
}

fn count(schema: &mut Schema<'_>, keyword: &'static str, node: &Node) -> bool {
    let Some(value) = node.as_number().and_then(serde_json::Number::as_f64) else {
        return false;
    };
    let entry = schema.counts.entry(keyword).or_insert(value);
    *entry = match LOWER.contains(&keyword) {
        true => entry.max(value),
        false => entry.min(value),
    };
    true
}

/// `minimum` or `maximum`, with the flag beside it.
fn bound(
    schemas: &Schemas<'_>,
    bound: &mut Option<Bound>,
    atom: Id,
    node: &Node,
    flag: &str,
) -> bool {
    let Some(value) = node.as_number().and_then(serde_json::Number::as_f64) else {
        return false;
    };
    let exclusive = schemas.tree.flag(atom, flag);
    tighten(bound, Bound { value, exclusive }, flag);
    true
}

/// The flag means nothing without its bound; OpenAPI 3.1 has a number here.
fn exclusive(
    schemas: &Schemas<'_>,
    bound: &mut Option<Bound>,
    atom: Id,
    node: &Node,
    inclusive: &str,
) -> bool {
    let flag = match inclusive {
        "maximum" => "exclusiveMaximum",
        _ => "exclusiveMinimum",
    };
    match &node.value {
        Value::Bool(truth) => !truth || schemas.tree.get(atom, inclusive).is_some(),
        Value::Number(number) => {
            let value = number.as_f64().unwrap_or_default();
            let exclusive = true;
            tighten(bound, Bound { value, exclusive }, flag);
            true
        }
        _ => false,
    }
}

fn tighten(bound: &mut Option<Bound>, other: Bound, flag: &str) {
    let tighter = |other: Bound, own: Bound| {
        let beyond = match flag {
            "exclusiveMaximum" => other.value < own.value,
            _ => other.value > own.value,
        };
        beyond || (other.value == own.value && other.exclusive)
    };
    *bound = Some(match *bound {
        Some(own) if !tighter(other, own) => own,
        _ => other,
    });
}
