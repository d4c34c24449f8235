//! What `items` and the keywords of OpenAPI 3.1 accept.

use std::collections::BTreeSet;

use super::scalars::{has_at_most, may_be};
use super::{Additional, Inclusion, Part, Schema, SetId};
use crate::schema::{Aspect, Bound, Condition, FurtherKey, matches_name, same_schema};

impl<'d> Inclusion<'_, 'd> {
    /// Whether `items`, and the schemas of the items before, accept the part.
    pub(super) fn accepts_items(
        &mut self,
        own: &Schema<'d>,
        part: Part<'_>,
        other: &Schema<'d>,
    ) -> bool {
        let Some(outer) = other.items.filter(|_| may_be(own, part.kind, "array")) else {
            return true;
        };
        let prefix = prefix_of(other).count();
        let mut beyond = prefix_of(own).filter(|(index, _)| *index >= prefix);
        let rest = has_at_most(own, prefix)
            || match own.items {
                Some(inner) => self.is_included(inner, outer),
                None => self.outer.is_annotation(outer),
            };
        rest && beyond.all(|(_, inner)| self.is_included(inner, outer))
    }

    /// Whether the keywords of OpenAPI 3.1 accept the part.
    pub(super) fn accepts_newer(
        &mut self,
        own: &Schema<'d>,
        part: Part<'_>,
        other: &Schema<'d>,
    ) -> bool {
        let mut further = other.further.iter();
        let mut conditions = other.conditions.iter();
        let mut required = other.required_with.keys();
        let is_object = may_be(own, part.kind, "object");
        required.all(|pair| {
            !is_object
                || own.required_with.contains_key(pair)
                || self.is_always(own, pair.1)
                || lacks(own, pair.0)
        }) && further.all(|(key, set)| self.accepts_further(own, part, *key, *set))
            && conditions.all(|condition| self.accepts_condition(own, part, condition, other))
    }

    /// Whether what else a schema says keeps all its values within a limit of counts.
    pub(super) fn implies_count(&mut self, own: &Schema<'d>, keyword: &str, limit: Bound) -> bool {
        let count = match keyword {
            "maxItems" => {
                let others = own.items.map(|set| self.inner.get(set));
                let others = others.and_then(|it| it.types.clone());
                others
                    .filter(BTreeSet::is_empty)
                    .map(|_| prefix_of(own).count())
            }
            "maxProperties" => is_closed(own).then_some(own.properties.len()),
            "minProperties" => {
                let required = own.required.keys().filter(|name| self.is_always(own, name));
                Some(required.count())
            }
            _ => None,
        };
        count.is_some_and(|count| {
            let (count, limit) = (count as f64, limit.value.value());
            if keyword.starts_with("min") {
                count >= limit
            } else {
                count <= limit
            }
        })
    }

    /// Whether each message has a property.
    pub(super) fn is_always(&mut self, own: &Schema<'d>, name: &str) -> bool {
        own.required.contains_key(name)
            && own.properties.get(name).is_none_or(|set| {
                let property = self.inner.get(*set);
                !self.is_hidden(&property)
            })
    }

    fn accepts_further(
        &mut self,
        own: &Schema<'d>,
        part: Part<'_>,
        key: FurtherKey<'d>,
        outer: SetId,
    ) -> bool {
        let (keyword, name, index) = key;
        let are_items = keyword == "prefixItems";
        if !may_be(own, part.kind, if are_items { "array" } else { "object" }) {
            return true;
        }
        if let Some(inner) = own.further.get(&key) {
            return self.is_included(*inner, outer);
        }
        if self.outer.is_annotation(outer) {
            return true;
        }
        match (keyword, own.items) {
            ("prefixItems", Some(inner)) => self.is_included(inner, outer),
            ("prefixItems", None) => has_at_most(own, index),
            ("dependentSchemas", _) => lacks(own, name) || self.is_part_included(part, outer),
            ("patternProperties", _) => {
                let mut named = own.properties.iter();
                !has_patterns(own)
                    && match own.additional {
                        Additional::Any => false,
                        Additional::Forbidden => true,
                        Additional::Schema(inner) => self.is_included(inner, outer),
                    }
                    && named.all(|(property, inner)| {
                        !matches_name(name, property) || self.is_included(*inner, outer)
                    })
            }
            _ => false,
        }
    }

    fn accepts_condition(
        &mut self,
        own: &Schema<'d>,
        part: Part<'_>,
        outer: &Condition,
        other: &Schema<'d>,
    ) -> bool {
        let mut conditions = own.conditions.iter();
        let is_known = conditions
            .any(|inner| inner.keyword == outer.keyword && self.is_condition_within(inner, outer));
        let outer_part = |keyword: &str| outer.parts.get(keyword).copied();
        is_known
            || match outer.keyword {
                "contains" | "unevaluatedItems" if !may_be(own, part.kind, "array") => true,
                "unevaluatedProperties" if !may_be(own, part.kind, "object") => true,
                "if" => ["then", "else"].into_iter().all(|keyword| {
                    outer_part(keyword).is_none_or(|set| {
                        self.is_part_included(part, set)
                            || keyword == "then" && self.are_disjoint(part, outer.parts["if"])
                    })
                }),
                "unevaluatedProperties" => {
                    let mut names = own.properties.keys();
                    is_closed(own) && names.all(|name| other.properties.contains_key(name))
                }
                "unevaluatedItems" => {
                    let items = outer_part("unevaluatedItems");
                    items.is_some_and(|set| self.outer.is_annotation(set))
                }
                _ => false,
            }
    }

    /// Whether a value that satisfies one condition satisfies another one of the same keyword.
    fn is_condition_within(&mut self, inner: &Condition, outer: &Condition) -> bool {
        let mut is_same = |keyword: &str| {
            let (a, b) = (inner.parts[keyword], outer.parts[keyword]);
            same_schema(self.inner, a, self.outer, b, Aspect::Validity)
        };
        match outer.keyword {
            "if" => {
                is_same("if")
                    && ["then", "else"].into_iter().all(|keyword| {
                        let inner = inner.parts.get(keyword);
                        let outer = outer.parts.get(keyword);
                        outer.is_none_or(|outer| {
                            inner.is_some_and(|inner| self.is_included(*inner, *outer))
                        })
                    })
            }
            "contains" if is_same("contains") => inner.has_counts_within(outer),
            "contains" => {
                inner.least >= outer.least
                    && outer.most.is_none()
                    && self.is_included(inner.parts["contains"], outer.parts["contains"])
            }
            _ => false,
        }
    }
}

pub(super) fn has_patterns(schema: &Schema<'_>) -> bool {
    let mut keys = schema.further.keys();
    keys.any(|(keyword, ..)| *keyword == "patternProperties")
}

fn prefix_of(schema: &Schema<'_>) -> impl Iterator<Item = (usize, SetId)> {
    let further = schema.further.iter();
    further.filter_map(|((keyword, _, index), set)| {
        (*keyword == "prefixItems").then_some((*index, *set))
    })
}

/// Whether no object has a property.
fn lacks(schema: &Schema<'_>, name: &str) -> bool {
    is_closed(schema) && !schema.properties.contains_key(name)
}

/// Whether objects have no properties but those that the schema names.
fn is_closed(schema: &Schema<'_>) -> bool {
    schema.additional == Additional::Forbidden && !has_patterns(schema)
}
