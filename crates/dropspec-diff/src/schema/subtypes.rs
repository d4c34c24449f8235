//! Discriminators and the schemas that they select: those in the mapping, and subtypes, which are components that extend
//! the schema of the discriminator. The value of a subtype outside the mapping is its name.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::{Schema, Schemas, SetId};
use crate::tree::{Id, Tree};

#[derive(Debug)]
pub(crate) struct Discriminator<'d> {
    pub(crate) site: Id,
    /// The schema node that has the discriminator.
    owner: Id,
    pub(crate) property: &'d str,
    /// Each value with the schema that it selects. None: all other values, and none.
    pub(crate) mapping: BTreeMap<Option<&'d str>, MappingTarget<'d>>,
    /// The subtypes that are not in the mapping, by name.
    pub(crate) subtypes: BTreeMap<&'d str, (Id, SetId)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct MappingTarget<'d> {
    pub(crate) site: Id,
    pub(crate) written: &'d str,
    pub(crate) schema: Option<SetId>,
}

/// For each schema node with a discriminator, the names and nodes of its subtypes.
pub(super) type Subtypes<'d> = HashMap<Id, Vec<(&'d str, Id)>>;

impl<'d> Schemas<'d> {
    /// Adds `discriminator` to a schema; false if a part of it is not understood.
    pub(super) fn merge_discriminator(
        &mut self,
        schema: &mut Schema<'d>,
        id: Id,
        owner: Id,
    ) -> bool {
        let Some(property) = self.tree.text(id, "propertyName") else {
            return false;
        };
        if schema.discriminator.is_some() {
            return false;
        }
        let known = ["propertyName", "mapping", "defaultMapping"];
        let understood = self.tree.members(id).all(|(key, _)| known.contains(&key));
        if let Some(discriminator) = self.discriminators.get(&id) {
            schema.discriminator = Some(Rc::clone(discriminator));
            return understood;
        }
        let mut mapping = BTreeMap::new();
        let mut mapped = HashSet::new();
        let entries = self.tree.get(id, "mapping").into_iter();
        let entries = entries.flat_map(|entries| self.tree.members(entries));
        let entries = entries.map(|(value, site)| (Some(value), site));
        let default = self.tree.get(id, "defaultMapping").map(|site| (None, site));
        for (value, site) in entries.chain(default).collect::<Vec<_>>() {
            let written = self.tree.node(site).as_str().unwrap_or_default();
            let target = mapping_target(&self.tree, written);
            // The default of other values has its name as well.
            let named = target.filter(|_| value.is_some());
            mapped.extend(named.map(|target| self.tree.resolve(target)));
            let schema = target.map(|target| self.set_at(target));
            let target = MappingTarget {
                site,
                written,
                schema,
            };
            mapping.insert(value, target);
        }
        let all = self.subtypes();
        let subtypes = all.get(&owner).into_iter().flatten();
        let subtypes = subtypes.filter(|(_, id)| !mapped.contains(&self.tree.resolve(*id)));
        let subtypes: Vec<(&str, Id)> = subtypes.copied().collect();
        let discriminator = Rc::new(Discriminator {
            site: id,
            owner,
            property,
            mapping,
            subtypes: subtypes
                .into_iter()
                .map(|(name, id)| (name, (id, self.set_at(id))))
                .collect(),
        });
        self.discriminators.insert(id, Rc::clone(&discriminator));
        schema.discriminator = Some(discriminator);
        understood
    }

    /// Whether a set is one of the schemas that its own discriminator selects. Of the others it can only be those that extend it.
    pub(crate) fn is_selected(&self, set: SetId, discriminator: &Discriminator<'d>) -> bool {
        let mapped = discriminator.mapping.values().filter_map(|t| t.schema);
        let subtypes = discriminator.subtypes.values().map(|(_, set)| *set);
        mapped
            .chain(subtypes)
            .any(|target| self.selects(discriminator, target, set))
    }

    /// Whether a set is this target of its own discriminator.
    fn selects(&self, discriminator: &Discriminator<'d>, target: SetId, set: SetId) -> bool {
        let root = self.root(target);
        root.is_some_and(|it| it != discriminator.owner && self.atoms(set).contains(&it))
    }

    /// Whether a value of a set can be this target of its own discriminator: the set itself, or what extends it.
    pub(crate) fn can_be(
        &self,
        discriminator: &Discriminator<'d>,
        target: SetId,
        set: SetId,
    ) -> bool {
        self.selects(discriminator, target, set) || self.selects(discriminator, set, target)
    }

    /// The subtypes of all schemas, found on first use.
    fn subtypes(&mut self) -> Rc<Subtypes<'d>> {
        let tree = &self.tree;
        let found = self
            .subtypes
            .get_or_insert_with(|| Rc::new(find_subtypes(tree)));
        Rc::clone(found)
    }
}

/// Finds for each schema node with a discriminator the components that extend it by `allOf`.
pub(crate) fn find_subtypes<'d>(tree: &Tree<'d>) -> Subtypes<'d> {
    let components = tree.components("schemas").into_iter();
    let components = components.flat_map(|section| tree.members(section));
    // A component that only refers to another one is no subtype.
    let components = components.filter(|(_, id)| tree.resolve(*id) == *id);
    let names: BTreeMap<Id, &str> = components.map(|(name, id)| (id, name)).collect();
    // By a schema node, those that have it in their `allOf`.
    let mut extending: HashMap<Id, Vec<Id>> = HashMap::new();
    let mut met = HashSet::new();
    let mut waiting: Vec<Id> = names.keys().copied().collect();
    while let Some(node) = waiting.pop() {
        if !met.insert(node) {
            continue;
        }
        for part in tree.list(node, "allOf") {
            let part = tree.resolve(*part);
            extending.entry(part).or_default().push(node);
            waiting.push(part);
        }
    }
    met.retain(|node| tree.get(*node, "discriminator").is_some());
    let subtypes = met.into_iter().map(|owner| {
        let mut found = BTreeSet::new();
        let mut waiting = vec![owner];
        while let Some(node) = waiting.pop() {
            let nodes = extending.get(&node).into_iter().flatten();
            waiting.extend(nodes.filter(|it| found.insert(**it)));
        }
        found.remove(&owner);
        let found = found.into_iter();
        let named = found.filter_map(|id| Some((*names.get(&id)?, id)));
        (owner, named.collect())
    });
    subtypes.collect()
}

/// The target of a value of a mapping: of a reference, or the component of this name.
pub(crate) fn mapping_target(tree: &Tree<'_>, written: &str) -> Option<Id> {
    if written.starts_with('#') {
        tree.target(written)
    } else {
        let components = tree.components("schemas")?;
        tree.get(components, written)
    }
}
