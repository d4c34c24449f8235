//! Digests: hashes that are equal for schemas with the same meaning. They serve to find counterparts. A digest
//! ignores very deep differences; `equality` is exact.

use std::collections::BTreeMap;

use super::{Additional, Aspect, Bound, Choice, ChoiceKind, Schema, Schemas, SetId};
use crate::canonical;
use crate::tree::Id;

/// How deep the digest of a schema looks.
const DIGEST_DEPTH: u8 = 12;

impl<'d> Schemas<'d> {
    /// The digest of a schema.
    pub(crate) fn digest(&mut self, set: SetId, aspect: Aspect) -> u64 {
        self.digest_to(set, aspect, DIGEST_DEPTH)
    }

    /// Choices without repetitions, in an order that depends on their meaning only.
    pub(crate) fn normal_choices(
        &mut self,
        choices: &[Choice],
        kind: ChoiceKind,
        aspect: Aspect,
    ) -> Vec<Choice> {
        let normal = normalize(choices, kind, &mut |set| self.digest(set, aspect));
        let members = |choice: Vec<(u64, SetId)>| choice.into_iter().map(|(_, set)| set).collect();
        normal.into_iter().map(members).collect()
    }

    /// Schemas in an order that depends on their meaning only.
    pub(crate) fn normal_order(&mut self, sets: &[SetId], aspect: Aspect) -> Vec<SetId> {
        let mut sets = sets.to_vec();
        sets.sort_by_cached_key(|set| self.digest(*set, aspect));
        sets
    }

    /// The digest of a schema without the schemas inside it.
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
        for (key, kind, choices) in [
            ("oneOf", ChoiceKind::OneOf, &schema.one_of),
            ("anyOf", ChoiceKind::AnyOf, &schema.any_of),
        ] {
            for choice in normalize(choices, kind, &mut child) {
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

    /// Whether a schema accepts all values.
    pub(crate) fn is_annotation(&mut self, set: SetId) -> bool {
        let schema = self.get(set);
        schema.restricts_only_by_choices() && !schema.is_composed()
    }
}

/// Sorts choices and their members by digest, and removes repetitions that make no difference.
fn normalize(
    choices: &[Choice],
    kind: ChoiceKind,
    digest: &mut impl FnMut(SetId) -> u64,
) -> Vec<Vec<(u64, SetId)>> {
    let mut normal: Vec<Vec<(u64, SetId)>> = Vec::new();
    for choice in choices {
        let mut members: Vec<(u64, SetId)> =
            choice.iter().map(|set| (digest(*set), *set)).collect();
        members.sort_unstable();
        if kind == ChoiceKind::AnyOf {
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
    /// The text of the schema without the schemas inside it.
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
        let validity = format!(
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
            Aspect::Validity => validity,
            Aspect::Everything => {
                format!(
                    "{validity}{:?}",
                    (&self.rest, self.deprecated, &self.defaults)
                )
            }
        }
    }
}
