//! Which member of a choice accepts what is sent.

use super::{Inclusion, Part, Schema, SetId};
use crate::schema::{Aspect, ChoiceKind, Discriminator};

/// The most values of a property that select members.
const MOST_TAGS: usize = 64;

impl<'d> Inclusion<'_, 'd> {
    /// Whether each choice of a schema accepts the part.
    pub(super) fn accepts_by_choices(&mut self, part: Part<'_>, other: &Schema<'d>) -> bool {
        let discriminator = other.discriminator.as_deref();
        if discriminator.is_some() && !other.has_choices() {
            return false;
        }
        ChoiceKind::ALL.into_iter().all(|kind| {
            let mut choices = other.choices[kind as usize].iter();
            choices.all(|members| self.accepts_by_choice(part, members, kind, discriminator))
        })
    }

    fn accepts_by_choice(
        &mut self,
        part: Part<'_>,
        members: &[SetId],
        kind: ChoiceKind,
        discriminator: Option<&Discriminator<'d>>,
    ) -> bool {
        let selecting = discriminator.map(|it| it.property);
        let tag = part
            .tag
            .filter(|(name, _)| selecting.is_none_or(|it| it == *name));
        let may_try = selecting.is_none() || tag.is_some();
        let mut tried = members.iter().filter(|_| may_try);
        let accepts = tried.any(|member| {
            let is_selected = discriminator
                .zip(tag)
                .is_none_or(|(discriminator, (_, value))| {
                    self.selects(discriminator, value, *member)
                });
            let mut others = members.iter().filter(|other| *other != member);
            is_selected
                && self.is_part_included(part, *member)
                && (kind == ChoiceKind::AnyOf || others.all(|it| self.are_disjoint(part, *it)))
        });
        if accepts {
            return true;
        }
        let own = self.inner.get(part.set);
        if kind == ChoiceKind::AnyOf && self.has_equal_choice(&own, members, discriminator) {
            return true;
        }
        let types = own.types.iter().flatten();
        let by_type = part.kind.is_none() && types.clone().count() > 1 && {
            let mut types = types.map(|name| Part {
                kind: Some(name),
                ..part
            });
            types.all(|part| self.accepts_by_choice(part, members, kind, discriminator))
        };
        by_type
            || part.tag.is_none() && self.accepts_by_tags(part, members, kind, discriminator)
            || self.any_choice(&own, part, |proof, part| {
                proof.accepts_by_choice(part, members, kind, discriminator)
            })
    }

    /// Whether a schema is a choice between the same members, selected by the same values.
    fn has_equal_choice(
        &mut self,
        own: &Schema<'d>,
        members: &[SetId],
        discriminator: Option<&Discriminator<'d>>,
    ) -> bool {
        let written = |it: &Discriminator<'d>| {
            let mapping = it.mapping.iter();
            let mapping: Vec<_> = mapping
                .map(|(value, target)| (*value, target.written))
                .collect();
            (it.property, mapping)
        };
        let selected = own.discriminator.as_deref().map(written);
        let aspect = Aspect::Validity;
        let mut choices = own.choices.iter().flatten();
        selected == discriminator.map(written)
            && choices.any(|choice| {
                choice.len() == members.len()
                    && choice.iter().zip(members).all(|(inner, outer)| {
                        self.inner.digest(*inner, aspect) == self.outer.digest(*outer, aspect)
                    })
            })
    }

    /// Whether the choice accepts the part for each value of a property that it always has.
    fn accepts_by_tags(
        &mut self,
        part: Part<'_>,
        members: &[SetId],
        kind: ChoiceKind,
        discriminator: Option<&Discriminator<'d>>,
    ) -> bool {
        let own = self.inner.get(part.set);
        let least = if discriminator.is_some() { 1 } else { 2 };
        let mut required = own.required.keys();
        required.any(|name| {
            let property = own.properties.get(name).map(|set| self.inner.get(*set));
            let property = property.filter(|it| !it.nullable || !self.has_null);
            let values = property.and_then(|it| it.enumeration.clone());
            values.is_some_and(|values| {
                (least..=MOST_TAGS).contains(&values.len())
                    && values.keys().all(|value| {
                        let tag = Some((*name, value.as_str()));
                        let part = Part { tag, ..part };
                        self.accepts_by_choice(part, members, kind, discriminator)
                    })
            })
        })
    }

    /// Whether a value of the discriminator, as JSON, selects a member.
    fn selects(&self, discriminator: &Discriminator<'d>, value: &str, member: SetId) -> bool {
        let name = value.trim_matches('"');
        match discriminator.mapping.get(&Some(name)) {
            Some(target) => target.schema == Some(member),
            None => self.outer.component(member) == Some(name),
        }
    }
}
