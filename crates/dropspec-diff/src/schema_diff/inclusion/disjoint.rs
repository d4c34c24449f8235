//! Proves that no value is valid by two schemas.

use std::rc::Rc;

use super::scalars::{list_values, may_be};
use super::{Inclusion, Part, Schema, SetId, accepts_null};
use crate::schema::{Additional, Schemas};

/// How many objects around a property are looked into.
const DEPTH: u8 = 3;

impl<'d> Inclusion<'_, 'd> {
    /// Whether a schema of the other document accepts no value of the part.
    pub(super) fn are_disjoint(&mut self, part: Part<'_>, other: SetId) -> bool {
        let is_null = self.has_null && !part.without_null && accepts_null(self.inner, part.set);
        !(is_null && accepts_null(self.outer, other)) && self.differ(part, other, DEPTH)
    }

    fn differ(&mut self, part: Part<'_>, set: SetId, depth: u8) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let (own, other) = (self.inner.get(part.set), self.outer.get(set));
        self.differ_by_themselves(part, (&own, &other), depth)
            || own.choices.iter().flatten().any(|choice| {
                let mut parts = choice.iter().map(|set| Part { set: *set, ..part });
                parts.all(|part| self.differ(part, set, depth))
            })
            || other.choices.iter().flatten().any(|choice| {
                let mut members = choice.iter();
                members.all(|member| self.differ(part, *member, depth))
            })
    }

    fn differ_by_themselves(
        &mut self,
        part: Part<'_>,
        (own, other): (&Rc<Schema<'d>>, &Rc<Schema<'d>>),
        depth: u8,
    ) -> bool {
        let kinds = ["string", "number", "integer", "boolean", "array", "object"];
        let mut shared = kinds.into_iter().filter(|kind| {
            let is_number = |schema: &Schema<'_>, narrow: Option<&str>| {
                *kind == "integer" && may_be(schema, narrow, "number")
            };
            (may_be(own, part.kind, kind) || is_number(own, part.kind))
                && (may_be(other, None, kind) || is_number(other, None))
        });
        let only_objects = match shared.next() {
            None => return true,
            Some(first) => first == "object",
        };
        if let (Some(own), Some(other)) = (list_values(own), list_values(other)) {
            return own
                .iter()
                .all(|value| value.is_null() || !other.contains(value));
        }
        if !only_objects {
            return false;
        }
        let closed = |schema: &Schema<'_>| {
            schema.additional == Additional::Forbidden && schema.further.is_empty()
        };
        // What is required, and hidden, may be absent.
        let (is_request, inner, outer) = (self.is_request, &mut *self.inner, &mut *self.outer);
        let lacks_required = |a: &Schema<'d>, b: &Schema<'d>, schemas: &mut Schemas<'d>| {
            closed(a)
                && b.required.keys().any(|name| {
                    let property = b.properties.get(name).map(|set| schemas.get(*set));
                    let is_hidden = property.is_some_and(|it| super::is_hidden(&it, is_request));
                    !a.properties.contains_key(name) && !is_hidden
                })
        };
        if lacks_required(own, other, outer) || lacks_required(other, own, inner) {
            return true;
        }
        let mut names = own.required.keys().chain(other.required.keys());
        names.any(|name| {
            let (a, b) = (own.properties.get(name), other.properties.get(name));
            let (Some(a), Some(b)) = (a, b) else {
                return false;
            };
            let tag = part.tag.filter(|(tag, _)| tag == name);
            let (own, other) = (self.inner.get(*a), self.outer.get(*b));
            // Then it may be absent.
            if self.is_hidden(&own) || self.is_hidden(&other) {
                return false;
            }
            if let Some((_, value)) = tag
                && let Some(values) = &other.enumeration
            {
                return !values.contains_key(value);
            }
            let inside = Part {
                set: *a,
                kind: None,
                tag: None,
                without_null: false,
            };
            let is_null = self.has_null && accepts_null(self.inner, *a);
            !(is_null && accepts_null(self.outer, *b)) && self.differ(inside, *b, depth)
        })
    }
}
