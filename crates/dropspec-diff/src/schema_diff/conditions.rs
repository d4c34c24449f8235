//! Compares `not`, and the keywords that OpenAPI 3.1 adds to 3.0.

use super::{Presence, SchemaPair};
use crate::edit::{Edit, outer_join, take_matches};
use crate::finding::Side;
use crate::rules::{Change, change, rule};
use crate::schema::{Additional, Aspect, Condition};

/// The changes of a keyword that was removed or added.
const CONSTRAINT: [Change; 2] = [change!("constraint-removed"), change!("constraint-added")];

impl SchemaPair<'_, '_> {
    pub(super) fn compare_not(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let mut is_same = |aspect: Aspect| {
            let (mut old, mut new) = (base.not.clone(), revision.not.clone());
            let documents = &mut self.documents;
            old.sort_by_cached_key(|set| documents.base.digest(*set, aspect));
            new.sort_by_cached_key(|set| documents.revision.digest(*set, aspect));
            documents.are_same(old.iter(), new.iter(), aspect)
        };
        if is_same(Aspect::Everything) {
            return;
        }
        let same_validity = is_same(Aspect::Validity);
        let edit = self.edit("not");
        if same_validity {
            let what = "the description of `not` changed";
            self.report_rule(rule!("documentation-changed"), edit, what);
        } else if base.not.is_empty() || revision.not.is_empty() {
            let changes = [change!("not-removed"), change!("not-added")];
            self.report_presence(changes, base.not.is_empty(), edit, "`not`");
        } else {
            self.report(change!("not-changed"), edit, "`not` excludes other values");
        }
    }

    pub(super) fn compare_newer(&mut self) {
        self.compare_further();
        self.compare_conditions();
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let lists = self.keyword_nodes("dependentRequired");
        for ((name, other), was, is) in outer_join(&base.required_with, &revision.required_with) {
            let edit = Edit::between(was, is, lists).item(format!("{name} {other}"));
            if was.is_some() != is.is_some() {
                let (change, still) = match is {
                    Some(_) => (change!("constraint-added"), ""),
                    None => (change!("constraint-removed"), "no longer "),
                };
                let what = format!("`{other}` is {still}required if there is `{name}`");
                // One that is read-only or write-only may be absent.
                let side = if is.is_some() {
                    Side::Base
                } else {
                    Side::Revision
                };
                if self.requires(side, other) {
                    self.report_rule(rule!("keyword-without-effect-changed"), edit, &what);
                } else {
                    self.report(change, edit, &what);
                }
            }
        }
    }

    /// Whether a document demands a property in each request and response.
    fn requires(&mut self, side: Side, name: &str) -> bool {
        let schema = self.schema(side).clone();
        let property = schema.properties.get(name);
        let property = property.map(|set| self.schemas_of_document(side).get(*set));
        schema.required.contains_key(name)
            && property.is_none_or(|it| !it.read_only && !it.write_only)
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
            let (side, set) = match (old, new) {
                (Some(old), _) => (Side::Base, old),
                (None, Some(new)) => (Side::Revision, new),
                (None, None) => continue,
            };
            let is_added = side == Side::Revision;
            let edit = self.edit(keyword).item(step.clone());
            // Of a closed object, a pattern makes more properties valid.
            if keyword == "patternProperties" && closed == [true, true] {
                let (change, what) = if is_added {
                    (change!("additional-properties-allowed"), "became")
                } else {
                    (change!("additional-properties-forbidden"), "are no longer")
                };
                let what = format!("properties that match `{name}` {what} valid");
                self.report(change, edit, &what);
            } else if self.schemas_of_document(side).is_annotation(set) {
                let what = format!("`{step}` changed, which restricts no value");
                self.report_rule(rule!("documentation-changed"), edit, &what);
            } else {
                self.report_presence(CONSTRAINT, is_added, edit, &format!("`{step}`"));
            }
        }
    }

    fn compare_conditions(&mut self) {
        let mut old = self.base.conditions.clone();
        let mut new = self.revision.conditions.clone();
        let documents = &mut self.documents;
        take_matches(&mut old, &mut new, |a, b| {
            a.keyword == b.keyword
                && (a.least, a.most) == (b.least, b.most)
                && a.parts.keys().eq(b.parts.keys())
                && documents.are_same(a.parts.values(), b.parts.values(), Aspect::Everything)
        });
        let pairs = take_matches(&mut old, &mut new, |a, b| a.keyword == b.keyword);
        for (a, b) in pairs {
            self.compare_condition(&a, &b);
        }
        let lists = (self.base_site(), self.revision_site());
        for Condition { keyword, site, .. } in old {
            let edit = Edit::removed(site, lists.1).item(keyword);
            self.report_presence(CONSTRAINT, false, edit, &format!("`{keyword}`"));
        }
        for Condition { keyword, site, .. } in new {
            let edit = Edit::added(lists.0, site).item(keyword);
            self.report_presence(CONSTRAINT, true, edit, &format!("`{keyword}`"));
        }
    }

    /// Compares the schemas of two conditions, if these apply to the same values. Otherwise nothing more can be said.
    fn compare_condition(&mut self, old: &Condition, new: &Condition) {
        let keyword = old.keyword;
        let applies_alike = match keyword {
            // Where only so many items may match, fewer items match a narrower schema.
            "contains" => old.least == new.least && old.most.is_none() && new.most.is_none(),
            "if" => {
                let [a, b] = [old, new].map(|it| [it.parts["if"]]);
                let documents = &mut self.documents;
                documents.are_same(a.iter(), b.iter(), Aspect::Validity)
            }
            _ => true,
        };
        if applies_alike {
            let lists = (old.site, new.site);
            for (name, old, new) in outer_join(&old.parts, &new.parts) {
                let step = match *name {
                    "if" => continue,
                    "unevaluatedItems" => "[]",
                    "unevaluatedProperties" => "{}",
                    name => name,
                };
                if let (Some(old), Some(new)) = (old, new) {
                    self.add_child(old, new, step, Presence::Required);
                    continue;
                }
                let [was, is] = [
                    old.map(|set| self.documents.base.site(set)),
                    new.map(|set| self.documents.revision.site(set)),
                ];
                let edit = Edit::between(was, is, lists).item(step);
                self.report_presence(CONSTRAINT, is.is_some(), edit, &format!("`{step}`"));
            }
            return;
        }
        let edit = Edit::changed(old.site, new.site).item(keyword);
        let (a, b) = (old.parts.values(), new.parts.values());
        let is_count = keyword == "contains" && self.documents.are_same(a, b, Aspect::Validity);
        let (change, what) = if is_count && new.has_counts_within(old) {
            (CONSTRAINT[1], "`contains` admits fewer counts")
        } else if is_count && old.has_counts_within(new) {
            (CONSTRAINT[0], "`contains` admits more counts")
        } else {
            let what = "a condition changed, so that more or less may be valid";
            (change!("constraint-changed"), what)
        };
        self.report(change, edit, &format!("`{keyword}`: {what}"));
    }
}
