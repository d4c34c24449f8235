//! Proves that a schema accepts every value that another one accepts. What is not proved here may hold all the same.

mod choices;
mod disjoint;
mod newer;
mod scalars;

use std::collections::BTreeSet;
use std::rc::Rc;

use dropspec_schema::Direction;
use indexmap::IndexSet;
use serde_json::Value;

use super::{Documents, SchemaContext};
use crate::finding::Side;
use crate::instance::{InstanceFinder, read_otherwise};
use crate::schema::{
    Additional, Aspect, ChoiceKind, DOCUMENTATION, Schema, Schemas, SetId, same_schema,
};

/// The most pairs of schemas that are looked at for one proof.
const MOST_STEPS: usize = 400;

/// The proof that is being looked for.
pub(super) struct Inclusion<'s, 'd> {
    /// The document that says what is sent.
    inner: &'s mut Schemas<'d>,
    /// The document by which it is judged.
    outer: &'s mut Schemas<'d>,
    instances: &'s InstanceFinder<'d>,
    is_request: bool,
    /// Whether `null` can be sent.
    has_null: bool,
    /// Whether numbers and strings are told apart.
    is_typed: bool,
    /// Pairs of whole values inside, which count as proved while they are compared.
    assumed: IndexSet<(SetId, SetId)>,
    steps: usize,
}

/// Some values of a schema: all, those of one type, or those with one value of a required property.
#[derive(Clone, Copy)]
struct Part<'v> {
    set: SetId,
    kind: Option<&'v str>,
    tag: Option<(&'v str, &'v str)>,
    /// Whether `null` was judged before.
    without_null: bool,
}

impl<'s, 'd> Inclusion<'s, 'd> {
    /// Whether the second document accepts every value that the first one sends: the base in a request, the revision in a
    /// response.
    pub(super) fn is_proved(
        documents: &'s mut Documents<'_, 'd>,
        (base, revision): (SetId, SetId),
        SchemaContext {
            role,
            has_null,
            typed: is_typed,
            ..
        }: SchemaContext,
    ) -> bool {
        let is_request = role.is_request();
        let (mut inner, mut outer) = (&mut *documents.base, &mut *documents.revision);
        let mut sets = (base, revision);
        if !is_request {
            std::mem::swap(&mut inner, &mut outer);
            sets = (revision, base);
        }
        let mut proof = Inclusion {
            inner,
            outer,
            instances: &*documents.instances,
            is_request,
            has_null,
            is_typed,
            assumed: IndexSet::new(),
            steps: MOST_STEPS,
        };
        proof.is_included(sets.0, sets.1)
    }

    /// Whether all values of a schema are accepted.
    fn is_included(&mut self, inner: SetId, outer: SetId) -> bool {
        let aspect = Aspect::Validity;
        if self.inner.digest(inner, aspect) == self.outer.digest(outer, aspect)
            && same_schema(self.inner, inner, self.outer, outer, aspect)
        {
            return true;
        }
        let key = (inner, outer, [self.has_null, self.is_typed]);
        if self.inner.refuted.contains(&key) {
            return false;
        }
        let before = self.assumed.len();
        if !self.assumed.insert((inner, outer)) {
            return true;
        }
        let all = Part {
            set: inner,
            kind: None,
            tag: None,
            without_null: false,
        };
        let proved = self.is_part_included(all, outer);
        if !proved {
            // What was proved meanwhile may rest on this pair.
            self.assumed.truncate(before);
            // Without steps, nothing is known.
            if self.steps > 0 {
                self.inner.refuted.insert(key);
            }
        }
        proved
    }

    fn is_part_included(&mut self, mut part: Part<'_>, outer: SetId) -> bool {
        let Some(steps) = self.steps.checked_sub(1) else {
            return false;
        };
        self.steps = steps;
        let (own, other) = (self.inner.get(part.set), self.outer.get(outer));
        let is_null_refused = self.has_null
            && !part.without_null
            && accepts_null(self.inner, part.set)
            && !accepts_null(self.outer, outer);
        if own.types.as_ref().is_some_and(BTreeSet::is_empty) {
            return !is_null_refused;
        }
        if let Some(values) = scalars::list_values(&own) {
            return self.accepts_values(values, Some(part.set), outer);
        }
        if is_null_refused {
            return false;
        }
        part.without_null = true;
        self.accepts_beside_choices(part, outer) && self.accepts_by_choices(part, &other)
    }

    /// Whether values are accepted, as far as the schema of the set is valid for them.
    fn accepts_values(&mut self, values: Vec<Value>, inner: Option<SetId>, outer: SetId) -> bool {
        let direction = if self.is_request {
            Direction::Request
        } else {
            Direction::Response
        };
        let (mut own, mut other) = (Side::Base, Side::Revision);
        if !self.is_request {
            std::mem::swap(&mut own, &mut other);
        }
        let instances = self.instances;
        let Some(accepts) = instances.validator(other, self.outer, outer, direction) else {
            return false;
        };
        let sends = inner.map(|set| instances.validator(own, self.inner, set, direction));
        values.iter().all(|value| {
            value.is_null() && !self.has_null
                || accepts.is_valid(value) == Some(true)
                || !self.is_typed
                    && read_otherwise(value).is_some_and(|it| accepts.is_valid(&it) == Some(true))
                || matches!(&sends, Some(Some(sends)) if sends.is_valid(value) == Some(false))
        })
    }

