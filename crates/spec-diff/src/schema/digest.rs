//! Numbers that are equal for what means the same, so that members of a set can be paired and elements compared that no
//! rule looks into. A difference that lies very deep may not show in them; `equality` is exact.

use std::collections::BTreeMap;

use super::{Additional, Aspect, Bound, Choice, Of, Schema, Schemas, SetId};
use crate::canonical;
use crate::tree::Id;

/// How deep two schemas are compared when the question is only which one of several is meant.
const DIGEST_DEPTH: u8 = 12;

/// How deep elements are compared that no rule looks into. References outside schemas seldom go deeper than three.
const NORMAL_DEPTH: u8 = 24;

impl<'d> Schemas<'d> {
    /// Equal for schemas that mean the same.
    pub(crate) fn digest(&mut self, set: SetId, aspect: Aspect) -> u64 {
        self.digest_to(set, aspect, DIGEST_DEPTH)
    }

    /// Choices without repetitions, in an order that is the same for those that mean the same.
    pub(crate) fn choices(&mut self, choices: &[Choice], of: Of, aspect: Aspect) -> Vec<Choice> {
        let normal = normal(choices, of, &mut |set| self.digest(set, aspect));
        let members = |choice: Vec<(u64, SetId)>| choice.into_iter().map(|(_, set)| set).collect();
        normal.into_iter().map(members).collect()
    }

    /// Schemas in an order that is the same for those that mean the same.
    pub(crate) fn sorted(&mut self, sets: &[SetId], aspect: Aspect) -> Vec<SetId> {
        let mut sets = sets.to_vec();
        sets.sort_by_cached_key(|set| self.digest(*set, aspect));
        sets
    }

    /// Equal for schemas that say the same by themselves, without the schemas inside them.
    pub(crate) fn shallow(&mut self, set: SetId, aspect: Aspect) -> u64 {
        if let Some(shallow) = self.shallow.get(&(set, aspect)) {
            return *shallow;
        }
        let shallow = canonical::hash(&self.get(set).shallow(aspect));
        self.shallow.insert((set, aspect), shallow);
        shallow
    }

    fn digest_to(&mut self, set: SetId, aspect: Aspect, depth: u8) -> u64 {
        if depth == 0 {
            return 0;
        }
        if let Some(digest) = self.digests.get(&(set, aspect, depth)) {
            return *digest;
        }
        let schema = self.get(set);
        let own = self.shallow(set, aspect);
        let mut child = |set: SetId| self.digest_to(set, aspect, depth - 1);
        let mut parts: Vec<(&str, Vec<u64>)> = vec![("shallow", vec![own])];
        let mut add = |key: &'static str, digests: Vec<u64>| {
            parts.push((key, digests));
        };
        if let Some(items) = schema.items {
            add("items", vec![child(items)]);
        }
        for (name, property) in &schema.properties {
            add("property", vec![canonical::hash(name), child(*property)]);
        }
        if let Additional::Schema(additional) = schema.additional {
            add("additional", vec![child(additional)]);
        }
        for (key, of, choices) in [
            ("oneOf", Of::Exactly, &schema.one_of),
            ("anyOf", Of::AtLeast, &schema.any_of),
        ] {
            for choice in normal(choices, of, &mut child) {
                add(key, choice.into_iter().map(|(digest, _)| digest).collect());
            }
        }
        let mut not: Vec<u64> = schema.not.iter().map(|set| child(*set)).collect();
        not.sort_unstable();
        add("not", not);
        if let Some(discriminator) = &schema.discriminator {
            for (value, target) in &discriminator.mapping {
                let target = match target.schema {
                    Some(schema) => child(schema),
                    None => canonical::hash(&target.written),
                };
                add("mapping", vec![canonical::hash(value), target]);
            }
        }
        let digest = canonical::hash(&parts);
        self.digests.insert((set, aspect, depth), digest);
        digest
    }

    /// Equal for elements of any kind that mean the same: `$ref`s followed, schemas as what they mean.
    pub(crate) fn normal(&mut self, id: Id) -> u64 {
        self.normal_to(id, NORMAL_DEPTH)
    }

    fn normal_to(&mut self, id: Id, depth: u8) -> u64 {
        let id = self.tree.resolve(id);
        if depth == 0 {
            return 0;
        }
        // Without a memory, a few references in a circle would take forever.
        if let Some(normal) = self.normals.get(&(id, depth)) {
            return *normal;
        }
        let mut parts: Vec<(&str, u64)> = Vec::new();
        for (key, member) in self.tree.members(id).collect::<Vec<_>>() {
            let is_schema = key == "schema" && self.tree.node(member).as_object().is_some();
            let part = match is_schema {
                true => {
                    let set = self.at(member);
                    self.digest(set, Aspect::Everything)
                }
                false => self.normal_to(member, depth - 1),
            };
            parts.push((key, part));
        }
        parts.sort_unstable();
        for item in self.tree.items(id).to_vec() {
            parts.push(("", self.normal_to(item, depth - 1)));
        }
        let normal = match parts.is_empty() {
            true => canonical::hash(&canonical::text(self.tree.node(id))),
            false => canonical::hash(&parts),
        };
        self.normals.insert((id, depth), normal);
        normal
    }

    /// Whether a schema says nothing about which values are valid.
    pub(crate) fn is_annotation(&mut self, set: SetId) -> bool {
        let schema = self.get(set);
        let empty = Schema::default();
        schema.shallow(Aspect::Wire) == empty.shallow(Aspect::Wire)
            && schema.items.is_none()
            && schema.properties.is_empty()
            && schema.one_of.is_empty()
            && schema.any_of.is_empty()
            && schema.not.is_empty()
    }
}

