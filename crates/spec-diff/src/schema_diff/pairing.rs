//! Pairs the members of two choices: those with equal or similar meaning, in any order.

use std::rc::Rc;

use super::SchemaPair;
use crate::edit::take_matches;
use crate::schema::{Aspect, Schema, Schemas, SetId};

/// Members are paired if their similarity, from 0 to 1, is greater than this.
const SIMILAR: f64 = 0.5;

/// The members of two choices: pairs of counterparts, members only in the base, members only in the revision.
pub(super) type PairedMembers = (Vec<(SetId, SetId)>, Vec<SetId>, Vec<SetId>);

impl SchemaPair<'_, '_> {
    /// Pairs first members of equal meaning, then of the same name, then the most similar ones.
    pub(super) fn pair_members(&mut self, old: &[SetId], new: &[SetId]) -> PairedMembers {
        let mut pairs = Vec::new();
        let mut removed = read(self.documents.base, old);
        let mut added = read(self.documents.revision, new);
        let steps = [
            Member::has_equal_meaning,
            Member::has_same_name,
            Member::has_same_title,
        ];
        for matches in steps {
            let matched = take_matches(&mut removed, &mut added, matches);
            pairs.extend(
                matched
                    .iter()
                    .map(|(base, revision)| (base.set, revision.set)),
            );
        }
        let mut similar = Vec::new();
        for (i, base) in removed.iter().enumerate() {
            for (j, revision) in added.iter().enumerate() {
                let similarity = base.similarity(revision);
                if similarity > SIMILAR {
                    similar.push((similarity, i, j));
                }
            }
        }
        similar.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut taken = (vec![false; removed.len()], vec![false; added.len()]);
        for (_, i, j) in similar {
            if !taken.0[i] && !taken.1[j] {
                (taken.0[i], taken.1[j]) = (true, true);
                pairs.push((removed[i].set, added[j].set));
            }
        }
        let rest = |members: Vec<Member<'_>>, taken: Vec<bool>| -> Vec<SetId> {
            let rest = members.into_iter().zip(taken);
            rest.filter(|(_, taken)| !taken)
                .map(|(member, _)| member.set)
                .collect()
        };
        (pairs, rest(removed, taken.0), rest(added, taken.1))
    }
}

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

    fn similarity(&self, other: &Member<'_>) -> f64 {
        let (old, new) = (&self.schema, &other.schema);
        // Components of different names are different schemas, however similar.
        if (self.name.is_some() && other.name.is_some()) || old.types != new.types {
            return 0.0;
        }
        let shared = old.properties.keys();
        let shared = shared.filter(|name| new.properties.contains_key(*name));
        match old.properties.len() + new.properties.len() {
            0 => 1.0,
            all => 2.0 * shared.count() as f64 / all as f64,
        }
    }
}
