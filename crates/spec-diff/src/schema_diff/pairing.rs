//! Pairs the members of a choice with those that mean the same or most nearly the same, wherever they stand in the list.

use std::rc::Rc;

use super::Pair;
use crate::schema::{Aspect, Schema, Schemas, SetId};

/// How much two schemas must have in common to be versions of one another, of 1.
const ALIKE: f64 = 0.5;

/// Members paired, those only in the base, those only in the revision.
pub(super) type Pairing = (Vec<(SetId, SetId)>, Vec<SetId>, Vec<SetId>);

impl Pair<'_, '_> {
    /// First those that mean the same, then those of one name, then those most alike.
    pub(super) fn pair_up(&mut self, old: &[SetId], new: &[SetId]) -> Pairing {
        let mut pairs = Vec::new();
        let mut gone = read(&mut self.session.base, old);
        let mut come = read(&mut self.session.revision, new);
        let steps = [
            Member::means_the_same,
            Member::has_name_of,
            Member::has_title_of,
        ];
        for matches in steps {
            gone.retain(|base| {
                let twin = come.iter().position(|revision| matches(base, revision));
                if let Some(twin) = twin {
                    pairs.push((base.set, come.remove(twin).set));
                }
                twin.is_none()
            });
        }
        let mut alike = Vec::new();
        for (i, base) in gone.iter().enumerate() {
            for (j, revision) in come.iter().enumerate() {
                let alikeness = base.alikeness(revision);
                if alikeness > ALIKE {
                    alike.push((alikeness, i, j));
                }
            }
        }
        alike.sort_by(|a, b| b.0.total_cmp(&a.0));
        let mut taken = (vec![false; gone.len()], vec![false; come.len()]);
        for (_, i, j) in alike {
            if !taken.0[i] && !taken.1[j] {
                (taken.0[i], taken.1[j]) = (true, true);
                pairs.push((gone[i].set, come[j].set));
            }
        }
        let left = |members: Vec<Member<'_>>, taken: Vec<bool>| -> Vec<SetId> {
            let left = members.into_iter().zip(taken);
            left.filter(|(_, taken)| !taken)
                .map(|(member, _)| member.set)
                .collect()
        };
        (pairs, left(gone, taken.0), left(come, taken.1))
    }
}

/// A member of a choice, with what it is paired by.
struct Member<'d> {
    set: SetId,
    schema: Rc<Schema<'d>>,
    /// The component that it is.
    name: Option<&'d str>,
    meaning: u64,
}

fn read<'d>(schemas: &mut Schemas<'d>, sets: &[SetId]) -> Vec<Member<'d>> {
    let members = sets.iter().map(|set| Member {
        set: *set,
        schema: schemas.get(*set),
        name: schemas.component(*set),
        meaning: schemas.digest(*set, Aspect::Wire),
    });
    members.collect()
}

impl Member<'_> {
    fn means_the_same(&self, other: &Member<'_>) -> bool {
        self.meaning == other.meaning
    }

    fn has_name_of(&self, other: &Member<'_>) -> bool {
        self.name.is_some() && self.name == other.name
    }

    /// What schemas without a name are told apart by.
    fn has_title_of(&self, other: &Member<'_>) -> bool {
        let (old, new) = (&self.schema, &other.schema);
        let titles = (old.rest.get("title"), new.rest.get("title"));
        let same_kind =
            || old.types == new.types && old.properties.keys().eq(new.properties.keys());
        let both_written_in_place = self.name.is_none() && other.name.is_none();
        both_written_in_place && titles.0 == titles.1 && (titles.0.is_some() || same_kind())
    }

    fn alikeness(&self, other: &Member<'_>) -> f64 {
        let (old, new) = (&self.schema, &other.schema);
        // Two components of different names are different things, however alike.
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
