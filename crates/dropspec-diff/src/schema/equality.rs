//! Exact equality in meaning of elements of two documents, at any depth and with cycles. Schemas are equal if their own
//! keywords and the schemas inside them are. A pair that was met before counts as equal: a difference shows elsewhere.

use std::collections::HashMap;

use dropspec_model::Value;
use dropspec_schema::ITEM_SCHEMA_KEYS;

use super::digest::DIGEST_DEPTH;
use super::{Aspect, Schemas, SetId};
use crate::canonical;
use crate::tree::Id;

/// Whether two elements of any kind have the same meaning.
pub(crate) fn same_element(
    base: &mut Schemas<'_>,
    a: Id,
    revision: &mut Schemas<'_>,
    b: Id,
) -> bool {
    let pair = Counterparts::Elements(a, b);
    are_equal(base, revision, Aspect::Everything, pair)
}

/// Whether two schemas have the same meaning. What was found is remembered in `base`, since many schemas lead to the same ones.
pub(crate) fn same_schema(
    base: &mut Schemas<'_>,
    a: SetId,
    revision: &mut Schemas<'_>,
    b: SetId,
    aspect: Aspect,
) -> bool {
    are_equal(base, revision, aspect, Counterparts::Schemas(a, b))
}

/// Two elements or schemas that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Counterparts {
    Elements(Id, Id),
    Schemas(SetId, SetId),
}

fn are_equal(
    base: &mut Schemas<'_>,
    revision: &mut Schemas<'_>,
    aspect: Aspect,
    pair: Counterparts,
) -> bool {
    // Each pair that was met, with the pair that it is inside.
    let mut met: HashMap<Counterparts, Option<Counterparts>> = HashMap::new();
    let mut waiting = vec![(pair, None)];
    while let Some((pair, outer)) = waiting.pop() {
        if met.contains_key(&pair) {
            continue;
        }
        let inside = match pair {
            Counterparts::Elements(a, b) => compare_elements(base, a, revision, b),
            Counterparts::Schemas(a, b) => match base.equal.get(&(a, b, aspect)) {
                Some(true) => continue,
                Some(false) => None,
                None => compare_schemas(base, a, revision, b, aspect),
            },
        };
        met.insert(pair, outer);
        let Some(inside) = inside else {
            // All that it is inside of differs, too.
            let around = std::iter::successors(Some(pair), |pair| met.get(pair).copied()?);
            base.remember(around, aspect, false);
            return false;
        };
        waiting.extend(inside.into_iter().map(|it| (it, Some(pair))));
    }
    base.remember(met.into_keys(), aspect, true);
    true
}

impl Schemas<'_> {
    fn remember(
        &mut self,
        pairs: impl Iterator<Item = Counterparts>,
        aspect: Aspect,
        are_equal: bool,
    ) {
        self.equal.extend(pairs.filter_map(|pair| match pair {
            Counterparts::Schemas(a, b) => Some(((a, b, aspect), are_equal)),
            Counterparts::Elements(..) => None,
        }));
    }
}

/// The elements inside two elements; none if these differ by themselves.
fn compare_elements(
    base: &mut Schemas<'_>,
    a: Id,
    revision: &mut Schemas<'_>,
    b: Id,
) -> Option<Vec<Counterparts>> {
    let (a, b) = (base.tree.resolve(a), revision.tree.resolve(b));
    let (old, new) = (base.tree.node(a), revision.tree.node(b));
    match (&old.value, &new.value) {
        (Value::Array(_), Value::Array(_)) => {
            let (old, new) = (base.tree.items(a), revision.tree.items(b));
            let pairs = old.iter().zip(new);
            let pairs = pairs.map(|(a, b)| Counterparts::Elements(*a, *b));
            (old.len() == new.len()).then(|| pairs.collect())
        }
        (Value::Object(old), Value::Object(new)) => {
            let members: Vec<(&str, Id)> = base.tree.members(a).collect();
            let pairs = members.into_iter().map(|(key, a)| {
                let b = revision.tree.get(b, key)?;
                let is_object = |value: &Value| matches!(value, Value::Object(_));
                let is_schema = (key == "schema" || ITEM_SCHEMA_KEYS.contains(&key))
                    && is_object(&base.tree.node(a).value)
                    && is_object(&revision.tree.node(b).value);
                Some(if is_schema {
                    Counterparts::Schemas(base.set_at(a), revision.set_at(b))
                } else {
                    Counterparts::Elements(a, b)
                })
            });
            (old.len() == new.len()).then(|| pairs.collect())?
        }
        _ => (canonical::to_text(old) == canonical::to_text(new)).then(Vec::new),
    }
}

/// The schemas inside two schemas; none if these differ by themselves.
fn compare_schemas(
    base: &mut Schemas<'_>,
    a: SetId,
    revision: &mut Schemas<'_>,
    b: SetId,
    aspect: Aspect,
) -> Option<Vec<Counterparts>> {
    if base.shallow_digest(a, aspect) != revision.shallow_digest(b, aspect) {
        return None;
    }
    let old = base.inner_schemas(a, aspect, DIGEST_DEPTH);
    let new = revision.inner_schemas(b, aspect, DIGEST_DEPTH);
    let same_keys = old
        .iter()
        .map(|(key, _)| key)
        .eq(new.iter().map(|(key, _)| key));
    let pairs = old.into_iter().zip(new).filter_map(|((_, a), (_, b))| {
        let (a, b) = (a?, b?);
        Some(Counterparts::Schemas(a, b))
    });
    same_keys.then(|| pairs.collect())
}
