//! Discriminators, and the schemas they tell apart: those that a mapping names, and those that extend the schema with the
//! discriminator, whose names travel where no mapping gives them a value.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::{Schema, Schemas, SetId};
use crate::tree::{Id, Tree};

#[derive(Debug)]
pub(crate) struct Discriminator<'d> {
    pub(crate) site: Id,
    /// The schema node that it stands in.
    owner: Id,
    pub(crate) property: &'d str,
    /// Each value with the schema it stands for.
    pub(crate) mapping: BTreeMap<&'d str, MappingTarget<'d>>,
    /// The components that extend the schema and stand in no mapping, by their names.
    pub(crate) heirs: BTreeMap<&'d str, (Id, SetId)>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct MappingTarget<'d> {
    pub(crate) site: Id,
    pub(crate) written: &'d str,
    pub(crate) schema: Option<SetId>,
}

/// For each schema node with a discriminator, the components that extend it.
pub(super) type Heirs<'d> = HashMap<Id, Vec<(&'d str, Id)>>;

impl<'d> Schemas<'d> {
    /// Takes up `discriminator`; false if a part of it is not understood.
    pub(super) fn discriminator(&mut self, schema: &mut Schema<'d>, id: Id, owner: Id) -> bool {
        let Some(property) = self.tree.text(id, "propertyName") else {
            return false;
        };
        if schema.discriminator.is_some() {
            return false;
        }
        let known = ["propertyName", "mapping"];
        let understood = self.tree.members(id).all(|(key, _)| known.contains(&key));
        if let Some(discriminator) = self.discriminators.get(&id) {
            schema.discriminator = Some(Rc::clone(discriminator));
            return understood;
        }
        let mut mapping = BTreeMap::new();
        let mut mapped = HashSet::new();
        if let Some(entries) = self.tree.get(id, "mapping") {
            for (value, site) in self.tree.members(entries).collect::<Vec<_>>() {
                let written = self.tree.node(site).as_str().unwrap_or_default();
                let target = mapping_target(&self.tree, written);
                mapped.extend(target.map(|target| self.tree.resolve(target)));
                let schema = target.map(|target| self.at(target));
                let target = MappingTarget {
                    site,
                    written,
                    schema,
                };
                mapping.insert(value, target);
            }
        }
        let all = self.heirs();
        let heirs = all.get(&owner).into_iter().flatten();
        let heirs = heirs.filter(|(_, heir)| !mapped.contains(&self.tree.resolve(*heir)));
        let heirs: Vec<(&str, Id)> = heirs.copied().collect();
        let discriminator = Rc::new(Discriminator {
            site: id,
            owner,
            property,
            mapping,
            heirs: heirs
                .into_iter()
                .map(|(name, heir)| (name, (heir, self.at(heir))))
                .collect(),
        });
        self.discriminators.insert(id, Rc::clone(&discriminator));
        schema.discriminator = Some(discriminator);
        understood
    }

    /// Whether a set is one of the schemas that its own discriminator tells apart, so that the others are none of its business.
    pub(crate) fn is_told_apart(&self, set: SetId, discriminator: &Discriminator<'d>) -> bool {
        let mapped = discriminator.mapping.values().filter_map(|t| t.schema);
        let heirs = discriminator.heirs.values().map(|(_, set)| *set);
        let mut targets = mapped.chain(heirs).filter_map(|target| self.root(target));
        targets.any(|root| root != discriminator.owner && self.atoms(set).contains(&root))
    }

    /// Found when they are first asked for.
    fn heirs(&mut self) -> Rc<Heirs<'d>> {
        if let Some(heirs) = &self.heirs {
            return Rc::clone(heirs);
        }
        let heirs = Rc::new(heirs(&self.tree));
        self.heirs = Some(Rc::clone(&heirs));
        heirs
    }
}

/// For each schema node with a discriminator, the components that reach it by `allOf`.
pub(crate) fn heirs<'d>(tree: &Tree<'d>) -> Heirs<'d> {
    let mut heirs = Heirs::new();
    let Some(components) = tree.components("schemas") else {
        return heirs;
    };
    for (name, id) in tree.members(components) {
        let root = tree.resolve(id);
        // Another name for a component is no component of its own.
        if root != id {
            continue;
        }
        for atom in super::flatten(tree, root, &[]) {
            if atom != root && tree.get(atom, "discriminator").is_some() {
                heirs.entry(atom).or_default().push((name, id));
            }
        }
    }
    heirs
}

/// What a value of a mapping leads to: a reference, or the name of a component.
pub(crate) fn mapping_target(tree: &Tree<'_>, written: &str) -> Option<Id> {
    match written.starts_with('#') {
        true => tree.target(written),
        false => {
            let components = tree.components("schemas")?;
            tree.get(components, written)
        }
    }
}
