//! Finds properties that were replaced by another one with the same schema.

use std::collections::BTreeMap;

use super::SchemaPair;
use crate::edit::{Edit, take_closest};
use crate::finding::Side;
use crate::rules::{Role, change, rule};
use crate::schema::{Aspect, Schema, SetId, same_schema};

impl<'d> SchemaPair<'_, 'd> {
    /// Pairs removed properties with added ones of the same schema, those with the most similar names first.
    pub(super) fn find_renamed(&mut self) -> Vec<(&'d str, &'d str)> {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let only = |own: &BTreeMap<&'d str, SetId>, other: &BTreeMap<&'d str, SetId>| {
            let only = own.iter().filter(|(name, _)| !other.contains_key(*name));
            only.map(|(name, set)| (*name, *set)).collect::<Vec<_>>()
        };
        let mut removed = only(&base.properties, &revision.properties);
        let mut added = only(&revision.properties, &base.properties);
        if self.one_way().is_some() || removed.is_empty() || added.is_empty() {
            return Vec::new();
        }
        removed.retain(|(_, old)| {
            let property = self.documents.base.get(*old);
            self.is_exchanged(&property)
        });
        let (schemas, others) = (&mut *self.documents.base, &mut *self.documents.revision);
        let pairs = take_closest(&mut removed, &mut added, |(was, old), (is, new)| {
            let is_same = same_schema(schemas, old, others, new, Aspect::Validity);
            is_same.then(|| std::cmp::Reverse(shared_start_and_end(was, is)))
        });
        let names = pairs.into_iter().map(|((was, _), (is, _))| (was, is));
        names.collect()
    }

    /// Whether requests or responses, whichever the schema is part of, contain a property.
    fn is_exchanged(&self, property: &Schema<'_>) -> bool {
        match self.context.role.inner() {
            Role::RequestProperty => !property.read_only,
            Role::ResponseProperty => !property.write_only,
            _ => true,
        }
    }

    /// Reports a property that was replaced by another one, as one edit.
    pub(super) fn report_renamed_property(&mut self, was: &'d str, is: &'d str) {
        let (old, new) = (self.base.properties[was], self.revision.properties[is]);
        let removed = self.find_property(was, old, Side::Base);
        let added = self.find_property(is, new, Side::Revision);
        let edit = Edit::changed(removed, added).item(format!("{was} → {is}"));
        let rule = match self.context.role.inner() {
            Role::RequestProperty => rule!("request-property-renamed"),
            Role::ResponseProperty => rule!("response-property-renamed"),
            _ => self.context.role.rule(change!("property-renamed")),
        };
        let what = format!("the property `{was}` became `{is}`");
        self.report_rule(rule, edit.clone(), &what);
        self.report_removed_property(was, old, edit.clone());
        self.report_added_property(is, new, edit);
    }
}

/// How many characters two names share at their starts and at their ends.
fn shared_start_and_end(a: &str, b: &str) -> usize {
    let start = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (a, b) = (a.chars().skip(start), b.chars().skip(start));
    let (a, b): (Vec<char>, Vec<char>) = (a.collect(), b.collect());
    let ends = a.iter().rev().zip(b.iter().rev());
    start + ends.take_while(|(a, b)| a == b).count()
}
