//! Exact equality in meaning of elements of two documents, at any depth and with cycles. Schemas are equal if their own
//! keywords and the schemas inside them are. A pair that was met before counts as equal: a difference shows elsewhere.

use std::collections::HashSet;

use spec_model::Value;

use super::{Additional, Aspect, ChoiceKind, Schemas, SetId};
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
    comparison.push(Pair::Schemas(a, b));
    comparison.is_equal()
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Pair {
    Elements(Id, Id),
    Schemas(SetId, SetId),
}

struct Comparison<'s, 'd, 'e> {
    base: &'s mut Schemas<'d>,
    revision: &'s mut Schemas<'e>,
    aspect: Aspect,
    met: HashSet<Pair>,
    waiting: Vec<Pair>,
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

    fn push(&mut self, pair: Pair) {
        if self.met.insert(pair) {
            self.waiting.push(pair);
        }
    }

    fn push_elements(&mut self, a: Id, b: Id) {
        let (a, b) = (self.base.tree.resolve(a), self.revision.tree.resolve(b));
        self.push(Pair::Elements(a, b));
    }

    fn is_equal(&mut self) -> bool {
        while let Some(pair) = self.waiting.pop() {
            let equal = match pair {
                Pair::Elements(a, b) => self.compare_elements(a, b),
                Pair::Schemas(a, b) => self.compare_schemas(a, b),
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
                    match schemas {
                        true => {
                            let pair = Pair::Schemas(self.base.at(a), self.revision.at(b));
                            self.push(pair);
                        }
                        false => self.push_elements(a, b),
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
        // The shallow digest includes which schemas are inside.
        if self.base.shallow(a, self.aspect) != self.revision.shallow(b, self.aspect) {
            return false;
        }
        let (old, new) = (self.base.get(a), self.revision.get(b));
        if old.items.is_some() != new.items.is_some() {
            return false;
        }
        let mut pairs: Vec<(SetId, SetId)> = old.items.into_iter().zip(new.items).collect();
        pairs.extend(
            old.properties
                .values()
                .copied()
                .zip(new.properties.values().copied()),
        );
        if let (Additional::Schema(a), Additional::Schema(b)) = (old.additional, new.additional) {
            pairs.push((a, b));
        }
        for (a, b, kind) in [
            (&old.one_of, &new.one_of, ChoiceKind::OneOf),
            (&old.any_of, &new.any_of, ChoiceKind::AnyOf),
        ] {
            let a = self.base.normal_choices(a, kind, self.aspect);
            let b = self.revision.normal_choices(b, kind, self.aspect);
            if a.len() != b.len() || a.iter().zip(&b).any(|(a, b)| a.len() != b.len()) {
                return false;
            }
            pairs.extend(a.into_iter().flatten().zip(b.into_iter().flatten()));
        }
        if old.not.len() != new.not.len() {
            return false;
        }
        let a = self.base.normal_order(&old.not, self.aspect);
        pairs.extend(
            a.into_iter()
                .zip(self.revision.normal_order(&new.not, self.aspect)),
        );
        if let (Some(a), Some(b)) = (&old.discriminator, &new.discriminator) {
            for (a, b) in a.mapping.values().zip(b.mapping.values()) {
                match (a.schema, b.schema) {
                    (Some(a), Some(b)) => pairs.push((a, b)),
                    _ if a.written != b.written => return false,
                    _ => {}
                }
            }
        }
        for (a, b) in pairs {
            self.push(Pair::Schemas(a, b));
        }
        true
    }
}
