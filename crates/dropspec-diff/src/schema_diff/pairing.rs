//! Pairs the members of two choices: those with equal or similar meaning, in any order.

use std::rc::Rc;

use super::SchemaPair;
use crate::canonical;
use crate::edit::{take_closest, take_matches_by};
use crate::schema::{Aspect, Schema, Schemas, SetId};

/// Members are paired if their distance, from 0 to 1000, is less than this.
const MOST_DISTANT: usize = 500;

/// The members of two choices: pairs of counterparts, members only in the base, members only in the revision.
pub(super) type PairedMembers = (Vec<(SetId, SetId)>, Vec<SetId>, Vec<SetId>);

impl SchemaPair<'_, '_> {
    /// Pairs first members of equal meaning, then of the same name, then the most similar ones.
    pub(super) fn pair_members(&mut self, old: &[SetId], new: &[SetId]) -> PairedMembers {
        let mut pairs = Vec::new();
        let mut removed = read(self.documents.base, old);
        let mut added = read(self.documents.revision, new);
        let steps: [(Key, Matches); 3] = [
            (|it| it.digest, |a, b| a.has_equal_meaning(b)),
            (|it| canonical::hash(&it.name), |a, b| a.has_same_name(b)),
            (|it| it.hash_title(), |a, b| a.has_same_title(b)),
        ];
        for (key, matches) in steps {
            let lists = (&mut removed, &mut added);
            pairs.extend(take_matches_by(lists, (key, key), matches));
        }
        let mut removed: Vec<&Member<'_>> = removed.iter().collect();
        let mut added: Vec<&Member<'_>> = added.iter().collect();
        let similar = take_closest(&mut removed, &mut added, |a, b| a.distance(b));
        let pairs = pairs
            .iter()
            .map(|(base, revision)| (base.set, revision.set));
        let similar = similar
            .iter()
            .map(|(base, revision)| (base.set, revision.set));
        let [removed, added] =
            [removed, added].map(|rest| rest.iter().map(|member| member.set).collect());
        (pairs.chain(similar).collect(), removed, added)
    }
}

/// Members with different keys do not match.
type Key = fn(&Member<'_>) -> u64;
type Matches = fn(&Member<'_>, &Member<'_>) -> bool;

/// A member of a choice.
struct Member<'d> {
    set: SetId,
    schema: Rc<Schema<'d>>,
    /// The name of the component.
    name: Option<&'d str>,
    digest: u64,
}

fn read<'d>(schemas: &mut Schemas<'d>, sets: &[SetId]) -> Vec<Member<'d>> {
    let members = sets.iter().map(|set| Member {
        set: *set,
        schema: schemas.get(*set),
        name: schemas.component(*set),
        digest: schemas.digest(*set, Aspect::Validity),
    });
    members.collect()
}

impl Member<'_> {
    fn has_equal_meaning(&self, other: &Member<'_>) -> bool {
        self.digest == other.digest
    }

    fn has_same_name(&self, other: &Member<'_>) -> bool {
        self.name.is_some() && self.name == other.name
    }

    /// Compares schemas that are not components by title, or without titles by type and properties.
    fn has_same_title(&self, other: &Member<'_>) -> bool {
        let (old, new) = (&self.schema, &other.schema);
        let titles = (old.rest.get("title"), new.rest.get("title"));
        let same_kind =
            || old.types == new.types && old.properties.keys().eq(new.properties.keys());
        let both_inline = self.name.is_none() && other.name.is_none();
        both_inline && titles.0 == titles.1 && (titles.0.is_some() || same_kind())
    }

    fn hash_title(&self) -> u64 {
        let (schema, title) = (&self.schema, self.schema.rest.get("title"));
        let properties = || schema.properties.keys().collect::<Vec<_>>();
        let kind = title.is_none().then(|| (&schema.types, properties()));
        canonical::hash(&(title, kind))
    }

    /// How many of the properties only one of two similar schemas has, in thousandths; none if they are not similar.
    fn distance(&self, other: &Member<'_>) -> Option<usize> {
        let (old, new) = (&self.schema, &other.schema);
        // Components of different names are different schemas, however similar.
        if (self.name.is_some() && other.name.is_some()) || old.types != new.types {
            return None;
        }
        let shared = old.properties.keys();
        let shared = shared
            .filter(|name| new.properties.contains_key(*name))
            .count();
        let all = old.properties.len() + new.properties.len();
        let distance = 1000 * (all - 2 * shared) / all.max(1);
        (distance < MOST_DISTANT).then_some(distance)
    }
}