    /// Whether all that is not a choice accepts the part.
    fn accepts_beside_choices(&mut self, part: Part<'_>, outer: SetId) -> bool {
        let (own, other) = (self.inner.get(part.set), self.outer.get(outer));
        let mut known = other.rest.iter();
        let is_known = known.all(|(keyword, value)| {
            keyword.starts_with("x-")
                || DOCUMENTATION.contains(keyword)
                || own.rest.get(keyword) == Some(value)
        });
        let is_plain = is_known && other.enumeration.is_none();
        let limits = other.limits.iter();
        let implied = limits.filter(|(keyword, limit)| self.implies_count(&own, keyword, **limit));
        let implied: Vec<&str> = implied.map(|(keyword, _)| *keyword).collect();
        let accepts = is_plain
            && scalars::is_included(&own, part.kind, &other, &implied)
            && self.accepts_items(&own, part, &other)
            && self.accepts_members(&own, part, &other)
            && self.accepts_newer(&own, part, &other)
            && other.not.iter().all(|not| self.are_disjoint(part, *not));
        accepts
            || self.any_choice(&own, part, |proof, part| {
                proof.accepts_beside_choices(part, outer)
            })
    }

    /// Whether something holds for all members of a choice of the part.
    fn any_choice(
        &mut self,
        own: &Schema<'d>,
        part: Part<'_>,
        mut holds: impl FnMut(&mut Self, Part<'_>) -> bool,
    ) -> bool {
        let mut choices = own.choices.iter().flatten();
        choices.any(|choice| {
            choice.iter().all(|set| {
                self.steps = self.steps.saturating_sub(1);
                self.steps > 0 && holds(self, Part { set: *set, ..part })
            })
        })
    }

    fn accepts_members(&mut self, own: &Schema<'d>, part: Part<'_>, other: &Schema<'d>) -> bool {
        if !scalars::may_be(own, part.kind, "object") {
            return true;
        }
        let has_patterns = newer::has_patterns(own);
        let open = own.additional == Additional::Any || has_patterns;
        let mut required = other.required.keys();
        let has_required = required.all(|name| {
            let wanted = other.properties.get(name).map(|set| self.outer.get(*set));
            self.is_always(own, name) || wanted.is_some_and(|it| self.is_hidden(&it))
        });
        if !has_required {
            return false;
        }
        // What refutes the proof at once comes first: behind a property can be the whole document.
        let mut properties: Vec<_> = other.properties.iter().collect();
        properties.sort_by_key(|(_, set)| !self.outer.get(**set).properties.is_empty());
        for (name, outer) in properties {
            let inner = match (own.properties.get(name), own.additional) {
                (Some(inner), _) => Some(*inner),
                (None, Additional::Schema(inner)) if !has_patterns => Some(inner),
                (None, Additional::Forbidden) if !has_patterns => continue,
                _ => None,
            };
            let tag = part.tag.filter(|(tag, _)| tag == name);
            let accepts = match (
                inner,
                tag.and_then(|(_, value)| serde_json::from_str(value).ok()),
            ) {
                (_, Some(value)) => self.accepts_values(vec![value], None, *outer),
                (Some(inner), None) => {
                    let property = self.inner.get(inner);
                    self.is_hidden(&property) || self.is_included(inner, *outer)
                }
                (None, None) => self.outer.is_annotation(*outer),
            };
            if !accepts {
                return false;
            }
        }
        let others = own.properties.iter();
        let mut others = others.filter(|(name, _)| !other.properties.contains_key(*name));
        match other.additional {
            Additional::Any => true,
            Additional::Forbidden => {
                own.additional == Additional::Forbidden
                    && !has_patterns
                    && others.all(|(_, set)| {
                        let property = self.inner.get(*set);
                        self.is_hidden(&property)
                    })
            }
            Additional::Schema(outer) => {
                let rest = match own.additional {
                    Additional::Schema(inner) if !has_patterns => self.is_included(inner, outer),
                    _ => !open || self.outer.is_annotation(outer),
                };
                rest && others.all(|(_, set)| self.is_included(*set, outer))
            }
        }
    }

    /// Whether no message contains a property.
    fn is_hidden(&self, property: &Rc<Schema<'d>>) -> bool {
        is_hidden(property, self.is_request)
    }
}

fn is_hidden(property: &Schema<'_>, is_request: bool) -> bool {
    if is_request {
        property.read_only
    } else {
        property.write_only
    }
}

/// Whether a schema, or what it is a choice between, accepts `null`.
fn accepts_null(schemas: &mut Schemas<'_>, set: SetId) -> bool {
    let schema = schemas.get(set);
    schema.accepts_null()
        || schema.types.is_none()
            && schema.enumeration.is_none()
            && schema.has_choices()
            && ChoiceKind::ALL.into_iter().all(|kind| {
                schema.choices[kind as usize].iter().all(|choice| {
                    let members = choice.iter();
                    let found = members.filter(|member| schemas.get(**member).accepts_null());
                    let found = found.count();
                    found == 1 || kind == ChoiceKind::AnyOf && found > 1
                })
            })
}