fn normal(
    choices: &[Choice],
    of: Of,
    digest: &mut impl FnMut(SetId) -> u64,
) -> Vec<Vec<(u64, SetId)>> {
    let mut normal: Vec<Vec<(u64, SetId)>> = Vec::new();
    for choice in choices {
        let mut members: Vec<(u64, SetId)> =
            choice.iter().map(|set| (digest(*set), *set)).collect();
        members.sort_unstable();
        if of == Of::AtLeast {
            members.dedup_by_key(|(digest, _)| *digest);
        }
        normal.push(members);
    }
    let digests = |choice: &Vec<(u64, SetId)>| -> Vec<u64> {
        choice.iter().map(|(digest, _)| *digest).collect()
    };
    normal.sort_by_cached_key(digests);
    normal.dedup_by_key(|choice| digests(choice));
    normal
}

impl<'d> Schema<'d> {
    /// What the schema says by itself, without the schemas inside it.
    pub(crate) fn shallow(&self, aspect: Aspect) -> String {
        let required: Vec<&&str> = self.required.keys().collect();
        let values = |values: &Option<BTreeMap<String, Id>>| {
            let keys = values.as_ref().map(|map| map.keys().cloned());
            keys.map(|keys| keys.collect::<Vec<_>>())
        };
        let bound = |bound: Option<Bound>| bound.map(|b| (b.value.to_string(), b.exclusive));
        let counts: Vec<(&str, String)> = self
            .counts
            .iter()
            .map(|(keyword, count)| (*keyword, count.to_string()))
            .collect();
        let additional = match self.additional {
            Additional::Any => 0,
            Additional::Forbidden => 1,
            Additional::Schema(_) => 2,
        };
        let names: Vec<&&str> = self.properties.keys().collect();
        let wire = format!(
            "{:?}",
            (
                (&self.types, &self.formats, self.nullable),
                (values(&self.enumeration), values(&self.extensible_enum)),
                (bound(self.maximum), bound(self.minimum)),
                (counts, &self.patterns, &self.multiples, self.unique),
                (names, required, additional),
                (self.read_only, self.write_only),
                self.discriminator
                    .as_ref()
                    .map(|d| (d.property, d.mapping.keys().collect::<Vec<_>>())),
            )
        );
        match aspect {
            Aspect::Wire => wire,
            Aspect::Everything => {
                format!("{wire}{:?}", (&self.rest, self.deprecated, &self.defaults))
            }
        }
    }
}
