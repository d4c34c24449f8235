//! Exact equality in meaning of elements of two documents, at any depth and with cycles. Schemas are equal if their own
//! keywords and the schemas inside them are. A pair that was met before counts as equal: a difference shows elsewhere.

use std::collections::HashSet;

use spec_model::Value;

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
    let mut comparison = Comparison::new(base, revision, Aspect::Everything);
    comparison.push_elements(a, b);
    comparison.is_equal()
}

/// Whether two schemas have the same meaning.
pub(crate) fn same_schema(
    base: &mut Schemas<'_>,
    a: SetId,
    revision: &mut Schemas<'_>,
    b: SetId,
    aspect: Aspect,
) -> bool {
    let mut comparison = Comparison::new(base, revision, aspect);
    comparison.push(Counterparts::Schemas(a, b));
    comparison.is_equal()
}

/// Two elements or schemas that are compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Counterparts {
    Elements(Id, Id),
    Schemas(SetId, SetId),
}

struct Comparison<'s, 'd, 'e> {
    base: &'s mut Schemas<'d>,
    revision: &'s mut Schemas<'e>,
    aspect: Aspect,
    met: HashSet<Counterparts>,
    waiting: Vec<Counterparts>,
}

impl<'s, 'd, 'e> Comparison<'s, 'd, 'e> {
    fn new(
        base: &'s mut Schemas<'d>,
        revision: &'s mut Schemas<'e>,
        aspect: Aspect,
    ) -> Comparison<'s, 'd, 'e> {
        Comparison {
            base,
            revision,
            aspect,
            met: HashSet::new(),
            waiting: Vec::new(),
        }
    }

    fn push(&mut self, pair: Counterparts) {
        if self.met.insert(pair) {
            self.waiting.push(pair);
        }
    }

    fn push_elements(&mut self, a: Id, b: Id) {
        let (a, b) = (self.base.tree.resolve(a), self.revision.tree.resolve(b));
        self.push(Counterparts::Elements(a, b));
    }

    fn is_equal(&mut self) -> bool {
        while let Some(pair) = self.waiting.pop() {
            let equal = match pair {
                Counterparts::Elements(a, b) => self.compare_elements(a, b),
                Counterparts::Schemas(a, b) => self.compare_schemas(a, b),
            };
            if !equal {
                return false;
            }
        }
        true
    }

    /// Compares two elements; the elements inside them are added to `waiting`.
    fn compare_elements(&mut self, a: Id, b: Id) -> bool {
        match (
            &self.base.tree.node(a).value,
            &self.revision.tree.node(b).value,
        ) {
            (Value::Array(_), Value::Array(_)) => {
                let old = self.base.tree.items(a).to_vec();
                let new = self.revision.tree.items(b).to_vec();
                if old.len() != new.len() {
                    return false;
                }
                for (a, b) in old.into_iter().zip(new) {
                    self.push_elements(a, b);
                }
                true
            }
            (Value::Object(old), Value::Object(new)) => {
                if old.len() != new.len() {
                    return false;
                }
                for (key, a) in self.base.tree.members(a).collect::<Vec<_>>() {
                    let Some(b) = self.revision.tree.get(b, key) else {
                        return false;
                    };
                    let object = |value: &Value| matches!(value, Value::Object(_));
                    let schemas = key == "schema"
                        && object(&self.base.tree.node(a).value)
                        && object(&self.revision.tree.node(b).value);
                    if schemas {
                        let pair =
                            Counterparts::Schemas(self.base.set_at(a), self.revision.set_at(b));
                        self.push(pair);
                    } else {
                        self.push_elements(a, b)
                    }
                }
                true
            }
            _ => {
                let old = canonical::to_text(self.base.tree.node(a));
                old == canonical::to_text(self.revision.tree.node(b))
            }
        }
    }

    /// Compares two schemas; the schemas inside them are added to `waiting`.
    fn compare_schemas(&mut self, a: SetId, b: SetId) -> bool {
        if self.base.shallow_digest(a, self.aspect) != self.revision.shallow_digest(b, self.aspect)
        {
            return false;
        }
        let old = self.base.inner_schemas(a, self.aspect);
        let new = self.revision.inner_schemas(b, self.aspect);
        let mut pairs = old.iter().zip(&new);
        if old.len() != new.len() || pairs.any(|((key, _), (other, _))| key != other) {
            return false;
        }
        for ((_, a), (_, b)) in old.into_iter().zip(new) {
            if let (Some(a), Some(b)) = (a, b) {
                self.push(Counterparts::Schemas(a, b));
            }
        }
        true
    }
}
