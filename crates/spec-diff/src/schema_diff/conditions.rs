//! Compares the keywords that OpenAPI 3.1 adds to 3.0.

use super::{Presence, SchemaPair};
use crate::edit::{Edit, outer_join, take_matches};
use crate::finding::Side;
use crate::rules::{change, rule};
use crate::schema::{Additional, Aspect, Condition, Schemas, SetId, same_schema};

impl SchemaPair<'_, '_> {
    pub(super) fn compare_newer(&mut self) {
        self.compare_further();
        self.compare_conditions();
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let lists = self.keyword_nodes("dependentRequired");
        for ((name, other), was, is) in outer_join(&base.required_with, &revision.required_with) {
            let edit = Edit::between(was, is, lists).item(format!("{name} {other}"));
            match (was, is) {
                (None, _) => {
                    let what = format!("`{other}` is required if there is `{name}`");
                    self.report(change!("constraint-added"), edit, &what);
                }
                (_, None) => {
                    let what = format!("`{other}` is no longer required if there is `{name}`");
                    self.report(change!("constraint-removed"), edit, &what);
                }
                _ => {}
            }
        }
    }

    /// Compares the schemas that apply whatever is beside them.
    fn compare_further(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let closed = [&base, &revision].map(|it| it.additional == Additional::Forbidden);
        for (key, old, new) in outer_join(&base.further, &revision.further) {
            let (keyword, name, index) = *key;
            let step = match keyword {
                "prefixItems" => format!("[{index}]"),
                "propertyNames" => "propertyNames".to_owned(),
                _ => format!("{keyword}/{name}"),
            };
            // `items` is for all items without a schema of their own.
            let (old, new) = match keyword {
                "prefixItems" => (old.or(base.items), new.or(revision.items)),
                _ => (old, new),
            };
            if let (Some(old), Some(new)) = (old, new) {
                let presence = match keyword {
                    "prefixItems" => Presence::Optional,
                    _ => Presence::Required,
                };
                self.add_child(old, new, &step, presence);
                if base.further.contains_key(key) != revision.further.contains_key(key) {
                    let rule = rule!("keyword-without-effect-changed");
                    let what = format!("`{step}` has a schema of its own in one document only");
                    self.report_rule(rule, self.edit(keyword).item(step), &what);
                }
                continue;
            }
            let side = if old.is_some() {
                Side::Base
            } else {
                Side::Revision
            };
            let Some(set) = old.or(new) else { continue };
            let edit = self.edit(keyword).item(step.clone());
            // Of a closed object, a pattern makes more properties valid.
            let opens = keyword == "patternProperties" && closed == [true, true];
            match side {
                _ if self.schemas(side).is_annotation(set) && !opens => {
                    let what = format!("`{step}` changed, which restricts no value");
                    self.report_rule(rule!("documentation-changed"), edit, &what);
                }
                Side::Revision if opens => {
                    let what = format!("properties that match `{name}` became valid");
                    self.report(change!("additional-properties-allowed"), edit, &what);
                }
                Side::Base if opens => {
                    let what = format!("properties that match `{name}` are no longer valid");
                    self.report(change!("additional-properties-forbidden"), edit, &what);
                }
                Side::Revision => {
                    let what = format!("`{step}` was added");
                    self.report(change!("constraint-added"), edit, &what);
                }
                Side::Base => {
                    let what = format!("`{step}` was removed");
                    self.report(change!("constraint-removed"), edit, &what);
                }
            }
        }
    }

    fn compare_conditions(&mut self) {
        let mut old = self.base.conditions.clone();
        let mut new = self.revision.conditions.clone();
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        take_matches(&mut old, &mut new, |a, b| is_same(base, a, revision, b));
        let pairs = take_matches(&mut old, &mut new, |a, b| a.keyword == b.keyword);
        for (a, b) in pairs {
            self.compare_condition(&a, &b);
        }
        for condition in old {
            let (keyword, list) = (condition.keyword, self.revision_site());
            let edit = Edit::removed(condition.site, list).item(keyword);
            let what = format!("`{keyword}` was removed");
            self.report(change!("constraint-removed"), edit, &what);
        }
        for condition in new {
            let (keyword, list) = (condition.keyword, self.base_site());
            let edit = Edit::added(list, condition.site).item(keyword);
            let what = format!("`{keyword}` was added");
            self.report(change!("constraint-added"), edit, &what);
        }
    }

    /// Compares the schemas of two conditions, if these apply to the same values. Otherwise nothing more can be said.
    fn compare_condition(&mut self, old: &Condition, new: &Condition) {
        let keyword = old.keyword;
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let applies_alike = match keyword {
            // Where only so many items may match, fewer items match a narrower schema.
            "contains" => old.least == new.least && old.most.is_none() && new.most.is_none(),
            "if" => {
                let (a, b) = (old.parts["if"], new.parts["if"]);
                let same_branches = old.parts.keys().eq(new.parts.keys());
                same_branches && same_schema(base, a, revision, b, Aspect::Validity)
            }
            _ => true,
        };
        if applies_alike {
            for (name, set) in &old.parts {
                let step = match *name {
                    "unevaluatedItems" => "[]",
                    "unevaluatedProperties" => "{}",
                    name => name,
                };
                if let Some(other) = new.parts.get(name).filter(|_| *name != "if") {
                    self.add_child(*set, *other, step, Presence::Required);
                }
            }
            return;
        }
        let edit = Edit::changed(old.site, new.site).item(keyword);
        let mut same_parts = || {
            let (a, b) = (old.parts.values(), new.parts.values());
            let mut pairs = a.zip(b);
            pairs.all(|(a, b)| same_schema(base, *a, revision, *b, Aspect::Validity))
        };
        let (change, what) = match keyword {
            "contains" if same_parts() && is_within(new, old) => (
                change!("constraint-added"),
                "`contains` admits fewer counts",
            ),
            "contains" if same_parts() && is_within(old, new) => (
                change!("constraint-removed"),
                "`contains` admits more counts",
            ),
            _ => (
                change!("constraint-changed"),
                "a condition changed, so that more or less may be valid",
            ),
        };
        self.report(change, edit, &format!("`{keyword}`: {what}"));
    }
}

/// Whether the counts of one `contains` are among those of another.
fn is_within(inner: &Condition, outer: &Condition) -> bool {
    let below = match (inner.most, outer.most) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(inner), Some(outer)) => inner <= outer,
    };
    below && inner.least >= outer.least
}

fn is_same(
    base: &mut Schemas<'_>,
    a: &Condition,
    revision: &mut Schemas<'_>,
    b: &Condition,
) -> bool {
    let mut pairs = a.parts.values().zip(b.parts.values());
    let mut same =
        |(a, b): (&SetId, &SetId)| same_schema(base, *a, revision, *b, Aspect::Everything);
    a.keyword == b.keyword
        && (a.least, a.most) == (b.least, b.most)
        && a.parts.keys().eq(b.parts.keys())
        && pairs.all(&mut same)
}
