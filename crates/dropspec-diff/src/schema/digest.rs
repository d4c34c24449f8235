//! Digests: hashes that are equal for schemas with the same meaning. They serve to find counterparts. A digest
//! ignores very deep differences; `equality` is exact.

use std::collections::BTreeMap;

use super::{Additional, Aspect, Choice, ChoiceKind, Schema, Schemas, SetId};
use crate::canonical;
use crate::tree::Id;

/// How deep the digest of a schema looks.
pub(crate) const DIGEST_DEPTH: u8 = 12;

/// A schema inside another one, with its key: the keyword, the name of the property or of the value, the number of the
/// choice, and the number of the member. Counterparts in schemas of equal meaning have equal keys. None: a value of a
/// discriminator that selects no schema of the document.
type InnerSchema<'d> = ((&'static str, &'d str, usize, usize), Option<SetId>);

impl<'d> Schemas<'d> {
    /// The digest of a schema.
    pub(crate) fn digest(&mut self, set: SetId, aspect: Aspect) -> u64 {
        self.digest_to(set, aspect, DIGEST_DEPTH)
    }

    /// The digest of a schema without the schemas inside it.
    pub(crate) fn shallow_digest(&mut self, set: SetId, aspect: Aspect) -> u64 {
        if let Some(shallow) = self.shallow.get(&(set, aspect)) {
            return *shallow;
        }
        let shallow = canonical::hash(&self.get(set).shallow_text(aspect));
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
        let own = self.shallow_digest(set, aspect);
        let inner = self.inner_schemas(set, aspect, depth - 1);
        let mut parts = Vec::new();
        for (key, schema) in inner {
            let digest = schema.map(|schema| self.digest_to(schema, aspect, depth - 1));
            parts.push((key, digest));
        }
        let digest = canonical::hash(&(own, parts));
        self.digests.insert((set, aspect, depth), digest);
        digest
    }

    /// The schemas inside a schema, each with its key.
    pub(super) fn inner_schemas(
        &mut self,
        set: SetId,
        aspect: Aspect,
        depth: u8,
    ) -> Vec<InnerSchema<'d>> {
        let schema = self.get(set);
        let mut inner = Vec::new();
        inner.extend(schema.items.map(|items| (("items", "", 0, 0), Some(items))));
        for (name, property) in &schema.properties {
            inner.push((("properties", *name, 0, 0), Some(*property)));
        }
        if let Additional::Schema(additional) = schema.additional {
            inner.push((("additionalProperties", "", 0, 0), Some(additional)));
        }
        let not = vec![schema.not.clone()];
        let choices = ChoiceKind::ALL.map(|kind| (kind.keyword(), kind));
        let choices = choices.into_iter().zip(&schema.choices);
        for ((keyword, kind), choices) in choices.chain([(("not", ChoiceKind::OneOf), &not)]) {
            let choices = self.normalize(choices, kind, aspect, depth);
            for (list, members) in choices.into_iter().enumerate() {
                let members = members.into_iter().enumerate();
                inner.extend(members.map(|(index, set)| ((keyword, "", list, index), Some(set))));
            }
        }
        for ((keyword, name, index), set) in &schema.further {
            inner.push(((*keyword, *name, *index, 0), Some(*set)));
        }
        for (index, condition) in schema.conditions.iter().enumerate() {
            let parts = condition.parts.iter();
            inner.extend(parts.map(|(part, set)| ((*part, "", index, 0), Some(*set))));
        }
        if let Some(discriminator) = &schema.discriminator {
            for (value, target) in &discriminator.mapping {
                let name = target
                    .schema
                    .map_or(target.written, |_| value.unwrap_or_default());
                inner.push((("mapping", name, 0, 0), target.schema));
            }
        }
        inner
    }

    /// Sorts choices and their members by digest, and removes repetitions that make no difference.
    pub(crate) fn normalize(
        &mut self,
        choices: &[Choice],
        kind: ChoiceKind,
        aspect: Aspect,
        depth: u8,
    ) -> Vec<Choice> {
        let mut normal: Vec<(Vec<u64>, Choice)> = Vec::new();
        for choice in choices {
            let digests = choice.iter().map(|set| self.digest_to(*set, aspect, depth));
            let mut members: Vec<(u64, SetId)> = digests.zip(choice.iter().copied()).collect();
            members.sort_unstable();
            if kind == ChoiceKind::AnyOf {
                members.dedup_by_key(|(digest, _)| *digest);
            }
            normal.push(members.into_iter().unzip());
        }
        normal.sort_by(|(digests, _), (others, _)| digests.cmp(others));
        normal.dedup_by(|(digests, _), (others, _)| digests == others);
        normal.into_iter().map(|(_, choice)| choice).collect()
    }

    /// Whether a schema accepts all values.
    pub(crate) fn is_annotation(&mut self, set: SetId) -> bool {
        let schema = self.get(set);
        schema.restricts_only_by_choices() && !schema.has_choices()
    }
}

impl<'d> Schema<'d> {
    /// The text of the schema without the schemas inside it.
    pub(crate) fn shallow_text(&self, aspect: Aspect) -> String {
        let required: Vec<&&str> = self.required.keys().collect();
        let values = |values: &Option<BTreeMap<String, Id>>| {
            let keys = values.as_ref().map(|map| map.keys().cloned());
            keys.map(|keys| keys.collect::<Vec<_>>())
        };
        let limits = self.limits.iter();
        let limits: Vec<String> = limits
            .map(|(keyword, it)| format!("{keyword} {}", self.effective_limit(keyword, *it)))
            .collect();
        let additional = match self.additional {
            Additional::Any => 0,
            Additional::Forbidden => 1,
            Additional::Schema(_) => 2,
        };
        let names: Vec<&&str> = self.properties.keys().collect();
        let conditions = self.conditions.iter();
        let conditions: Vec<_> = conditions
            .map(|it| {
                let counts = [it.least, it.most].map(|it| it.map(|it| it.to_string()));
                (it.keyword, counts, it.parts.keys())
            })
            .collect();
        let validity = format!(
            "{:?}",
            (
                (&self.types, &self.formats, self.nullable),
                (values(&self.enumeration), values(&self.extensible_enum)),
                (limits, &self.patterns, &self.multiples, self.unique),
                (names, required, additional),
                (self.read_only, self.write_only),
                (self.further.keys(), conditions, self.required_with.keys()),
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
                    (
                        &self.rest,
                        &self.ineffective,
                        self.deprecated,
                        &self.defaults
                    )
                )
            }
        }
    }
}
